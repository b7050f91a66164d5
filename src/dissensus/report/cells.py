"""Cells of tables as plain text, for the renderers without markup of their own."""

from __future__ import annotations

import numpy as np

from dissensus.labels.intervals import Interval
from dissensus.report.numbers import format_interval, format_number
from dissensus.report.tables import AnyCell, Cell, Drawing, value_of

BAR = "bar"  # the format of a column whose numbers are drawn as bars in the terminal


def format_cell(cell: AnyCell, format: str = ".3f") -> str:
    """A cell as text: `0.123 [0.101, 0.145]` for an interval, thousands separators for integers, a dash for NaN."""
    value = value_of(cell)
    style = format_of(cell, format)
    if value is None:
        return ""
    if isinstance(value, str):
        return value
    if isinstance(value, Interval):
        return format_interval(value, style)
    if isinstance(value, Drawing):
        return value.words
    if isinstance(value, tuple):
        return " / ".join(value)
    return format_scalar(value, style)


def format_scalar(value: float, format: str) -> str:
    """A number: yes or no, an integer with separators, or a float in its format."""
    value = value.item() if isinstance(value, np.generic) else value
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float) and format != BAR:
        return format_number(value, format)
    return f"{value:,}" if isinstance(value, int) or value.is_integer() else format_number(value, ",.4g")


def format_of(cell: AnyCell, format: str) -> str:
    """The format of a cell: its own, or that of its column."""
    return cell.format or format if isinstance(cell, Cell) else format


def is_best(cell: AnyCell) -> bool:
    return isinstance(cell, Cell) and cell.best


def note_of(cell: AnyCell) -> str:
    return cell.note if isinstance(cell, Cell) else ""
