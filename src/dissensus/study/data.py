"""The data of a study: labels, items, and checksums."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from dissensus.labels.display import shapes
from dissensus.labels.distributions import Distributions
from dissensus.labels.shares import Labels
from dissensus.train.images import ImageTable

Say = Callable[[str], None]


@dataclass(frozen=True, eq=False)
class StudyData:
    """One set of a study: the items that have labels and inputs, in one order everywhere.

    labels     for training
    people     (n, k) people's answers to each item, to evaluate against
    features   (n, d) float32, or None
    images     or None
    gold       (n,) class codes, -1 where there is none
    columns    further columns of the data set: (n,) texts each, None where an item has none
    given      (n,) the part that the file of a split has each item in; None where no file says it
    checksums  of labels, people, gold, features and images: what tells this data from any other; and of each column
    """

    name: str
    labels: Labels
    people: Distributions
    features: np.ndarray | None
    images: ImageTable | None
    gold: np.ndarray
    columns: dict[str, np.ndarray]
    checksums: dict[str, str]
    given: np.ndarray | None = None

    __repr__ = shapes

    @property
    def n_items(self) -> int:
        return self.labels.n_items
