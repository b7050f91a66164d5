"""A table or matrix of counts or probabilities, one row per item -> Distributions."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import numpy as np

from dissensus.files.notices import Say
from dissensus.files.tables.columns import Reading
from dissensus.files.tables.rows import encode_column
from dissensus.files.tables.source import SourceTable
from dissensus.labels.distributions import Distributions
from dissensus.labels.refusals import Refusal, Way
from dissensus.labels.row_numbers import row_numbers
from dissensus.labels.row_sums import divide_rows

COUNT_NAME = re.compile(r"(?i)(n|num|count|votes)[_ ]|.*[_ ](n|counts?|votes)$")


def distributions_from_table(
    source: SourceTable, reading: Reading, *, check_sums: bool, guessed_counts: bool
) -> Distributions:
    """The distributions in a table with one row per item.

    reading         as `recognise` filled it in
    check_sums      refuse counts that do not add up to the column `votes`
    guessed_counts  counts were guessed, so rows that may be percents are refused
    """
    names, item = list(reading.classes or ()), reading.item or None
    if not names:
        raise source.refusal(
            "no column has a class", Way(f"name them with {{classes}}, out of {source.columns}", classes=...)
        )
    if item is not None and reading.items is not None:
        source = _in_order(source, item, reading.items)
    matrix = np.column_stack([source.numbers(name) for name in names])  # (n, k)
    has_votes = "votes" in source.columns and "votes" not in names
    votes = source.numbers("votes") if has_votes else None
    items = source.names(item).to_numpy() if item is not None else reading.items
    if item is not None:
        _refuse_several_rows(source, item)
    counted = reading.layout == "counts"
    if guessed_counts:
        refuse_percents_as_counts(matrix, source.name, names)
    if reading.rescale and not counted:
        with source.name_rows():
            matrix = rescale_rows(matrix, source.say)
    if counted and votes is not None and check_sums:
        _check_sums(matrix, votes, source)
    if counted and check_sums:
        _refuse_rows_without_votes(matrix, items, source)
    with source.name_rows():
        return matrix_distributions(matrix, items, names, votes, counted)


def matrix_distributions(matrix: np.ndarray, items: Any, classes: Any, votes: Any, counted: bool) -> Distributions:
    """Counts or probabilities as distributions; items and classes numbered from 0 if not named.  matrix: (n, k)"""
    if counted:
        return Distributions.from_counts(matrix, items=items, classes=classes)
    names = tuple(map(str, range(matrix.shape[1]) if classes is None else classes))
    return Distributions(matrix, row_numbers(matrix.shape[0]) if items is None else items, names, votes)


def refuse_percents_as_counts(matrix: np.ndarray, source: str, names: Sequence[str] = ()) -> None:
    """Refuse whole numbers that sum to 100 in every row: counts of 100 votes, or percents of an unknown number.

    names: of the columns; n_cat, num_cat and cat_count say that they are counts
    """
    with np.errstate(over="ignore"):  # a sum beyond the largest number is not 100 either
        sums = matrix.sum(axis=1)
    named_as_counts = bool(names) and all(COUNT_NAME.match(name) for name in names)
    if sums.size > 1 and not named_as_counts and bool((np.abs(sums - 100) <= 1).all()):
        raise Refusal(
            "two readings fit, as every row sums to 100: counts of votes, or percents",
            source,
            [
                Way("pass {layout} for counts", layout="counts"),
                Way("pass {rescale} to divide percents by 100", rescale=True),
            ],
        )


def rescale_rows(matrix: np.ndarray, say: Say) -> np.ndarray:
    """Divide rows by their sum, and report for how many.  (n, k)"""
    rows, done = divide_rows(matrix)
    say(done)
    return rows


def _check_sums(counts: np.ndarray, votes: np.ndarray, source: SourceTable) -> None:
    off = np.flatnonzero(counts.sum(axis=1) != votes)
    if off.size and not np.isnan(counts).any():
        row = off[0]
        raise source.refusal(
            f"row {source.row(row)} has {counts[row].sum():g} counts, but {votes[row]:g} in column 'votes'; {off.size} "
            f"of {votes.size} rows differ",
            Way("correct them"),
            Way("name the columns of classes with {classes}", classes=...),
        )


def _refuse_several_rows(source: SourceTable, item: str) -> None:
    codes = encode_column(source, item, None)[0]
    first = np.unique(codes, return_index=True)[1]
    if first.size < codes.size:
        row = int(np.setdiff1d(np.arange(codes.size), first)[0])
        raise source.refusal(
            f"row {source.row(row)} is the second about item {source.table[item][row].as_py()!r} (column {item!r}), as "
            f"{codes.size - first.size} of {codes.size} rows are about an item that has one; expected one row of "
            "numbers per item",
            *(
                Way("pass {several} and {classes} if each row ticks classes with 1", several=several, classes=...)
                for several in ("votes", "beliefs")
            ),
            Way("name another column with {item}", item=...),
        )


def _refuse_rows_without_votes(counts: np.ndarray, items: Any, source: SourceTable) -> None:
    empty = np.flatnonzero((counts == 0).all(axis=1))
    if empty.size:
        item = "" if items is None else f" (item {items[empty[0]]})"
        raise source.refusal(
            f"row {source.row(empty[0])}{item} has no votes, so it has no shares; {empty.size} of {len(counts)} rows "
            "are empty",
            Way("leave these items out"),
            Way("pass {layout} if each column has the labels of one annotator", layout="annotators"),
        )


def _in_order(source: SourceTable, item: str, items: Any) -> SourceTable:
    """The rows in the order of the names asked for, each of which has one row."""
    codes, names = encode_column(source, item, items)
    if codes.size != names.size or np.unique(codes).size != codes.size:
        raise source.refusal(
            f"{names.size} items are asked for and the file has {codes.size} rows for {np.unique(codes).size} of them; "
            "expected one row each",
            Way("leave {items} out", items=...),
            Way("name those in the file"),
        )
    return source.take(np.argsort(codes))
