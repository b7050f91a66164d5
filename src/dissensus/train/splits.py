"""Splits: the items for training, validation and test."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from dissensus.labels.display import shapes
from dissensus.labels.refusals import Refusal, Way
from dissensus.labels.streams import Stream, stream


@dataclass(frozen=True, eq=False)
class Parts:
    """Positions of the items to train on, to validate on and to test on.

    Parameters
    ----------
    train, validation, test : (r,) positions; a part without items has shape (0,)

    Examples
    --------
    >>> Parts(np.arange(6), np.arange(6, 8), np.arange(8, 10)).test
    array([8, 9])
    """

    train: np.ndarray
    validation: np.ndarray
    test: np.ndarray

    __repr__ = shapes


def draw_split(n: int, rng: np.random.Generator, shares: tuple[float, float] = (0.7, 0.15)) -> Parts:
    """Draw a random split of `n` items; `shares` are those of training and validation, the remainder is the test."""
    order = rng.permutation(n)
    first, second = round(n * shares[0]), round(n * (shares[0] + shares[1]))
    parts = order[:first], order[first:second], order[second:]
    if min(part.size for part in parts) < 2:
        sizes = ", ".join(str(part.size) for part in parts)
        raise ValueError(
            f"{n} items with shares {shares} of training and validation give parts of {sizes}; expected at least "
            "2 items in each"
        )
    return Parts(*(np.sort(part) for part in parts))


def hold_out(n: int, share: float, seed: int, contents: str) -> tuple[np.ndarray, np.ndarray]:
    """Draw the items to hold out: positions to train on and positions held out, each in order.

    contents  what the items have besides labels, for errors: features, images
    """
    if n < 2:
        raise ValueError(f"there is {n} item with {contents} and labels; expected 2 or more to train on")
    held = round(share * n)
    if n - held < 2:
        raise Refusal(f"{{validation}} holds out {held} of {n} items; 2 or more must remain", validation=share)
    if share > 0 and not held:
        raise Refusal(
            f"{{validation}} of {n} items is less than one item, so nothing would be held out",
            ways=[Way("increase the share"), Way("set it to 0 to train on all items")],
            validation=share,
        )
    order = stream(seed, Stream.HELD_OUT).permutation(n)
    return np.sort(order[held:]), np.sort(order[:held])


def split_folds(n: int, folds: int, seed: int) -> list[tuple[np.ndarray, np.ndarray]]:
    """Positions to train on and positions held out, for each fold; every item is held out once."""
    if not 2 <= folds <= n:
        raise ValueError(f"{folds} folds of {n} items; expected from 2 to {n}")
    order = stream(seed, Stream.HELD_OUT).permutation(n)
    parts = np.array_split(order, folds)
    return [(np.sort(np.concatenate(parts[:fold] + parts[fold + 1 :])), np.sort(parts[fold])) for fold in range(folds)]


def recover_held_out(card: dict[str, Any], n: int) -> np.ndarray:
    """Positions of the items that were held out when a network was trained, drawn again from the seed on its card.

    card  of a network trained on these n items, in this order
    """
    trained, held, seed = (card.get(name) for name in ("items trained on", "items held out", "seed"))
    if not isinstance(trained, int) or not isinstance(held, int) or not isinstance(seed, int):
        raise ValueError(
            "the card of the network does not say how many items it was trained on, so the held-out items are unknown; "
            "train_network and train_folds write such cards"
        )
    if not held:
        raise ValueError("no items were held out, according to the card of the network: it was trained on all of them")
    if trained + held != n:
        raise ValueError(
            f"the network was trained on {trained:,} items and {held:,} were held out, but there are {n:,} here; "
            "expected the same images and labels"
        )
    if "fold" in card:
        fold, folds = (int(number) for number in str(card["fold"]).split(" of "))
        return split_folds(n, folds, seed)[fold - 1][1]
    return hold_out(n, held / n, seed, "images")[1]


def draw_stratified(strata: np.ndarray, share: float, rng: np.random.Generator) -> np.ndarray:
    """Draw a share of the items, with that share of each stratum to within one item.  (n,) -> (n,) bool"""
    order = np.lexsort((rng.random(strata.size), strata))
    # Every 1/share-th along the items sorted by stratum: each gives its share up to rounding, and so does the whole.
    reached = np.floor((np.arange(strata.size) + 1) * share + rng.random())
    drawn = np.zeros(strata.size, dtype=bool)
    drawn[order] = np.diff(reached, prepend=0) > 0
    return drawn


def deal_stratified(strata: np.ndarray, folds: int, rng: np.random.Generator) -> np.ndarray:
    """Deal the items into folds like cards, stratum by stratum: the fold of each item, from 0.  (n,) -> (n,)"""
    if folds > strata.size:
        raise ValueError(f"{folds} folds of {strata.size} items; expected no more folds than items")
    fold = np.empty(strata.size, dtype=np.int64)
    fold[np.lexsort((rng.random(strata.size), strata))] = np.arange(strata.size) % folds
    return fold
