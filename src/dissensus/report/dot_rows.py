"""Dots in rows: single values, their mean and its interval, on one scale and readable on a phone."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from html import escape

import numpy as np

from dissensus.report.charts import span, ticks, widen
from dissensus.report.colours import BLUE, PEOPLE
from dissensus.report.svg import shorten, svg

WIDTH, SIDE, ROW = 400, 12, 38


@dataclass(frozen=True)
class DotRow:
    """A row, with its name above it so that long names fit.

    dots   single values by name, such as those of seeds
    value  their mean, low and high its interval; NaN if there is none
    group  heading above the rows of the same group
    known  values to compare with by name, such as a published one; drawn in grey
    """

    name: str
    value: float
    low: float = np.nan
    high: float = np.nan
    dots: Mapping[str, float] = field(default_factory=dict)
    colour: str = BLUE
    group: str = ""
    known: Mapping[str, float] = field(default_factory=dict)


def dot_chart(
    rows: Sequence[DotRow], title: str, *, reference: float | None = None, of: str = "", style: str = ".3f"
) -> str:
    """A row for each name: a dot for each value, a bar for the interval, a mark for the mean.

    reference  where a line is drawn in each row, such as 0 for differences
    of         what a dot is, such as "seed", for its tooltip
    style      how numbers are written
    """
    finite = [x for row in rows for x in _values(row) if np.isfinite(x)]
    if not finite:
        return "<p>nothing to draw: no number is known</p>"
    low, high = widen(span([np.asarray([*finite, *([] if reference is None else [reference])])]), 0.03)

    def across(value: float) -> float:
        return round(SIDE + (WIDTH - 2 * SIDE) * (value - low) / (high - low), 1)

    drawn, y, group = [], 4, ""
    for row in rows:
        if row.group and row.group != group:
            drawn.append(f'<text x="{SIDE}" y="{y + 14}" font-weight="600">{escape(shorten(row.group, 54))}</text>')
            y += 22
        group = row.group
        if reference is not None:  # beside the dots only, since it would cross out names
            x = across(reference)
            drawn.append(f'<line class="axis" stroke-width="2" x1="{x}" x2="{x}" y1="{y + 17}" y2="{y + 35}"/>')
        drawn.append(_row(row, y, across, of, style))
        y += ROW
    base = y + 4
    drawn.append(f'<line class="axis" x1="{SIDE}" x2="{WIDTH - SIDE}" y1="{base}" y2="{base}"/>')
    for tick in ticks(low, high):
        x = across(tick)
        anchor = "start" if x < 2 * SIDE else "end" if x > WIDTH - 2 * SIDE else "middle"
        drawn.append(
            f'<line class="axis" x1="{x}" x2="{x}" y1="{base}" y2="{base + 4}"/>'
            f'<text x="{x}" y="{base + 17}" text-anchor="{anchor}">{tick:g}</text>'
        )
    drawn.append(f'<text x="{WIDTH / 2:.0f}" y="{base + 35}" text-anchor="middle">{escape(title)}</text>')
    words = "; ".join(_in_words(row, style) for row in rows)
    return svg(WIDTH, base + 42, f"{title}. {words}", "".join(drawn))


def _values(row: DotRow) -> list[float]:
    return [row.value, row.low, row.high, *row.dots.values(), *row.known.values()]


def _row(row: DotRow, y: int, across: Callable[[float], float], of: str, style: str) -> str:
    middle = y + 26
    drawn = [f'<text x="{SIDE}" y="{y + 14}">{escape(shorten(row.name, 48))}</text>']
    number = format(row.value, style) if np.isfinite(row.value) else "–"
    number += "".join(f" ({escape(name)} {value:.4g})" for name, value in row.known.items())
    drawn.append(f'<text x="{WIDTH - SIDE}" y="{y + 14}" text-anchor="end">{number}</text>')
    drawn.append(f'<line class="faint" x1="{SIDE}" x2="{WIDTH - SIDE}" y1="{middle}" y2="{middle}"/>')
    mark = f'data-of="{escape(row.name, quote=True)}"'
    if np.isfinite(row.low) and np.isfinite(row.high):
        drawn.append(
            f'<line {mark} x1="{across(row.low)}" x2="{across(row.high)}" y1="{middle}" y2="{middle}" '
            f'stroke="{row.colour}" stroke-width="5" stroke-opacity="0.45" stroke-linecap="round"/>'
        )
    for name, value in row.dots.items():
        if np.isfinite(value):
            words = escape(f"{row.name}, {of} {name}: {format(value, style)}" if of else f"{row.name}: {name}")
            drawn.append(
                f'<circle {mark} cx="{across(value)}" cy="{middle}" r="3.5" fill="{row.colour}" fill-opacity="0.75">'
                f"<title>{words}</title></circle>"
            )
    marks = [(f"{row.name}, {name}", value, PEOPLE) for name, value in row.known.items()]
    marks += [(row.name, row.value, row.colour)] if np.isfinite(row.value) else []
    for name, value, colour in marks:
        x = across(value)
        ends = f'x1="{x}" x2="{x}" y1="{middle - 8}" y2="{middle + 8}"'
        drawn.append(f'<line data-of="{escape(name, quote=True)}" {ends} stroke="{colour}" stroke-width="3"/>')
    return "".join(drawn)


def _in_words(row: DotRow, style: str) -> str:
    name = f"{row.group}, {row.name}" if row.group else row.name
    if not np.isfinite(row.value):
        return f"{name}: not known"
    compared = "".join(f", {known} {value:.4g}" for known, value in row.known.items())
    limits = f", from {format(row.low, style)} to {format(row.high, style)}" if np.isfinite(row.low) else ""
    return f"{name}: {format(row.value, style)}{limits}{compared}"
