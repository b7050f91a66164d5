"""Small figures as inline SVG: no library, nothing fetched, readable by screen readers and in greyscale."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from html import escape

import numpy as np

from dissensus.report.colours import (
    INK,
    PAPER,
    REPORT,
    REPORT_NIGHT,
    SHADES,
    contrast,
    custom_properties,
    night_rules_of,
)
from dissensus.report.style import FIGURES


def histogram(counts: np.ndarray, title: str) -> str:
    """Draw bars over ten equal bins from 0 to 1, each with its count.

    Parameters
    ----------
    counts : (10,)
    title
        Of the axis.

    Returns
    -------
    str
        SVG.

    Examples
    --------
    >>> histogram(np.arange(10), "entropy").count("<rect")
    10
    """
    width, height, step, base = 380, 168, 35, 126
    top = max(int(counts.max(initial=0)), 1)
    drawn = []
    for i, count in enumerate(counts.tolist()):
        tall = (base - 22) * count / top
        drawn.append(
            f'<rect class="count" x="{16 + i * step}" y="{base - tall:.1f}" width="{step - 3}" height="{tall:.1f}"/>'
            + (
                f'<text x="{16 + (i + 0.46) * step:.1f}" y="{base - tall - 4:.1f}" text-anchor="middle">'
                f"{count:,}</text>"
                if count
                else ""
            )
        )
    ticks = "".join(
        f'<text x="{16 + step * x}" y="{base + 16}" text-anchor="middle">{x / 10:g}</text>' for x in (0, 5, 10)
    )
    words = f"{title}: {', '.join(f'{c:,}' for c in counts.tolist())} in ten equal bins from 0 to 1"
    axis = f'<line class="axis" x1="16" x2="{16 + 10 * step}" y1="{base + 1}" y2="{base + 1}"/>'
    name = f'<text x="{16 + 5 * step}" y="{base + 34}" text-anchor="middle">{escape(title)}</text>'
    return svg(width, height, words, "".join(drawn) + axis + ticks + name)


def bars(rows: Sequence[tuple[str, float]], title: str, colours: Mapping[str, str] | None = None) -> str:
    """Draw horizontal bars of shares, each with its name and number.

    Parameters
    ----------
    rows
        Name and share of each bar.
    title
        What is shown, for screen readers.
    colours
        Of the names; one colour for all by default.

    Returns
    -------
    str
        SVG.

    Examples
    --------
    >>> bars([("cat", 0.7), ("dog", 0.3)], "share of each class").count("<rect")
    2
    """
    left = min(126, 16 + text_width([shorten(name) for name, _ in rows]))
    width = left + 294
    top = max([share for _, share in rows] + [1e-9])
    drawn = "".join(
        f'<text x="{left - 8}" y="{20 * i + 15}" text-anchor="end">{escape(shorten(name))}</text>'
        f'<rect {fill_attributes(name, colours)} x="{left}" y="{20 * i + 4}" width="{230 * share / top:.1f}" '
        f'height="14"/><text x="{left + 6 + 230 * share / top:.1f}" y="{20 * i + 15}">{share:.1%}</text>'
        for i, (name, share) in enumerate(rows)
    )
    words = f"{title}: {', '.join(f'{name} {share:.1%}' for name, share in rows)}"
    return svg(width, 20 * len(rows) + 4, words, drawn)


def split_bar(shares: Sequence[tuple[str, float]], width: int = 560, colours: Mapping[str, str] | None = None) -> str:
    """Draw one bar divided among classes in the order given, with their names if they fit.

    colours  of the classes, the same for all bars of a page; without them the first is darkest
    """
    drawn, x = [], 0.0
    for rank, (name, share) in enumerate(shares):
        wide = width * share
        shade = SHADES[min(rank, len(SHADES) - 1)] if colours is None else colours[name]
        drawn.append(
            f'<rect {fill_attributes(name, {name: shade})} x="{x:.1f}" y="1" height="18" '
            f'width="{max(wide - 1, 0.5):.1f}">'
            f"<title>{escape(name)} {share:.0%}</title></rect>"
        )
        text = next((text for text in (f"{name} {share:.0%}", name) if 7 * len(text) + 8 <= wide), "")
        if text:
            light = ' class="light"' if contrast(shade, PAPER) > contrast(shade, INK) else ""
            drawn.append(f'<text{light} x="{x + 6:.1f}" y="14.5">{escape(text)}</text>')
        x += wide
    words = ", ".join(f"{name} {share:.0%}" for name, share in shares)
    return svg(width, 20, words, "".join(drawn))


def fill_attributes(name: str, colours: Mapping[str, str] | None) -> str:
    """Attributes of a shape with a name: its colour, and the name itself for scripts and tests."""
    if colours is None:
        return 'class="bar"'
    return f'data-of="{escape(name, quote=True)}" fill="{colours[name]}"'


def heatmap(values: np.ndarray, names: Sequence[str], title: str) -> str:
    """A square matrix of shares, darker for more, each cell with its percentage.  (k, k)"""
    k = len(names)
    across = text_width([shorten(name, 12) for name in names])
    cell, left, top = 36, min(118, 16 + text_width([shorten(name) for name in names])), min(84, 20 + 7 * across // 10)
    drawn = []
    for i, name in enumerate(names):
        y = top + i * cell
        drawn.append(f'<text x="{left - 8}" y="{y + 22}" text-anchor="end">{escape(shorten(name))}</text>')
        x = left + i * cell + 22
        drawn.append(f'<text transform="translate({x},{top - 8}) rotate(-45)">{escape(shorten(name, 12))}</text>')
        for j in range(k):
            share = float(values[i, j])
            ink = ' class="on-map"' if share > 0.5 else ""
            drawn.append(
                f'<rect class="map" x="{left + j * cell}" y="{y}" width="{cell - 1}" height="{cell - 1}" '
                f'fill-opacity="{_strength(share):.3f}"/>'
                + (
                    f'<text{ink} x="{left + j * cell + 17.5}" y="{y + 22}" text-anchor="middle">'
                    f"{100 * share:.0f}</text>"
                    if share >= 0.005
                    else ""
                )
            )
    words = "; ".join(
        f"{names[i]}: " + ", ".join(f"{names[j]} {values[i, j]:.0%}" for j in range(k) if values[i, j] >= 0.005)
        for i in range(k)
    )
    return svg(left + k * cell + min(60, 7 * across // 10), top + k * cell + 4, f"{title}. {words}", "".join(drawn))


def shorten(name: str, most: int = 17) -> str:
    return name if len(name) <= most else name[: most - 1] + "…"


def text_width(texts: Iterable[str]) -> int:
    """Estimate the width of the widest text of a figure in pixels; ideographs are twice as wide."""
    return max((sum(13 if ord(c) > 0x2E7F else 9 if c.isupper() else 7 for c in text) for text in texts), default=0)


def _strength(share: float) -> float:
    """The paper's colour at 0 to the full one at 1, by the square root so that rare confusions can be seen."""
    return min(max(share, 0.0), 1.0) ** 0.5


def svg(width: int, height: int, words: str, drawn: str) -> str:
    """An SVG element with a description in words; if there is room it grows by up to 30%."""
    return (
        f'<svg role="img" aria-label="{escape(words, quote=True)}" width="{width}" height="{height}" '
        f'viewBox="0 0 {width} {height}" style="max-width:min(100%,{1.3 * width:.0f}px)">{drawn}</svg>'
    )


def as_file(drawn: str) -> str:
    """Turn a drawing into a file of its own, which follows the reader's light or dark theme.

    It brings its own paper, so that it can be read on any page.

    Parameters
    ----------
    drawn
        SVG, as the charts make it.

    Returns
    -------
    str
        Text of an SVG file.

    Examples
    --------
    >>> as_file(bars([("cat", 0.7), ("dog", 0.3)], "share")).startswith('<svg xmlns="http://www.w3.org/2000/svg"')
    True
    """
    style = FIGURES.replace(".dissensus svg{display:block;height:auto}", "").replace(".dissensus svg ", "")
    style = (
        f"svg{{{custom_properties(REPORT)}}}{style}.paper{{fill:var(--paper)}}"
        f"@media(prefers-color-scheme:dark){{svg{{{custom_properties(REPORT_NIGHT)}}}{night_rules_of(drawn)}}}"
    )
    drawn = drawn.replace("<svg ", '<svg xmlns="http://www.w3.org/2000/svg" ', 1)
    paper = '<rect class="paper" width="100%" height="100%"/>'
    return drawn.replace(">", f"><style>{style}</style>{paper}", 1) + "\n"
