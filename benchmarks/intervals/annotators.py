"""Intervals of scores over annotators, who each lean to some classes and answer some of the items.

The truth is the mean score of 3,000 crowds of the same size over the same items: what `over_annotators` is about.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial

import numpy as np

from benchmarks.intervals.case import Case
from dissensus.evaluate.choices import accuracy_to_majority
from dissensus.evaluate.closeness import jensen_shannon, kl_to_people, soft_brier
from dissensus.evaluate.over_people import over_annotators
from dissensus.labels.intervals import Interval
from dissensus.labels.votes import Votes

CROWDS = 3_000
SCORES: dict[str, Callable[[np.ndarray, np.ndarray], np.ndarray]] = {
    "kl": kl_to_people,
    "js": jensen_shannon,
    "brier": soft_brier,
    "accuracy": accuracy_to_majority,
    "share of the first class": lambda model, people: people[:, 0],
}


def cases() -> Iterator[Case]:
    for people, items, votes, lean in ((6, 40, 4, 5.0), (20, 60, 5, 5.0), (60, 60, 3, 2.0)):
        rng = np.random.default_rng(people)
        truth = rng.dirichlet([0.9, 0.5, 0.3], items)
        model = 0.8 * truth + 0.2 / 3
        means = dict.fromkeys(SCORES, 0.0)
        for _ in range(CROWDS):
            shares = _share(_answers(truth, people, votes, lean, rng)[1], items, votes)
            for name, score in SCORES.items():
                means[name] += float(score(model, shares).mean()) / CROWDS
        world = f"{people} people, {votes} of them on each of {items} items"
        yield Case("annotators", world, means, partial(_intervals, truth, model, people, votes, lean))


def _intervals(
    truth: np.ndarray, model: np.ndarray, people: int, votes: int, lean: float, rng: np.random.Generator
) -> Mapping[str, Interval]:
    who, choice = _answers(truth, people, votes, lean, rng)
    items = len(truth)
    answers = Votes(
        item=np.repeat(np.arange(items), votes),
        items=np.arange(items),
        annotator=who,
        annotators=np.arange(people),
        choice=choice,
        classes=("a", "b", "c"),
    )
    return {name: over_annotators(answers, partial(_mean, score, model), rng) for name, score in SCORES.items()}


def _mean(
    score: Callable[[np.ndarray, np.ndarray], np.ndarray], model: np.ndarray, used: np.ndarray, shares: np.ndarray
) -> float:
    return float(score(model[used], shares).mean())


def _answers(
    truth: np.ndarray, people: int, votes: int, lean: float, rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray]:
    """Who answered, and what, item by item.  (m,), (m,)"""
    leaning = rng.dirichlet(np.full(truth.shape[1], lean), people)  # (people, k)
    who = rng.random((len(truth), people)).argsort(axis=1)[:, :votes].ravel()
    mass = np.repeat(truth, votes, axis=0) * leaning[who]
    chance = np.cumsum(mass / mass.sum(axis=1, keepdims=True), axis=1)
    return who, np.minimum((chance < rng.random((who.size, 1))).sum(axis=1), truth.shape[1] - 1)


def _share(choice: np.ndarray, items: int, votes: int) -> np.ndarray:
    return np.eye(3)[choice].reshape(items, votes, 3).mean(axis=1)
