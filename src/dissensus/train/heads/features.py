"""Feature files: an array in .npy, and a card with the names and the source of its rows."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from dissensus.files.matrices import DAMAGE, describe_damage
from dissensus.labels.answers import hold, positions
from dissensus.labels.arrays import as_array
from dissensus.labels.display import shapes
from dissensus.labels.names import as_names, first_repeated
from dissensus.labels.refusals import add_place
from dissensus.labels.row_numbers import are_named, row_numbers
from dissensus.train.cards import read_feature_card


@dataclass(frozen=True, eq=False)
class FeatureTable:
    """One row of features per item.

    Parameters
    ----------
    values : (n, d) finite numbers
    items : (n,) names of the items; None: they have none, and are numbered from 0
    source : origin of the features: encoder, weights, licence

    Examples
    --------
    >>> table = FeatureTable(np.eye(3), ["a", "b", "c"])
    >>> table.select([0, 2]).items.tolist(), table.named
    (['a', 'c'], True)
    """

    values: np.ndarray
    items: Any = None
    source: dict[str, Any] | None = None

    __repr__ = shapes

    def __post_init__(self) -> None:
        if self.values.ndim != 2 or self.values.dtype.kind not in "fiu":
            raise ValueError(
                f"features are {self.values.dtype} of shape {self.values.shape}; expected numbers, items by features"
            )
        hold(self, "items", row_numbers(len(self.values)) if self.items is None else as_names(self.items))
        if self.items.shape != self.values.shape[:1]:
            raise ValueError(f"there are {len(self.values)} rows of features, but {self.items.size} names of items")
        repeated = first_repeated(self.items)
        if repeated is not None:
            raise ValueError(f"two items are both named {repeated!r}; names of items must differ")
        wrong = 0
        first = None
        for start in range(0, len(self.values), 4096):  # in parts, so that a large file costs no second copy
            bad = np.argwhere(~np.isfinite(self.values[start : start + 4096]))
            wrong += len(bad)
            if len(bad) and first is None:
                first = (start + int(bad[0, 0]), int(bad[0, 1]))
        if first is not None:
            raise ValueError(
                f"row {first[0]} (item {self.items[first[0]]}) has the feature {self.values[first]} in column "
                f"{first[1]}; expected finite numbers; {wrong} of {self.values.size} are not"
            )

    @property
    def named(self) -> bool:
        """Whether the items have names, not only row numbers."""
        return are_named(self.items)

    def select(self, rows: Any) -> FeatureTable:
        """Select rows by mask or by position."""
        keep = positions(rows, len(self.values), "items")
        return replace(self, values=self.values[keep], items=self.items[keep])


def feature_rows(features: Any, what: str = "features") -> np.ndarray:
    """Convert features for training: contiguous float32, finite.  FeatureTable, array or tensor -> (n, d)"""
    rows = features.values if isinstance(features, FeatureTable) else as_array(features)
    if rows.ndim != 2 or 0 in rows.shape:
        raise ValueError(
            f"{what} have shape {rows.shape}; expected (n, d): one row per item, one column per feature, at least one "
            "of each"
        )
    with np.errstate(over="ignore"):  # numbers too large for float32 become infinite, and are refused below
        rows = np.ascontiguousarray(rows, dtype=np.float32)
    check_finite(rows, what)
    return rows


def check_finite(rows: np.ndarray, what: str) -> None:
    bad = np.flatnonzero(~np.isfinite(rows).all(axis=1))
    if bad.size:
        column = int(np.flatnonzero(~np.isfinite(rows[bad[0]]))[0])
        raise ValueError(
            f"row {bad[0]} of {what} has {rows[bad[0], column]} in column {column}; expected finite numbers; "
            f"{bad.size} of {rows.shape[0]} rows are wrong: leave these items out or embed them again"
        )


def read_features(path: str | Path) -> FeatureTable:
    """Read features from a .npy file, with the names of their items.

    The names are in a card beside the file: x.npy.json for x.npy. `embed` writes one; a card of your own is
    {"items": ["a", "b"]}. Without a card the items have no names.

    Parameters
    ----------
    path : file to read, with an array of numbers (n, d), one row per item

    Returns
    -------
    FeatureTable

    Examples
    --------
    >>> import json
    >>> np.save("features.npy", np.eye(2))
    >>> with open("features.npy.json", "w") as card:
    ...     json.dump({"items": ["a", "b"]}, card)
    >>> read_features("features.npy").items.tolist()
    ['a', 'b']
    """
    path = Path(path)
    if not path.is_file():
        raise ValueError(f"{path}: {'is a folder, not a file' if path.is_dir() else 'no such file'}")
    try:
        values = np.load(path, allow_pickle=False)
    except DAMAGE as problem:
        raise describe_damage(path, problem) from None
    if not isinstance(values, np.ndarray):
        raise ValueError(f"{path}: contains several arrays; expected one, items by features, as numpy.save writes it")
    card = read_feature_card(path)
    try:
        if card is None:
            return FeatureTable(values)
        names = card.pop("items", None)
        return FeatureTable(values, names, {key: value for key, value in card.items() if key != "format"})
    except ValueError as problem:
        raise add_place(problem, str(path)) from None
