"""The three data sets of the paper: what people said about all of their items, and the texts."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from dissensus.datasets.catalogue import load
from dissensus.labels.distributions import Distributions
from dissensus.labels.sampling import spread_over_entropy
from dissensus.labels.shares import as_distributions

CHAOSNLI = ("chaosnli-snli", "chaosnli-mnli")


def chaosnli() -> Distributions:
    """Both halves of ChaosNLI, SNLI first."""
    halves = [as_distributions(load(name).labels) for name in CHAOSNLI]
    probs, items, votes = (np.concatenate(columns) for columns in
                           zip(*((half.probs, half.items, half.votes) for half in halves), strict=True))  # fmt: skip
    return Distributions(probs, items, halves[0].classes, votes)


def popquorn() -> Distributions:
    """The offensiveness ratings of POPQUORN; the paper takes politeness."""
    return as_distributions(load("popquorn").labels)


def cifar10h_hard() -> Distributions:
    """Images of CIFAR-10H from all levels of disagreement, as the paper chooses them."""
    people = as_distributions(load("cifar10h").labels)
    return people.select(spread_over_entropy(people, np.random.default_rng(0)))


PEOPLE: dict[str, Callable[[], Distributions]] = {
    "chaosnli": chaosnli,
    "popquorn": popquorn,
    "cifar10h-hard": cifar10h_hard,
}


def texts_of(name: str, rows: np.ndarray) -> tuple[Sequence[str], Sequence[str] | None]:
    """The texts of some items, and the second ones where items are pairs of sentences."""
    if name == "popquorn":
        return _column("popquorn", "text", rows), None
    left, right = (_joined(column)[rows].tolist() for column in ("premise", "hypothesis"))
    return left, right


def some_of(n: int, at_most: int | None) -> np.ndarray:
    """Evenly spaced positions, all of them where they are few enough."""
    wanted = n if at_most is None else min(n, at_most)
    return np.unique(np.linspace(0, n - 1, wanted).astype(np.int64))


def _joined(column: str) -> np.ndarray:
    return np.concatenate([np.array(load(name).items[column].to_pylist(), dtype=object) for name in CHAOSNLI])


def _column(name: str, column: str, rows: np.ndarray) -> list[str]:
    values: list[str] = np.array(load(name).items[column].to_pylist(), dtype=object)[rows].tolist()
    return values
