"""The data of a study: labels, what they are about, and what tells them from all other data."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from dissensus.labels.display import shapes
from dissensus.labels.distributions import Distributions
from dissensus.labels.shares import Labels
from dissensus.labels.votes import Votes
from dissensus.train.images import ImageTable

Say = Callable[[str], None]


@dataclass(frozen=True, eq=False)
class StudyData:
    """One set of a study: the items that have labels and inputs, in one order everywhere.

    labels     what models learn from
    people     (n, k) what people said about each item: what models are judged by
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


def checksum(labels: Labels) -> str:
    """A hash of everything that an answer is: the same however labels were stored, other for any other answer."""
    return hashed(_parts(labels))


def _parts(labels: Labels) -> Iterator[Any]:
    yield type(labels).__name__
    yield from (labels.items, np.array(labels.classes))
    if isinstance(labels, Distributions):
        yield from (labels.probs, labels.votes)
        return
    yield from (labels.item.astype(np.int64), labels.annotators)
    yield None if labels.annotator is None else labels.annotator.astype(np.int64)
    if isinstance(labels, Votes):
        yield labels.choice.astype(np.int64)
    else:
        said = ~np.isnan(labels.stated)  # a NaN may be written in several ways
        yield from (said, np.where(said, labels.stated, 0.0), labels.ruled_out, labels.named.astype(np.int64))


def hashed(parts: Any) -> str:
    """A hash of arrays and texts, one after the other."""
    digest = hashlib.sha256()
    for part in parts:
        array = np.asarray("" if part is None else part)
        digest.update(f"{array.dtype.kind}{array.shape}".encode())
        if array.dtype.kind in "OU":
            digest.update("".join(f"{len(text)}:{text}" for text in map(str, array.ravel().tolist())).encode())
        else:
            digest.update(np.ascontiguousarray(array).tobytes())
    return digest.hexdigest()
