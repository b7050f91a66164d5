"""Distributions: one probability row per item, from people or from a model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, overload

import numpy as np
import pyarrow as pa

from dissensus.labels.answers import hold, positions
from dissensus.labels.display import notebook_card, sizes
from dissensus.labels.frames import find_columns, name_column, number_column, pandas_frame, polars_frame
from dissensus.labels.names import as_names, first_repeated, is_named, places_named
from dissensus.labels.refusals import PythonWay, Way
from dissensus.labels.row_errors import RowError
from dissensus.labels.row_numbers import row_numbers
from dissensus.labels.row_sums import SUM_TOLERANCE, row_ways

SAME_MASS = 1e-9  # closer probabilities are equal: 0.1 + 0.2 is 0.3
MOST_VOTES = 2**53  # beyond it floats skip whole numbers


@dataclass(frozen=True, eq=False, repr=False)
class Distributions:
    """One distribution over k classes for each of n items, from people or from a model.

    Parameters
    ----------
    probs : (n, k)
        Rows sum to 1.
    items : (n,)
        Names of the items, int64 or str.
    classes : k names
    votes : (n,) or None
        Number of votes of which each row is the share; None for means of beliefs, estimates and predictions.

    Examples
    --------
    >>> Distributions([[0.25, 0.75]], ["a"], ("cat", "dog")).probs
    array([[0.25, 0.75]])
    >>> Distributions.from_counts([[1, 3]], items=["a"], classes=("cat", "dog")).votes
    array([4])
    """

    probs: np.ndarray
    items: np.ndarray
    classes: tuple[str, ...]
    votes: np.ndarray | None = None

    def __post_init__(self) -> None:
        probs = np.asarray(self.probs, dtype=np.float64)
        items, classes = _names_that_fit(probs, "probs", self.items, self.classes)
        for kind, names in (("items", items), ("classes", classes)):
            repeated = first_repeated(names)
            if repeated is not None:
                raise ValueError(f"two {kind} are both named {repeated!r}; names of {kind} must differ")
        _check_rows(probs, items, classes)
        for name, value in (("probs", probs), ("items", items), ("classes", classes)):
            hold(self, name, value)
        if self.votes is not None:
            hold(self, "votes", _check_votes(np.asarray(self.votes), items))

    @classmethod
    def from_counts(cls, counts: Any, *, items: Any = None, classes: Any = None) -> Distributions:
        """The share of each class in a table of vote counts.  counts: (n, k) whole numbers, each row with a vote"""
        whole = np.asarray(counts).astype(np.float64)
        names, kinds = _names_that_fit(whole, "counts", items, classes)
        good = (whole >= 0) & (whole == np.floor(whole)) & (whole <= MOST_VOTES)  # NaN is not
        _check_cells(whole, good, names, kinds, "count", "a whole number from 0 to 2**53")
        votes = whole.sum(axis=1)
        empty = np.flatnonzero(votes == 0)
        if empty.size:
            raise RowError(
                "row",
                empty[0],
                f"(item {names[empty[0]]}) has no votes, so it has no shares; {empty.size} of "
                f"{votes.size} rows are empty: leave these items out, or use an estimate with a prior",
            )
        return cls(whole / votes[:, None], names, kinds, votes.astype(np.int64))

    @classmethod
    def from_mass(cls, mass: Any, *, items: Any = None, classes: Any = None) -> Distributions:
        """Rows of mass of 0 or more, scaled to sum to 1.  mass: (n, k)"""
        array = np.asarray(mass, dtype=np.float64)
        names, kinds = _names_that_fit(array, "mass", items, classes)
        total = array.sum(axis=1, keepdims=True)  # (n, 1)
        bad = np.flatnonzero(~(total[:, 0] > 0) | np.isinf(total[:, 0]) | ~(array >= 0).all(axis=1))
        if bad.size:
            raise RowError(
                "row",
                bad[0],
                f"(item {names[bad[0]]}) has mass {array[bad[0]].tolist()}; expected numbers of 0 or "
                f"more with a positive sum; {bad.size} of {array.shape[0]} rows are wrong",
            )
        return cls(array / total, names, kinds)

    @classmethod
    def of_frame(
        cls, frame: Any, *, item: str = "item", classes: Sequence[str] | None = None, votes: str | None = "votes"
    ) -> Distributions:
        """Distributions from a pandas, polars or Arrow frame with one row per item and one column per class.

        The classes are all columns but those of items and votes, or those named; `votes` may be absent.
        """
        table, columns = find_columns(frame, item=item, votes=votes)
        others = [name for name in table.column_names if name not in columns.values()]
        known = others if classes is None else [str(name) for name in classes]
        absent = next((name for name in known if name not in table.column_names), None)
        if absent is not None or not known:
            missing = "any class" if absent is None else f"class {absent!r}"
            raise ValueError(f"no column for {missing}; the columns are {table.column_names}")
        probs = np.column_stack([number_column(table, name) for name in known])  # (n, k)
        behind = number_column(table, columns["votes"]) if "votes" in columns else None
        return cls(probs, name_column(table, item).to_numpy(), tuple(known), behind)

    @property
    def n_items(self) -> int:
        return int(self.items.size)

    @property
    def n_classes(self) -> int:
        return len(self.classes)

    def counts(self) -> np.ndarray:
        """Votes for each class of each item, where the rows are shares of votes.  (n, k) int64"""
        if self.votes is None:
            raise ValueError(
                "these distributions carry no number of votes, so there are no votes to count: majorities, estimates, "
                "means of beliefs and predictions are not shares of votes; start from the votes themselves"
            )
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

    def to_arrow(self) -> pa.Table:
        """An Arrow table, one row per item: item, one column per class, and votes if they are known."""
        taken = {"item", "votes"} & set(self.classes)
        if taken:
            raise ValueError(
                f"a class is named {taken.pop()!r}, as a column beside the classes; rename the class first"
            )
        columns: dict[str, Any] = {"item": pa.array(self.items)}
        columns |= {name: self.probs[:, code] for code, name in enumerate(self.classes)}
        return pa.table(columns if self.votes is None else columns | {"votes": self.votes})

    def to_pandas(self) -> Any:
        """A pandas DataFrame with the columns of `to_arrow`."""
        return pandas_frame(self.to_arrow())

    def to_polars(self) -> Any:
        """A polars DataFrame with the columns of `to_arrow`."""
        return polars_frame(self.to_arrow())

    def select(self, items: Any) -> Distributions:
        """The rows of some items, by mask or by position."""
        keep = positions(items, self.n_items, "items")
        votes = None if self.votes is None else self.votes[keep]
        kept = self.items[keep]
        kept.flags.writeable = False  # tells as_names that these are names already
        return replace(self, probs=self.probs[keep], items=kept, votes=votes)

    def argmax(self) -> np.ndarray:
        """The code of each item's most probable class; of equal ones (within 1e-9) the first in `classes`.  (n,)"""
        top = self.probs.max(axis=1, keepdims=True, initial=0.0)
        return (self.probs >= top - SAME_MASS).argmax(axis=1)

    def top_class(self) -> np.ndarray:
        """The name of each item's most probable class; of equal ones the first in `classes`.  (n,)"""
        return np.array(self.classes, dtype=object)[self.argmax()]

    def __len__(self) -> int:
        """How many items there are."""
        return self.n_items

    @overload
    def __getitem__(self, item: str | int) -> dict[str, float]: ...
    @overload
    def __getitem__(self, item: Any) -> Distributions: ...
    def __getitem__(self, item: Any) -> Any:
        """The probabilities of the item of that name, by class; for a list of names the Distributions of these."""
        places = places_named(item, self.items, "items")
        if isinstance(item, str) or not hasattr(item, "__iter__"):
            return dict(zip(self.classes, self.probs[places[0]].tolist(), strict=True))
        return self.select(places)

    def __contains__(self, item: Any) -> bool:
        """Whether there is an item of that name."""
        return is_named(item, self.items)

    __iter__ = None  # the names are `items`, the rows `probs`

    def __array__(self, dtype: Any = None, copy: Any = None) -> np.ndarray:
        raise ValueError(
            "Distributions go by the names of their items and classes, and an array does not: take .probs if the order "
            "is right"
        )

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


def _names_that_fit(array: np.ndarray, what: str, items: Any, classes: Any) -> tuple[np.ndarray, tuple[str, ...]]:
    """Names of the rows and columns, numbered from 0 if there are none; refused if their number differs."""
    if array.ndim != 2:
        raise ValueError(f"{what} has shape {array.shape}; expected two dimensions, items by classes")
    n, k = array.shape
    names = as_names(row_numbers(n) if items is None else items)
    kinds = tuple(str(name) for name in (range(k) if classes is None else classes))
    if (names.size, len(kinds)) != (n, k):
        raise ValueError(f"{what} has shape {array.shape}, but {names.size} items and {len(kinds)} classes are named")
    return names, kinds


def _check_cells(
    numbers: np.ndarray,
    good: np.ndarray,
    items: np.ndarray,
    classes: tuple[str, ...],
    noun: str,
    expected: str,
    look: str = "",
    ways: Sequence[Way] = (),
) -> None:
    bad = np.argwhere(~good)
    if bad.size:
        row, code = bad[0]
        cell = f"no {noun}" if np.isnan(numbers[row, code]) else f"{noun} {numbers[row, code]:g}"
        raise RowError(
            "row",
            row,
            f"(item {items[row]}) gives class {classes[code]!r} {cell}; expected {expected}; "
            f"{len(bad)} entries are wrong{'; ' * bool(look)}{look}",
            ways,
        )


def _check_rows(probs: np.ndarray, items: np.ndarray, classes: tuple[str, ...]) -> None:
    good = (probs >= 0) & (probs <= 1 + SUM_TOLERANCE)  # NaN is not
    look, ways = ("", []) if good.all() or not np.isfinite(probs).all() else _ways(probs)
    _check_cells(probs, good, items, classes, "probability", "a number from 0 to 1", look, ways)
    total = probs.sum(axis=1)
    off = np.flatnonzero(np.abs(total - 1) > SUM_TOLERANCE)
    if off.size:
        look, ways = _ways(probs)
        raise RowError(
            "row",
            off[0],
            f"(item {items[off[0]]}) sums to {total[off[0]]:.6g}, expected 1; {off.size} of {total.size} rows do not "
            f"sum to 1; {look}",
            ways,
        )


def _ways(rows: np.ndarray) -> tuple[str, list[Way]]:
    return row_ways(
        rows,
        divide=[
            PythonWay("divide each row by its sum with Distributions.from_mass"),
            Way("read them with {rescale}, which divides each row by its sum", rescale=True),
        ],
        count=[PythonWay("call Distributions.from_counts"), Way("read them with {layout}", layout="counts")],
    )


def _check_votes(votes: np.ndarray, items: np.ndarray) -> np.ndarray:
    if votes.shape != items.shape:
        raise ValueError(f"votes has shape {votes.shape}, but there are {items.size} items")
    bad = np.arange(votes.size)
    if votes.dtype.kind in "iuf":
        bad = np.flatnonzero(~((votes >= 0) & (votes <= MOST_VOTES) & (votes == np.floor(votes))))  # NaN is not
    if bad.size:
        raise RowError(
            "row",
            bad[0],
            f"(item {items[bad[0]]}) has {votes[bad[0]]} votes; expected a whole number from 0 to "
            f"2**53; {bad.size} of {votes.size} rows are wrong",
        )
    return votes.astype(np.int64)
