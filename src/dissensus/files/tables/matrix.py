"""A table or matrix of counts or probabilities, one row an item -> Distributions."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa

from dissensus.files.tables.columns import Reading, choose, class_columns
from dissensus.files.tables.rows import encoded, names_column, numbers
from dissensus.labels.distributions import SUM_TOLERANCE, Distributions

MOST_VOTES = 2**53  # beyond it floats skip whole numbers


def distributions_from_table(table: pa.Table, reading: Reading, source: str) -> Distributions:
    names = class_columns(table, reading, source)
    item = choose(table, "item", reading, source, needed=False)
    if item is None:
        reading.say("no item column: items are numbered from 0")
    left = [name for name in table.column_names if name not in (item, "votes", *names)]
    if left:
        reading.say(f"columns left out, as they are no classes: {left}")
    if not names:
        raise ValueError(f"{source}: no column holds a class; name them with classes=, out of {table.column_names}")
    if item is not None and reading.items is not None:
        table, reading = _in_order(table, item, reading, source)
    matrix = np.column_stack([numbers(table, name, reading, source) for name in names])  # (n, k)
    has_votes = "votes" in table.column_names and "votes" not in names
    votes = numbers(table, "votes", reading, source) if has_votes else None
    items = names_column(table, item, source, reading).to_numpy() if item is not None else reading.items
    counted = reading.layout == "counts"
    if counted and votes is not None and reading.classes is None:
        _check_sums(matrix, votes, reading)
    return matrix_distributions(matrix, items, names, votes, counted, reading)


def matrix_distributions(
    matrix: np.ndarray, items: Any, classes: Any, votes: Any, counted: bool, reading: Reading | None = None
) -> Distributions:
    """Counts or probabilities as distributions; items and classes numbered from 0 where not named.  matrix: (n, k)"""
    reading = Reading() if reading is None else reading
    items = np.arange(matrix.shape[0]) if items is None else np.asarray(items)
    names = tuple(map(str, range(matrix.shape[1]) if classes is None else classes))
    if items.shape == matrix.shape[:1] and len(names) == matrix.shape[1]:  # else the value says what does not fit
        _check_cells(matrix, items, names, counted, reading)
    if counted:
        _check_votes(matrix.astype(np.float64).max(axis=1, initial=0), reading)
        return Distributions.from_counts(matrix, items=items, classes=names)
    if votes is not None:
        _check_votes(votes, reading)
    return Distributions(matrix, items, names, votes)


def _check_cells(
    matrix: np.ndarray, items: np.ndarray, classes: tuple[str, ...], counted: bool, reading: Reading
) -> None:
    """Refuse what is no count or no probability, and rows without votes or whose sum is not 1."""
    noun, expected = ("count", "a whole number of 0 or more") if counted else ("probability", "a number from 0 to 1")
    good = (matrix >= 0) & ((matrix == np.floor(matrix)) if counted else (matrix <= 1 + SUM_TOLERANCE))  # NaN is not
    bad = np.argwhere(~good)
    if bad.size:
        row, code = bad[0]
        said = f"{noun} {matrix[row, code]:g}" if not np.isnan(matrix[row, code]) else f"no {noun}"
        raise ValueError(
            f"row {reading.row(row)} (item {items[row]}) gives class {classes[code]!r} {said}; expected {expected}; "
            f"{len(bad)} entries are wrong"
        )
    total = matrix.sum(axis=1, dtype=np.float64)
    off = np.flatnonzero(total == 0 if counted else np.abs(total - 1) > SUM_TOLERANCE)
    if not off.size:
        return
    about = f"row {reading.row(off[0])} (item {items[off[0]]})"
    if counted:
        raise ValueError(
            f"{about} has no votes, so it has no shares; {off.size} of {total.size} rows are empty: leave these items "
            "out, or read votes and use an estimate with a prior"
        )
    raise ValueError(
        f"{about} sums to {total[off[0]]:.6g}, expected 1; {off.size} of {total.size} rows are off: scale the numbers "
        "with Distributions.from_mass, or pass layout='counts' if they are counts"
    )


def _check_votes(votes: np.ndarray, reading: Reading) -> None:
    bad = np.flatnonzero(~(np.abs(votes) <= MOST_VOTES)) if votes.dtype.kind in "iuf" else np.arange(votes.size)
    if bad.size:
        raise ValueError(
            f"row {reading.row(bad[0])} has {votes[bad[0]]} votes; expected a whole number of at most 2**53; "
            f"{bad.size} of {votes.size} rows are wrong"
        )


def _check_sums(counts: np.ndarray, votes: np.ndarray, reading: Reading) -> None:
    off = np.flatnonzero(counts.sum(axis=1) != votes)
    if off.size and not np.isnan(counts).any():
        row = off[0]
        raise ValueError(
            f"row {reading.row(row)} has {counts[row].sum():g} counts, but {votes[row]:g} in column 'votes'; "
            f"{off.size} of {votes.size} rows differ: correct them, or name the columns of classes with classes="
        )


def _in_order(table: pa.Table, item: str, reading: Reading, source: str) -> tuple[pa.Table, Reading]:
    """The rows in the order of the names asked for, each of which has one row."""
    codes, names = encoded(table, item, reading.items, reading, source)
    if codes.size != names.size or np.unique(codes).size != codes.size:
        raise ValueError(
            f"{source}: {names.size} items are asked for and the file has {codes.size} rows for "
            f"{np.unique(codes).size} of them; expected one row each: leave items= out, or name those in the file"
        )
    order = np.argsort(codes)
    return table.take(pa.array(order)), reading.keeping(order)
