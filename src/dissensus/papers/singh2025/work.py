"""The data sets of the paper, its protocol on one of them, and the numbers that its tables and figures show."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from dissensus.datasets.catalogue import load
from dissensus.evaluate.alignment import entropy_pearson
from dissensus.evaluate.closeness import kl_to_people
from dissensus.labels.distances import entropy, normalised_entropy
from dissensus.labels.distributions import Distributions
from dissensus.labels.sampling import evenly_spaced, resample, spread_over_entropy
from dissensus.labels.shares import as_distributions
from dissensus.papers.paper import Scale, Tell
from dissensus.papers.singh2025.encoders import SHOWN, features_of
from dissensus.papers.singh2025.protocol import TARGETS, ProtocolResult, singh_grid, singh_protocol
from dissensus.papers.text_sets import people_of
from dissensus.train.heads.config import HeadConfig
from dissensus.train.heads.training import train_heads
from dissensus.train.splits import Parts, draw_split

SEED = 2025  # of splits, and of answers left out
READINGS = ("fixed", "drawn")  # a seed trains anew on the same split, or draws its own; the paper does not say
TOP = 0.1  # the most disputed share of the test items, for figure 5
BINS = 10  # of entropies, for figure 3
ANSWERS = (5, 20)  # of each item, drawn again from all, where there are at least twice as many
QUICK = {"chaosnli": 450, "popquorn": 600}  # items that are embedded
SIZES: dict[Scale, dict[str, Any]] = {
    "quick": {"seeds": 5, "at_most": QUICK, "learning_rates": [1e-3], "batches": [16, 32], "epochs": [15]},
    "laptop": {"seeds": 10, "at_most": {}},
    "overnight": {"seeds": 50, "at_most": {}},  # more of the same, for claims that ten seeds leave open
    "full": {"seeds": 10, "at_most": {}},
}
SETTINGS = ("learning_rate", "batch", "epochs", "weight_decay", "scheduler")  # of table 2
Protocol = Callable[..., ProtocolResult]


def cifar10h() -> Distributions:
    return as_distributions(load("cifar10h").labels)


def cifar10h_hard() -> Distributions:
    """Images of CIFAR-10H from all levels of disagreement, as the paper chooses them."""
    people = cifar10h()
    return people.select(spread_over_entropy(people, np.random.default_rng(0)))


# POPQUORN's are ratings of offensiveness; the paper takes politeness.
PEOPLE: dict[str, Callable[[], Distributions]] = {
    "chaosnli": partial(people_of, "chaosnli"),
    "popquorn": partial(people_of, "popquorn"),
    "cifar10h-hard": cifar10h_hard,
}


def grid_of(scale: Scale) -> tuple[HeadConfig, ...]:
    """The settings that are tried: all 108, or a few of them."""
    size = SIZES[scale]
    return tuple(
        config
        for config in singh_grid()
        if config.learning_rate in size.get("learning_rates", [config.learning_rate])
        and config.batch in size.get("batches", [config.batch])
        and config.epochs in size.get("epochs", [config.epochs])
    )


def numbers_of(
    name: str, encoder: str, scale: Scale, folder: Path, needs: Mapping[str, Path], tell: Tell
) -> dict[str, Any]:
    """Everything that is read off later: label statistics, chosen settings, scores by seed, curves, entropies."""
    people = PEOPLE[name]()
    rows = evenly_spaced(people.n_items, SIZES[scale]["at_most"].get(name))
    x = features_of(name, encoder, people, rows, folder, lambda done, total: tell(0.5 * done / max(total, 1)))
    ran = protocol_numbers(x, people.select(rows), scale, lambda share: tell(0.5 + share / 2))
    labels = label_numbers(people) | ({"noise": noise_numbers(cifar10h())} if name == "cifar10h-hard" else {})
    return {**labels, "encoder": SHOWN.get(encoder, encoder), "used": int(rows.size), **ran}


def label_numbers(people: Distributions) -> dict[str, Any]:
    """What table 1 and figure 3 say about a set, of all its items."""
    assert people.votes is not None
    spread = normalised_entropy(people.probs)  # (n,)
    counts, edges = np.histogram(spread, bins=BINS, range=(0, 1))
    return {
        "items": len(people.items),
        "classes": list(people.classes),
        "votes": float(people.votes.mean()),
        "entropy": float(spread.mean()),
        "entropy_sd": float(spread.std(ddof=1)),
        "entropy_shares": {
            f"{(low + high) / 2:.2f}": float(count / spread.size)
            for low, high, count in zip(edges[:-1], edges[1:], counts, strict=True)
        },
    }


def noise_numbers(people: Distributions) -> dict[str, dict[str, float]]:
    """Standard deviation of the entropy within each class, for figure 1: of people, and if disagreement were noise.

    As noise, every item of a class (by majority) has the same distribution, the mean of the class, and as many answers
    drawn from it as people gave.
    """
    assert people.votes is not None
    rng, majority = np.random.default_rng(SEED), people.probs.argmax(axis=1)
    spread: dict[str, dict[str, float]] = {"people": {}, "uniform noise": {}}
    for place, name in enumerate(people.classes):
        votes, own = people.votes[majority == place].astype(np.int64), people.probs[majority == place]
        drawn = rng.multinomial(votes, np.average(own, axis=0, weights=votes)) / votes[:, None]  # (n, k)
        for arm, probs in (("people", own), ("uniform noise", drawn)):
            spread[arm][str(name)] = float(normalised_entropy(probs).std(ddof=1))
    return spread


def protocol_numbers(
    x: np.ndarray, people: Distributions, scale: Scale, tell: Tell, protocol: Protocol = singh_protocol
) -> dict[str, Any]:
    """Both readings of a seed. Settings are chosen once: both have the same split to choose on.

    x         (n, d)
    protocol  runs it, as `singh_protocol` does
    """
    seeds, grid = range(1, SIZES[scale]["seeds"] + 1), grid_of(scale)
    fixed = protocol(
        x,
        people.probs,
        np.random.default_rng(SEED),
        grid=grid,
        seeds=seeds,
        progress=lambda done, total: tell(0.7 * done / total),
    )
    wanted = {replace(config, targets=grid[0].targets) for config in fixed.chosen.values()}
    chosen = tuple(config for config in grid if config in wanted)  # in this order, for the first of equals is chosen
    drawn = protocol(
        x,
        people.probs,
        np.random.default_rng(SEED),
        grid=chosen,
        seeds=seeds,
        resplit=True,
        progress=lambda done, total: tell(0.7 + 0.2 * done / total),
    )
    split = draw_split(x.shape[0], np.random.default_rng(SEED).spawn(1)[0])  # the one of `fixed`
    test = x[split.test], people.probs[split.test]
    more = {
        "grid_losses": {t: fixed.grid_losses[t].tolist() for t in TARGETS},
        "grid_epochs": {t: fixed.grid_epochs[t].tolist() for t in TARGETS},
        "curves": {t: _mean_curve(fixed, t) for t in TARGETS},
        "top_entropy": _entropies(fixed, *test),
        "example": _example(fixed, *test),
        "agreeing": _compare_agreeing(fixed, *test),
    }
    fewer = _by_answers(fixed, x, people, split)
    return {"fixed": _score(fixed) | more, "drawn": _score(drawn), "answers": fewer}


def _score(result: ProtocolResult) -> dict[str, Any]:
    scores = {t: {metric: values.tolist() for metric, values in result.scores[t].items()} for t in TARGETS}
    chosen = {t: {name: getattr(result.chosen[t], name) for name in SETTINGS} for t in result.chosen}
    best = {t: [head.epoch for head in result.heads[t]] for t in TARGETS}
    return {"scores": scores, "chosen": chosen, "best_epochs": best}


def _mean_curve(result: ProtocolResult, targets: str) -> list[float]:
    """Mean validation loss over seeds after each epoch that all of them reached."""
    curves = [head.validation_losses for head in result.heads[targets]]
    shared = min(curve.size for curve in curves)
    return [float(loss) for loss in np.mean([curve[:shared] for curve in curves], axis=0)]


def _entropies(result: ProtocolResult, x: np.ndarray, people: np.ndarray) -> dict[str, Any]:
    """Mean entropy on the most disputed test items: of people, and of each seed's predictions."""
    rows = np.argsort(-entropy(people), kind="stable")[: max(1, round(TOP * people.shape[0]))]
    predicted = {t: [float(entropy(head.head.probs(x[rows])).mean()) for head in result.heads[t]] for t in TARGETS}
    return {"people": float(entropy(people[rows]).mean()), **predicted}


def _example(result: ProtocolResult, x: np.ndarray, people: np.ndarray) -> dict[str, list[float]]:
    """The most disputed test item: what people said, and what the head of the first seed predicts."""
    row = int(entropy(people).argmax())
    predicted = {t: result.heads[t][0].head.probs(x[row : row + 1])[0].tolist() for t in TARGETS}
    return {"people": people[row].tolist(), **predicted}


def _compare_agreeing(result: ProtocolResult, x: np.ndarray, people: np.ndarray) -> dict[str, list[float]]:
    """By seed: the share of test items for which both predict the class that most people chose, and KL there."""
    agreeing: dict[str, list[float]] = {"share": [], "soft": [], "hard": []}
    for heads in zip(*(result.heads[t] for t in TARGETS), strict=True):
        guesses = [trained.head.probs(x) for trained in heads]  # TARGETS, (n, k)
        same = np.all([guess.argmax(axis=1) == people.argmax(axis=1) for guess in guesses], axis=0)  # (n,)
        agreeing["share"].append(float(same.mean()))
        for t, guess in zip(TARGETS, guesses, strict=True):
            agreeing[t].append(float(kl_to_people(guess[same], people[same]).mean()))
    return agreeing


def _by_answers(result: ProtocolResult, x: np.ndarray, people: Distributions, split: Parts) -> dict[str, Any]:
    """KL and correlation of entropies by seed, when only some answers per item are there to train and choose on.

    The settings are those chosen with all answers, and all answers judge. Classes with equally many answers go first
    by chance, not by number, when hard labels are made.
    """
    assert people.votes is not None
    rng = np.random.default_rng(SEED)
    table: dict[str, Any] = {}
    for m in (m for m in ANSWERS if 2 * m <= people.votes.mean()):
        drawn = resample(people, m, rng).probs
        drawn = drawn + 1e-6 * rng.random(drawn.shape)
        drawn /= drawn.sum(axis=1, keepdims=True)
        table[str(m)] = {}
        for t in TARGETS:
            configs = [trained.config for trained in result.heads[t]]
            heads = train_heads(
                x[split.train], drawn[split.train], configs, validation=(x[split.validation], drawn[split.validation])
            )
            guesses = [trained.head.probs(x[split.test]) for trained in heads]
            truth = people.probs[split.test]
            table[str(m)][t] = {
                "kl": [float(kl_to_people(guess, truth).mean()) for guess in guesses],
                "entropy_correlation": [entropy_pearson(guess, truth) for guess in guesses],
            }
    return table
