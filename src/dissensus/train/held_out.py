"""Items held out of training: which they are, and how well a model does on them."""

from __future__ import annotations

from typing import Any

import numpy as np

from dissensus.evaluate.alignment import entropy_pearson
from dissensus.evaluate.choices import accuracy_to_majority
from dissensus.evaluate.closeness import kl_to_people, soft_nll


def scores_of(truth: np.ndarray, guess: np.ndarray) -> dict[str, float]:
    """How well predictions fit what people said, by four scores of `evaluate`; one item has no correlation.  (n, k)"""
    return {
        "soft_nll": float(soft_nll(guess, truth).mean()),
        "kl": float(kl_to_people(guess, truth).mean()),
        "accuracy": float(accuracy_to_majority(guess, truth).mean()),
        "entropy_correlation": entropy_pearson(guess, truth) if len(truth) > 1 else float("nan"),
    }


def scores_in_json(scores: dict[str, float]) -> dict[str, float | None]:
    """A correlation that does not exist is null in a card, as is an infinite score: JSON has no such numbers."""
    return {name: value if np.isfinite(value) else None for name, value in scores.items()}


def split_items(n: int, share: float, seed: int, contents: str) -> tuple[np.ndarray, np.ndarray]:
    """Positions to train on and positions held out at random, each in order.

    contents  what the items have besides labels, for errors: features, images
    """
    if n < 2:
        raise ValueError(f"there is {n} item with {contents} and labels; expected 2 or more to train on")
    held = round(share * n)
    if n - held < 2:
        raise ValueError(f"validation={share:g} holds out {held} of {n} items; 2 or more must remain")
    if share > 0 and not held:
        raise ValueError(
            f"validation={share:g} of {n} items is less than one: nothing would be held out to choose or to score by; "
            "give a larger share, or 0 to train on all"
        )
    order = np.random.default_rng([seed, 7]).permutation(n)
    return np.sort(order[held:]), np.sort(order[:held])


def fold_items(n: int, folds: int, seed: int) -> list[tuple[np.ndarray, np.ndarray]]:
    """For each fold the positions to train on and those held out; every item is held out once."""
    if not 2 <= folds <= n:
        raise ValueError(f"{folds} folds of {n} items were asked for; expected from 2 to {n}")
    order = np.random.default_rng([seed, 7]).permutation(n)
    parts = np.array_split(order, folds)
    return [(np.sort(np.concatenate(parts[:fold] + parts[fold + 1 :])), np.sort(parts[fold])) for fold in range(folds)]


def held_out_again(card: dict[str, Any], n: int) -> np.ndarray:
    """Positions of the items that were held out when a network was trained, drawn again as its card tells.

    card  of a network trained on these n items, in this order
    """
    trained, held, seed = (card.get(name) for name in ("items trained on", "items held out", "seed"))
    if not isinstance(trained, int) or not isinstance(held, int) or not isinstance(seed, int):
        raise ValueError(
            "the card of the network does not say how many items it was trained on, so which were held out is not "
            "known; `dissensus train` writes such cards"
        )
    if not held:
        raise ValueError("the card of the network says that no items were held out: it was trained on all of them")
    if trained + held != n:
        raise ValueError(
            f"the network was trained on {trained:,} items and {held:,} were held out, and here are {n:,}; expected "
            "the same images and labels"
        )
    if "fold" in card:
        fold, folds = (int(number) for number in str(card["fold"]).split(" of "))
        return fold_items(n, folds, seed)[fold - 1][1]
    return split_items(n, held / n, seed, "images")[1]
