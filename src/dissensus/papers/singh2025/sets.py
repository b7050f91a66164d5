"""The three data sets of the paper: what people said about all of their items."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np

from dissensus.datasets.catalogue import load
from dissensus.labels.distributions import Distributions
from dissensus.labels.sampling import spread_over_entropy
from dissensus.labels.shares import as_distributions
from dissensus.papers.text_sets import people_of


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
