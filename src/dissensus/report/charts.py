"""Charts with axes: curves and dots."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape

import numpy as np

from dissensus.labels.display import shapes
from dissensus.report.colours import LINES
from dissensus.report.svg import fill_attributes, shorten, svg

DASHES = ("", "7 4", "2 3", "9 3 2 3", "4 2", "1 2")
WIDTH, HEIGHT, LEFT, RIGHT, TOP, BASE = 460, 300, 58, 16, 14, 248


@dataclass(frozen=True)
class Line:
    """A named curve, with an interval around it if `low` and `high` are given.

    Parameters
    ----------
    name
        Shown in the legend.
    x, y, low, high : (points,)
    colour
        The one that its name has on the page; by its place among the lines by default.

    Examples
    --------
    >>> Line("soft labels", np.arange(3), np.array([0.9, 0.7, 0.6])).name
    'soft labels'
    """

    name: str
    x: np.ndarray
    y: np.ndarray
    low: np.ndarray | None = None
    high: np.ndarray | None = None
    colour: str = ""

    __repr__ = shapes


def line_chart(
    lines: Sequence[Line],
    x_title: str,
    y_title: str,
    *,
    x_range: tuple[float, float] | None = None,
    y_range: tuple[float, float] | None = None,
    diagonal: bool = False,
    marks: bool = True,
) -> str:
    """Draw curves with a legend below.

    Parameters
    ----------
    lines
        The curves; those without a finite number are left out.
    x_title, y_title
        Titles of the axes.
    x_range, y_range
        Ends of the axes; those of the numbers by default.
    diagonal
        Draw the line on which y equals x, as in a reliability diagram.
    marks
        Draw a dot at each point.

    Returns
    -------
    str
        SVG.

    Examples
    --------
    >>> line_chart([Line("soft", np.arange(3), np.array([0.9, 0.7, 0.6]))], "epoch", "loss").count("<polyline")
    1
    """
    known = [line for line in lines if np.isfinite(np.asarray(line.y, dtype=np.float64)).any()]
    if not known:
        return "<p>nothing to draw: no number is known</p>"
    frame = _Frame(
        x_range or span([line.x for line in known]),
        y_range or span([v for line in known for v in (line.y, line.low, line.high) if v is not None]),
    )
    drawn = [frame.axes(x_title, y_title)]
    if diagonal:
        drawn.append(frame.diagonal())
    for i, line in enumerate(known):
        drawn.append(_curve(frame, line, i, marks))
    beside, most = (2, 24) if all(len(line.name) <= 24 for line in known) else (1, 52)
    rows = -(-len(known) // beside)
    for i, line in enumerate(known):
        x, y = LEFT + 200 * (i % beside), BASE + 52 + 18 * (i // beside)
        drawn.append(
            f'<line {_data(line)} x1="{x}" x2="{x + 24}" y1="{y - 4}" y2="{y - 4}" stroke="{_ink(line, i)}" '
            f'stroke-width="2.5" stroke-dasharray="{DASHES[i % 6]}"/>'
            f'<text x="{x + 30}" y="{y}">{escape(shorten(line.name, most))}</text>'
        )
    ends = "; ".join(f"{line.name}: {_ends(line)}" for line in known)
    return svg(WIDTH, HEIGHT + 18 * rows, f"{y_title} over {x_title}. {ends}", "".join(drawn))


def scatter(
    x: np.ndarray,
    y: np.ndarray,
    names: Sequence[str],
    x_title: str,
    y_title: str,
    *,
    x_range: tuple[float, float] | None = None,
    y_range: tuple[float, float] | None = None,
    diagonal: bool = False,
    colours: Mapping[str, str] | None = None,
    of: str = "",
) -> str:
    """Draw a dot for each pair of numbers, named when pointed at; pairs with NaN are left out.

    Parameters
    ----------
    x, y : (n,)
    names
        One per pair.
    x_title, y_title
        Titles of the axes.
    x_range, y_range
        Ends of the axes; those of the numbers by default.
    diagonal
        Draw the line on which y equals x.
    colours, of
        All dots have the colour of the name `of`.

    Returns
    -------
    str
        SVG.

    Examples
    --------
    >>> scatter(np.array([0.1, 0.9]), np.array([0.2, 0.8]), ["a", "b"], "agreement", "skill").count("<circle")
    2
    """
    known = np.flatnonzero(np.isfinite(x) & np.isfinite(y))
    if not known.size:
        return "<p>nothing to draw: no pair of numbers is known</p>"
    frame = _Frame(x_range or widen(span([x[known]]), 0.04), y_range or widen(span([y[known]]), 0.04))
    dots = []
    for i in known.tolist():
        across, up = frame.at(x[i], y[i])
        dots.append(
            f'<circle cx="{across}" cy="{up}" r="4"><title>{escape(names[i])}: {escape(x_title)} {x[i]:.3g}, '
            f"{escape(y_title)} {y[i]:.3g}</title></circle>"
        )
    words = (
        f"{y_title} against {x_title} of {known.size}: {x_title} from {x[known].min():.3g} to {x[known].max():.3g}, "
        f"{y_title} from {y[known].min():.3g} to {y[known].max():.3g}"
    )
    look = fill_attributes(of, colours)
    body = f'<g {look} fill-opacity="{0.55 if known.size < 200 else 0.4}">{"".join(dots)}</g>'
    line = frame.diagonal() if diagonal else ""
    return svg(WIDTH, HEIGHT, words, frame.axes(x_title, y_title) + line + body)


@dataclass(frozen=True)
class _Frame:
    """Where numbers fall on the paper."""

    x: tuple[float, float]
    y: tuple[float, float]

    def at(self, x: float, y: float) -> tuple[float, float]:
        across = LEFT + (WIDTH - LEFT - RIGHT) * (x - self.x[0]) / (self.x[1] - self.x[0])
        return round(across, 1), round(BASE - (BASE - TOP) * (y - self.y[0]) / (self.y[1] - self.y[0]), 1)

    def diagonal(self) -> str:
        low, high = max(self.x[0], self.y[0]), min(self.x[1], self.y[1])
        (x1, y1), (x2, y2) = self.at(low, low), self.at(high, high)
        return f'<line class="axis" stroke-dasharray="3 3" x1="{x1}" y1="{y1}" x2="{x2}" y2="{y2}"/>'

    def axes(self, x_title: str, y_title: str) -> str:
        drawn = [
            f'<line class="axis" x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{BASE}" y2="{BASE}"/>'
            f'<line class="axis" x1="{LEFT}" x2="{LEFT}" y1="{TOP}" y2="{BASE}"/>'
        ]
        for value in ticks(*self.x):
            x, _ = self.at(value, self.y[0])
            drawn.append(
                f'<line class="axis" x1="{x}" x2="{x}" y1="{BASE}" y2="{BASE + 4}"/>'
                f'<text x="{x}" y="{BASE + 17}" text-anchor="middle">{value:g}</text>'
            )
        for value in ticks(*self.y):
            _, y = self.at(self.x[0], value)
            drawn.append(
                f'<line class="axis" x1="{LEFT - 4}" x2="{LEFT}" y1="{y}" y2="{y}"/>'
                f'<text x="{LEFT - 7}" y="{y + 4:.1f}" text-anchor="end">{value:g}</text>'
            )
        drawn.append(
            f'<text x="{(LEFT + WIDTH) / 2:.0f}" y="{BASE + 35}" text-anchor="middle">{escape(x_title)}</text>'
            f'<text transform="translate(13,{BASE / 2:.0f}) rotate(-90)" text-anchor="middle">{escape(y_title)}</text>'
        )
        return "".join(drawn)


def _curve(frame: _Frame, line: Line, place: int, marks: bool) -> str:
    ink, drawn = _ink(line, place), []
    x, y = (np.asarray(values, dtype=np.float64) for values in (line.x, line.y))
    known = np.flatnonzero(np.isfinite(x) & np.isfinite(y))
    if line.low is not None and line.high is not None:
        both = known[np.isfinite(line.low[known]) & np.isfinite(line.high[known])]
        edge = [frame.at(x[i], line.low[i]) for i in both] + [frame.at(x[i], line.high[i]) for i in both[::-1]]
        drawn.append(f'<polygon fill="{ink}" fill-opacity="0.16" points="{" ".join(f"{a},{b}" for a, b in edge)}"/>')
    points = [frame.at(x[i], y[i]) for i in known]
    drawn.append(
        f'<polyline {_data(line)} fill="none" stroke="{ink}" stroke-width="2" stroke-dasharray="{DASHES[place % 6]}" '
        f'points="{" ".join(f"{a},{b}" for a, b in points)}"/>'
    )
    if marks:
        drawn += [
            f'<circle cx="{a}" cy="{b}" r="3" fill="{ink}">'
            f"<title>{escape(line.name)}: {x[i]:.4g}, {y[i]:.4g}</title></circle>"
            for (a, b), i in zip(points, known.tolist(), strict=True)
        ]
    return "".join(drawn)


def _ink(line: Line, place: int) -> str:
    return line.colour or LINES[place % 6]


def _data(line: Line) -> str:
    return f'data-of="{escape(line.name, quote=True)}"'


def _ends(line: Line) -> str:
    x, y = (np.asarray(values, dtype=np.float64) for values in (line.x, line.y))
    known = np.flatnonzero(np.isfinite(y))
    first, last = known[0], known[-1]
    return f"{y[first]:.3g} at {x[first]:.3g} to {y[last]:.3g} at {x[last]:.3g}"


def span(arrays: Sequence[np.ndarray]) -> tuple[float, float]:
    """From the least to the largest finite number, or a little around a single one."""
    values = np.concatenate([np.ravel(np.asarray(a, dtype=np.float64)) for a in arrays])
    values = values[np.isfinite(values)]
    low, high = float(values.min()), float(values.max())
    return (low, high) if high > low else (low - 0.5, high + 0.5)


def widen(ends: tuple[float, float], share: float) -> tuple[float, float]:
    """A little more than the range of the numbers, so that no mark is at the end of an axis."""
    margin = share * (ends[1] - ends[0])
    return ends[0] - margin, ends[1] + margin


def ticks(low: float, high: float) -> list[float]:
    """Two to six round numbers between two."""
    step = 10.0 ** np.floor(np.log10((high - low) / 3))
    step *= next(f for f in (1, 2, 5, 10) if (high - low) / (f * step) <= 5)
    first = np.ceil(low / step - 1e-9)
    return [round(float(step * i), 12) + 0.0 for i in np.arange(first, np.floor(high / step + 1e-9) + 1)]
