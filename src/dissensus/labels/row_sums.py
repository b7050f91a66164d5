"""Rows of probabilities that do not sum to 1: likely causes, ways out, and division by their sum."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np

from dissensus.labels.refusals import Way
from dissensus.labels.row_errors import RowError

SUM_TOLERANCE = 1e-5  # float32 softmax rows over a thousand classes stay within it
Look = Literal[
    "log-probabilities",
    "logits",
    "below 0 by rounding",
    "counts",
    "counts or percents",
    "percents",
    "rounded",
    "mass",
    "large mass",
]


def row_ways(rows: np.ndarray, *, divide: Sequence[Way], count: Sequence[Way]) -> tuple[str, list[Way]]:
    """Return what rows look like that are not probabilities, and the ways out that fit.  rows: (n, k) without NaN

    divide  how the caller divides rows by their sum;  count  how it reads counts of votes
    """
    exp, softmax, clip = Way("apply exp first"), Way("apply softmax first"), Way("clip them at 0 first")
    known: dict[Look, tuple[str, list[Way]]] = {
        "log-probabilities": ("these look like log-probabilities", [exp]),
        "logits": ("these look like logits", [softmax]),
        "below 0 by rounding": ("these look like probabilities that fell below 0 by rounding", [clip]),
        "counts": ("these are whole numbers, as counts of votes are", [*count]),
        "counts or percents": (
            "these are whole numbers that sum to 100",
            [*_if("counts of votes", count), *_if("percents", divide)],
        ),
        "percents": ("these look like percents", [*divide]),
        "rounded": ("these look like rounded probabilities", [*divide]),
        "mass": ("these look like mass that is not divided by its sum yet", [*divide]),
        "large mass": (
            "no number is below 0 and some are above 1",
            [*_if("mass", divide), *_if("logits", [softmax])],
        ),
    }
    return known[look_of(rows)]


def _if(condition: str, ways: Sequence[Way]) -> list[Way]:
    return [type(way)(f"if they are {condition}, {way.text}", **way.settings) for way in ways]


def look_of(rows: np.ndarray) -> Look:
    """Softmax would flatten mass, and dividing would break logits: the numbers tell which it is.  (n, k) without NaN

    Rows that sum to 1 tell nothing about the others, unless they have a number below 0.
    """
    numbers = np.asarray(rows, dtype=np.float64)
    if (numbers <= 0).all() and (np.abs(np.exp(numbers).sum(axis=1) - 1) < 1e-2).all():
        return "log-probabilities"
    total = numbers.sum(axis=1)
    if (numbers < 0).any():
        near = (numbers >= -SUM_TOLERANCE).all() and (np.abs(total - 1) <= SUM_TOLERANCE).all()
        return "below 0 by rounding" if near else "logits"
    off = np.abs(total - 1) > SUM_TOLERANCE
    numbers, total = numbers[off], total[off]
    if (np.abs(total - 1) <= 0.05).all():
        return "rounded"
    of_hundred = bool((np.abs(total - 100) <= 1).all())
    if (numbers == np.floor(numbers)).all() and (total > 1).any():
        return "counts or percents" if of_hundred else "counts"
    if of_hundred:
        return "percents"
    return "large mass" if (numbers > 1).any() else "mass"


def divide_rows(rows: np.ndarray) -> tuple[np.ndarray, str]:
    """Rows of 0 or more, those that do not sum to 1 divided by their sum; and in words how many these were.

    rows: (n, k) -> (n, k) rows sum to 1
    """
    numbers = np.asarray(rows, dtype=np.float64)
    total = numbers.sum(axis=1)
    bad = np.flatnonzero(~((numbers >= 0).all(axis=1) & (total > 0) & np.isfinite(total)))  # NaN is not
    if bad.size:
        finite = np.isfinite(numbers).all()
        look, ways = row_ways(numbers, divide=(), count=()) if finite and (numbers < 0).any() else ("", [])
        raise RowError(
            "row",
            bad[0],
            f"is {format_row(numbers[bad[0]])}; rows are divided by their sum only if all numbers are 0 or more and "
            f"one is above 0, and {bad.size} of {total.size} rows are not like that{'; ' * bool(look)}{look}",
            ways,
        )
    off = np.abs(total - 1) > SUM_TOLERANCE
    if not off.any():
        return numbers, f"all {total.size:,} rows sum to 1 already, so none was divided by its sum"
    sums = " to ".join(dict.fromkeys(f"{end:.4g}" for end in (total[off].min(), total[off].max())))
    scaled = np.where(off[:, None], numbers / total[:, None], numbers)
    return scaled, f"{off.sum():,} of {total.size:,} rows summed to {sums} and were divided by their sum"


def format_row(row: np.ndarray) -> str:
    """The first numbers of a row, in an error."""
    shown = ", ".join(f"{value:g}" for value in row[:5].tolist())
    return f"[{shown}]" if row.size <= 5 else f"[{shown}, ...]"
