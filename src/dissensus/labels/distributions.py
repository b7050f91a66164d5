"""Distributions: one probability row per item, from people or from a model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, overload

import numpy as np
import pyarrow as pa

from dissensus.labels.answers import hold, positions
from dissensus.labels.display import notebook_card, sizes
from dissensus.labels.distribution_checks import MOST_VOTES, check_cells, check_rows, check_votes, fit_names
from dissensus.labels.frames import find_columns, name_column, number_column, pandas_frame, polars_frame
from dissensus.labels.names import first_repeated, is_named, places_named
from dissensus.labels.row_errors import RowError

SAME_MASS = 1e-9  # closer probabilities are equal: 0.1 + 0.2 is 0.3


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
        items, classes = fit_names(probs, "probs", self.items, self.classes)
        for kind, names in (("items", items), ("classes", classes)):
            repeated = first_repeated(names)
            if repeated is not None:
                raise ValueError(f"two {kind} are both named {repeated!r}; names of {kind} must differ")
        check_rows(probs, items, classes)
        for name, value in (("probs", probs), ("items", items), ("classes", classes)):
            hold(self, name, value)
        if self.votes is not None:
            hold(self, "votes", check_votes(np.asarray(self.votes), items))

    @classmethod
    def from_counts(cls, counts: Any, *, items: Any = None, classes: Any = None) -> Distributions:
        """The share of each class in a table of vote counts.  counts: (n, k) whole numbers, each row with a vote"""
        whole = np.asarray(counts).astype(np.float64)
        names, kinds = fit_names(whole, "counts", items, classes)
        good = (whole >= 0) & (whole == np.floor(whole)) & (whole <= MOST_VOTES)  # NaN is not
        check_cells(whole, good, names, kinds, "count", "a whole number from 0 to 2**53")
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
        names, kinds = fit_names(array, "mass", items, classes)
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
        """Votes for each class of each item, if the rows are shares of votes.  (n, k) int64"""
        if self.votes is None:
            raise ValueError(
                "these distributions have no number of votes, so there are no votes to count: majorities, estimates, "
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
                f"a class is named {taken.pop()!r}, like another column of the table; rename the class first"
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
        """Number of items."""
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
        """Whether an item has this name."""
        return is_named(item, self.items)

    __iter__ = None  # the names are `items`, the rows `probs`

    def __array__(self, dtype: Any = None, copy: Any = None) -> np.ndarray:
        raise ValueError(
            "Distributions have names of items and classes, and an array has none: take .probs if the order is right"
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
