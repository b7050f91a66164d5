"""Distributions: one probability row per item, from people or from a model."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from dissensus.labels.answers import hold, positions
from dissensus.labels.display import notebook_card, sizes
from dissensus.labels.names import as_names, first_repeated

SUM_TOLERANCE = 1e-5  # float32 softmax rows over a thousand classes stay within it


@dataclass(frozen=True, eq=False, repr=False)
class Distributions:
    """One distribution over k classes for each of n items.

    probs    (n, k) rows sum to 1
    items    (n,) names, int64 or str
    classes  k names
    votes    (n,) answers behind each row, or None where there is no such number (a model's prediction)
    """

    probs: np.ndarray
    items: np.ndarray
    classes: tuple[str, ...]
    votes: np.ndarray | None = None

    def __post_init__(self) -> None:
        probs = np.asarray(self.probs, dtype=np.float64)
        items, classes = as_names(self.items), tuple(str(name) for name in self.classes)
        if probs.ndim != 2 or probs.shape != (items.size, len(classes)):
            raise ValueError(
                f"probs has shape {probs.shape}, but {items.size} items and {len(classes)} classes are named"
            )
        for kind, names in (("items", items), ("classes", classes)):
            repeated = first_repeated(names)
            if repeated is not None:
                raise ValueError(f"two {kind} are both named {repeated!r}; names of {kind} must differ")
        _check_rows(probs, items, classes)
        for name, value in (("probs", probs), ("items", items), ("classes", classes)):
            hold(self, name, value)
        if self.votes is not None:
            hold(self, "votes", _checked_votes(np.asarray(self.votes), items))

    @classmethod
    def from_counts(cls, counts: Any, *, items: Any = None, classes: Any = None) -> Distributions:
        """The share of each class in a table of vote counts.  counts: (n, k) whole numbers, each row with a vote"""
        array = np.asarray(counts)
        if array.ndim != 2:
            raise ValueError(f"counts need two dimensions, items by classes; these have shape {array.shape}")
        whole = array.astype(np.float64)
        bad = np.argwhere(~(whole >= 0) | (whole != np.floor(whole)) | np.isinf(whole))
        if bad.size:
            row, code = bad[0]
            raise ValueError(
                f"row {row}, class {code} has count {array[row, code]}; expected whole numbers of 0 or more; "
                f"{len(bad)} entries are wrong"
            )
        votes = whole.sum(axis=1)
        empty = np.flatnonzero(votes == 0)
        if empty.size:
            raise ValueError(
                f"row {empty[0]} has no votes, so it has no shares; {empty.size} of {votes.size} rows are empty: "
                "leave these items out, or use an estimate with a prior"
            )
        return cls.from_mass(whole, items=items, classes=classes, votes=votes.astype(np.int64))

    @classmethod
    def from_mass(cls, mass: Any, *, items: Any = None, classes: Any = None, votes: Any = None) -> Distributions:
        """Rows of mass of 0 or more, scaled to sum to 1.  mass: (n, k)"""
        array = np.asarray(mass, dtype=np.float64)
        if array.ndim != 2:
            raise ValueError(f"mass needs two dimensions, items by classes; this has shape {array.shape}")
        names = np.arange(array.shape[0]) if items is None else items
        kinds = tuple(map(str, range(array.shape[1]))) if classes is None else tuple(classes)
        total = array.sum(axis=1, keepdims=True)  # (n, 1)
        bad = np.flatnonzero(~(total[:, 0] > 0) | np.isinf(total[:, 0]) | ~(array >= 0).all(axis=1))
        if bad.size:
            raise ValueError(
                f"row {bad[0]} (item {as_names(names)[bad[0]]}) has mass {array[bad[0]].tolist()}; expected numbers of "
                f"0 or more with a positive sum; {bad.size} of {array.shape[0]} rows are wrong"
            )
        return cls(array / total, names, kinds, votes)

    @property
    def n_items(self) -> int:
        return int(self.items.size)

    @property
    def n_classes(self) -> int:
        return len(self.classes)

    def counts(self) -> np.ndarray:
        """Votes for each class of each item, where the rows are shares of votes.  (n, k) int64"""
        if self.votes is None:
            raise ValueError("these distributions carry no number of votes, so there are no counts behind them")
        mass = self.probs * self.votes[:, None]
        counts = np.rint(mass)
        off = np.abs(mass - counts).max(axis=1, initial=0.0)
        bad = np.flatnonzero(off > 1e-6 * np.maximum(self.votes, 1))
        if bad.size:
            raise ValueError(
                f"row {bad[0]} (item {self.items[bad[0]]}) is not a share of its {self.votes[bad[0]]} votes: "
                f"probabilities times votes give {mass[bad[0]].tolist()}; {bad.size} of {self.n_items} rows are not"
            )
        return counts.astype(np.int64)

    def select(self, items: Any) -> Distributions:
        """The rows of some items, by mask or by position."""
        keep = positions(items, self.n_items, "items")
        votes = None if self.votes is None else self.votes[keep]
        return replace(self, probs=self.probs[keep], items=self.items[keep], votes=votes)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Distributions):
            return NotImplemented
        same_votes = (self.votes is None and other.votes is None) or (
            self.votes is not None and other.votes is not None and np.array_equal(self.votes, other.votes)
        )
        return (
            self.classes == other.classes
            and np.array_equal(self.items, other.items)
            and np.array_equal(self.probs, other.probs)
            and same_votes
        )

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return sizes(self, [(self.n_items, "items"), (self.n_classes, "classes")])

    def _repr_html_(self) -> str | None:
        return notebook_card(self)


def _check_rows(probs: np.ndarray, items: np.ndarray, classes: tuple[str, ...]) -> None:
    bad = np.argwhere(~((probs >= 0) & (probs <= 1 + SUM_TOLERANCE)))
    if bad.size:
        row, code = bad[0]
        raise ValueError(
            f"row {row} (item {items[row]}) gives class {classes[code]!r} probability {probs[row, code]:g}; "
            f"expected a number from 0 to 1; {len(bad)} entries are wrong"
        )
    total = probs.sum(axis=1)
    off = np.flatnonzero(np.abs(total - 1) > SUM_TOLERANCE)
    if off.size:
        raise ValueError(
            f"row {off[0]} (item {items[off[0]]}) sums to {total[off[0]]:g}, expected 1; {off.size} of {total.size} "
            "rows do not sum to 1: use Distributions.from_mass to scale them, or from_counts if these are counts"
        )


def _checked_votes(votes: np.ndarray, items: np.ndarray) -> np.ndarray:
    if votes.shape != items.shape:
        raise ValueError(f"votes has shape {votes.shape}, but there are {items.size} items")
    whole = votes.astype(np.int64)
    bad = np.flatnonzero((votes < 0) | (whole != votes))
    if bad.size:
        raise ValueError(f"item {items[bad[0]]} has {votes[bad[0]]} votes; expected a whole number of 0 or more")
    return whole
