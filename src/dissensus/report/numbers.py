"""How numbers are written for people: rounding, intervals, p-values, counts, times and sizes, in one place."""

from __future__ import annotations

import math

from dissensus.labels.intervals import Interval

UNKNOWN = "–"
LEVEL = 0.05
SMALLEST_P = 0.001  # smaller p-values rest on the far tail of an assumed distribution


def format_number(value: float | None, format: str = ".3f") -> str:
    """Write a number in a format; a dash if it is not known.

    Parameters
    ----------
    value
        A number, NaN or None.
    format
        A format of Python such as ".3f" or ".1%", or "p" for a p-value.

    Returns
    -------
    str

    Examples
    --------
    >>> format_number(0.12345), format_number(float("nan")), format_number(1200, ",d")
    ('0.123', '–', '1,200')
    """
    if value is None or math.isnan(value):
        return UNKNOWN
    if math.isinf(value):
        return "∞" if value > 0 else "-∞"
    if format == "p":
        return format_p(value).removeprefix("p ").removeprefix("= ")
    return value.__format__(format)


def format_interval(interval: Interval, format: str = ".3f") -> str:
    """Write a value with its interval; the value alone if there is no interval.

    Parameters
    ----------
    interval
        A value with its ends.
    format
        Of all three numbers.

    Returns
    -------
    str

    Examples
    --------
    >>> from dissensus.labels import Interval
    >>> format_interval(Interval(0.123, 0.101, 0.145, 0.01, 0.95))
    '0.123 [0.101, 0.145]'
    """
    value = format_number(interval.value, format)
    if not has_ends(interval):
        return value
    return f"{value} [{format_number(interval.low, format)}, {format_number(interval.high, format)}]"


def format_limits(interval: Interval, format: str = ".3f") -> str:
    """Write the ends of an interval alone, `0.101 to 0.145`; nothing if there is no interval."""
    if not has_ends(interval):
        return ""
    return f"{format_number(interval.low, format)} to {format_number(interval.high, format)}"


def format_p(p: float) -> str:
    """Write a p-value with two significant digits; small ones as "p < 0.001".

    Parameters
    ----------
    p
        From 0 to 1.

    Returns
    -------
    str

    Examples
    --------
    >>> format_p(0.0312), format_p(9.7e-25)
    ('p = 0.031', 'p < 0.001')
    """
    if math.isnan(p):
        return f"p {UNKNOWN}"
    if p < SMALLEST_P:
        return f"p < {SMALLEST_P:g}"
    # No rounding up to the usual level: 0.0496 is not 0.05.
    digits = next((digits for digits in (2, 3, 4) if p == LEVEL or float(f"{p:.{digits}g}") != LEVEL), 5)
    return f"p = {p:.{digits}g}"


def has_ends(interval: Interval) -> bool:
    """Whether an interval has a finite value and two known ends."""
    return not math.isnan(interval.low) and not math.isinf(interval.value)


def format_count(count: int, noun: str) -> str:
    """Write a number of things: "1 cell", "1,200 cells"."""
    return f"{count:,} {noun}{'' if count == 1 else 's'}"


def format_duration(seconds: float) -> str:
    """Write a time in the unit that people would choose: "40 s", "3 min"."""
    if seconds < 1:
        return "1 s"
    for unit, length, below in (("s", 1, 100), ("min", 60, 100), ("h", 3600, 48)):
        if seconds / length < below:
            return f"{seconds / length:.{1 if unit == 'h' else 0}f} {unit}"
    return f"{seconds / 86400:.1f} days"


def format_size(size: float) -> str:
    """Write a number of bytes: "45.6 kB", "31 GB"."""
    for unit in ("kB", "MB", "GB"):
        size /= 1000
        if size < 1000:
            return f"{size:.3g} {unit}" if size >= 1 else f"{size:.1f} {unit}"
    return f"{size / 1000:,.1f} TB"
