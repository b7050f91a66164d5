"""Checks of rows of probabilities, counts and votes, each with its way out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from dissensus.labels.names import as_names
from dissensus.labels.refusals import PythonWay, Way
from dissensus.labels.row_errors import RowError
from dissensus.labels.row_numbers import row_numbers
from dissensus.labels.row_sums import SUM_TOLERANCE, row_ways

MOST_VOTES = 2**53  # beyond it floats skip whole numbers


def fit_names(array: np.ndarray, what: str, items: Any, classes: Any) -> tuple[np.ndarray, tuple[str, ...]]:
    """Names of the rows and columns, numbered from 0 if there are none; refused if their number differs."""
    if array.ndim != 2:
        raise ValueError(f"{what} has shape {array.shape}; expected two dimensions, items by classes")
    n, k = array.shape
    names = as_names(row_numbers(n) if items is None else items)
    kinds = tuple(str(name) for name in (range(k) if classes is None else classes))
    if (names.size, len(kinds)) != (n, k):
        raise ValueError(f"{what} has shape {array.shape}, but {names.size} items and {len(kinds)} classes are named")
    return names, kinds


def check_cells(
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


def check_rows(probs: np.ndarray, items: np.ndarray, classes: tuple[str, ...]) -> None:
    good = (probs >= 0) & (probs <= 1 + SUM_TOLERANCE)  # NaN is not
    look, ways = ("", []) if good.all() or not np.isfinite(probs).all() else _ways(probs)
    check_cells(probs, good, items, classes, "probability", "a number from 0 to 1", look, ways)
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


def check_votes(votes: np.ndarray, items: np.ndarray) -> np.ndarray:
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
