"""Charts with a row for each name: values with intervals, grouped bars."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape

import numpy as np

from dissensus.report.charts import span, ticks, widen
from dissensus.report.colours import BLUE, LINES
from dissensus.report.numbers import format_number
from dissensus.report.svg import fill_attributes, shorten, svg, text_width


def interval_chart(
    rows: Sequence[tuple[str, float, float, float]],
    title: str,
    *,
    reference: float | None = None,
    style: str = ".3g",
) -> str:
    """Draw a dot with its interval for each name, and a line at a reference.

    Parameters
    ----------
    rows
        Name, value, low and high of each.
    title
        Of the axis.
    reference
        Where a dashed line is drawn, such as 0 for differences.
    style
        How numbers are written.

    Returns
    -------
    str
        SVG.

    Examples
    --------
    >>> drawing = interval_chart([("soft", -0.02, -0.03, -0.01), ("hard", 0.01, -0.01, 0.03)], "gain", reference=0.0)
    >>> drawing.count("<circle")
    2
    """
    names = [shorten(row[0], 24) for row in rows]
    left, wide = 16 + text_width(names), 220
    known = [number for row in rows for number in row[1:] if np.isfinite(number)]
    if not known:
        return "<p>nothing to draw: no number is known</p>"
    low, high = widen(span([np.asarray([*known, *([] if reference is None else [reference])])]), 0.05)
    base = 22 * len(rows) + 8

    def across(value: float) -> float:
        return left + wide * (value - low) / (high - low)

    drawn = []
    if reference is not None:
        x = across(reference)
        drawn.append(f'<line class="axis" stroke-dasharray="3 3" x1="{x:.1f}" x2="{x:.1f}" y1="2" y2="{base}"/>')
    for i, (_, value, least, most) in enumerate(rows):
        y = 22 * i + 14
        drawn.append(f'<text x="{left - 10}" y="{y + 4}" text-anchor="end">{escape(names[i])}</text>')
        if not np.isfinite(value):
            drawn.append(f'<text x="{left + wide + 12}" y="{y + 4}">{format_number(value)}</text>')
            continue
        if np.isfinite(least) and np.isfinite(most):
            ends = f'x1="{across(least):.1f}" x2="{across(most):.1f}" y1="{y}" y2="{y}"'
            drawn.append(f'<line {ends} stroke="{BLUE}" stroke-width="2"/>')
        drawn.append(
            f'<circle class="bar" cx="{across(value):.1f}" cy="{y}" r="4.5"/>'
            f'<text x="{left + wide + 12}" y="{y + 4}">{format_number(value, style)}</text>'
        )
    drawn.append(
        f'<line class="axis" x1="{left}" x2="{left + wide}" y1="{base}" y2="{base}"/>'
        f'<text x="{left + wide / 2}" y="{base + 34}" text-anchor="middle">{escape(title)}</text>'
    )
    for tick in ticks(low, high):
        x = across(tick)
        drawn.append(
            f'<line class="axis" x1="{x:.1f}" x2="{x:.1f}" y1="{base}" y2="{base + 4}"/>'
            f'<text x="{x:.1f}" y="{base + 17}" text-anchor="middle">{tick:g}</text>'
        )
    words = f"{title}: " + "; ".join(f"{name} {v:.3g}, from {lo:.3g} to {hi:.3g}" for name, v, lo, hi in rows)
    return svg(left + wide + 76, base + 42, words, "".join(drawn))


def grouped_bars(
    groups: Sequence[str],
    series: Sequence[tuple[str, Sequence[float]]],
    title: str,
    *,
    colours: Mapping[str, str] | None = None,
    counts: Sequence[int] | None = None,
    style: str = ".3f",
    wide: int = 230,
) -> str:
    """Draw one horizontal bar of each series for each group; the bars share one scale from 0.

    colours  of the series by name, the same on a whole page
    counts   how many items each group has, shown beside its name
    style    how numbers are written
    wide     length of the longest bar
    """
    labels = [_label_group(group, None if counts is None else counts[g]) for g, group in enumerate(groups)]
    left, thin = 14 + text_width(labels), 13
    width = left + wide + 66
    inks = {name: LINES[i % 6] for i, (name, _) in enumerate(series)} if colours is None else colours
    top = max([v for _, values in series for v in values if np.isfinite(v)] + [1e-12])
    drawn, y = [], 6
    for g, label in enumerate(labels):
        middle = y + thin * len(series) / 2 + 4
        drawn.append(f'<text x="{left - 8}" y="{middle:.0f}" text-anchor="end">{escape(label)}</text>')
        for name, values in series:
            long = wide * values[g] / top if np.isfinite(values[g]) else 0.0
            drawn.append(
                f'<rect {fill_attributes(name, inks)} x="{left}" y="{y}" width="{long:.1f}" height="{thin - 2}"/>'
                f'<text x="{left + 6 + long:.1f}" y="{y + thin - 3}" font-size="11">'
                f"{format_number(values[g], style)}</text>"
            )
            y += thin
        y += 8
    x = 4
    for name, _ in series:
        label = shorten(name, 18)
        if x > 4 and x + 18 + text_width([label]) > width:
            x, y = 4, y + 18
        drawn.append(
            f'<rect {fill_attributes(name, inks)} x="{x}" y="{y}" width="12" height="12"/>'
            f'<text x="{x + 18}" y="{y + 10}">{escape(label)}</text>'
        )
        x += 34 + text_width([label])
    y += 18
    counted = groups if counts is None else [f"{group} ({n:,} items)" for group, n in zip(groups, counts, strict=True)]
    words = "; ".join(
        f"{group}: " + ", ".join(f"{name} {format_number(values[g], style)}" for name, values in series)
        for g, group in enumerate(counted)
    )
    return svg(width, y + 4, f"{title}. {words}", "".join(drawn))


def _label_group(name: str, count: int | None) -> str:
    number = "" if count is None else f" (n = {count:,})"
    return shorten(name, 17 if count is None else 29 - len(number)) + number
