"""The kinds of label that the paper compares, as far as they can be had: all for the same images of CIFAR-10."""

from __future__ import annotations

import numpy as np

from dissensus.aggregate.aggregations import aggregate_labels
from dissensus.datasets.catalogue import load
from dissensus.labels.distributions import Distributions
from dissensus.labels.sampling import evenly_spaced
from dissensus.labels.shares import as_distributions
from dissensus.labels.transforms import infill, one_hot, smooth, sparsify
from dissensus.papers.sucholutsky2023.own_data import has, read_dense, read_typicality
from dissensus.plan.real_labels import SMOOTHING

Kinds = dict[str, Distributions]

HERE = ("hard", "S+hard", "H", "LS low", "LS high")  # by rising softness
NAMES = {
    "hard": "CIFAR-10",
    "S+hard": "CIFAR-10S+hard",
    "H": "CIFAR-10H",
    "S+dense": "CIFAR-10S+dense",
    "LS low": "CIFAR-10LS (low)",
    "DS": "CIFAR-10DS",
    "LS high": "CIFAR-10LS (high)",
    "T": "CIFAR-10T",
}
FILL = 2  # classes of a dense label that stand for a sparse one, where nobody gave a sparse one


def kinds_here() -> tuple[str, ...]:
    """The kinds whose labels there are: dense labels and typicality where a user has them."""
    return (*HERE, *(("S+dense", "DS") if has("dense.npy") else ()), *(("T",) if has("typicality.npy") else ()))


def label_kinds(at_most: int | None = None) -> Kinds:
    """Labels of each kind for the same images, in the same order.

    at_most  so many images, evenly spaced, of which as many have a sparse label as of all
    """
    people = load("cifar10h")
    votes = as_distributions(people.labels)
    hard = one_hot(people.gold, votes.items, votes.classes)
    stated = sparse_labels()
    kinds = {
        "hard": hard,
        "S+hard": infill(stated, hard),
        "H": votes,
        "LS low": smooth(hard, SMOOTHING["smoothed low"]),
        "LS high": smooth(hard, SMOOTHING["smoothed high"]),
    }
    if has("dense.npy"):
        dense = read_dense(votes.items, votes.classes)
        kinds |= {"S+dense": infill(stated, sparsify(dense, FILL)), "DS": dense}
    if has("typicality.npy"):
        kinds["T"] = read_typicality(people.gold, votes.items, votes.classes)
    rows = _some(votes.n_items, stated.items.astype(np.int64), at_most)
    return {kind: labels.select(rows) for kind, labels in kinds.items()}


def sparse_labels() -> Distributions:
    """CIFAR-10S: the mean over people of their two likeliest classes, with what they ruled out at 0."""
    return aggregate_labels(load("cifar10s").labels).distributions


def _some(n: int, first: np.ndarray, at_most: int | None) -> np.ndarray:
    """All positions, or so many of them: of those in `first` and of the others the same share, evenly spaced."""
    if at_most is None or at_most >= n:
        return np.arange(n)
    others = np.setdiff1d(np.arange(n), first)
    of_first = round(at_most * first.size / n)
    taken = [
        part[evenly_spaced(part.size, count)]
        for part, count in ((np.sort(first), of_first), (others, at_most - of_first))
    ]
    return np.sort(np.concatenate(taken))
