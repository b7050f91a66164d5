"""Charts with axes: curves, dots, and maps over two numbers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape

import numpy as np

from dissensus.labels.display import shapes
from dissensus.report.colours import BLUE, LINES, MAP_ENDS, ORANGE, PAPER, blend
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
    rows = (len(known) + 1) // 2
    for i, line in enumerate(known):
        x, y = LEFT + 200 * (i % 2), BASE + 52 + 18 * (i // 2)
        drawn.append(
            f'<line {_named(line)} x1="{x}" x2="{x + 24}" y1="{y - 4}" y2="{y - 4}" stroke="{_ink(line, i)}" '
            f'stroke-width="2.5" stroke-dasharray="{DASHES[i % 6]}"/>'
            f'<text x="{x + 30}" y="{y}">{escape(shorten(line.name, 24))}</text>'
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
    frame = _Frame(x_range or _wide(span([x[known]])), y_range or _wide(span([y[known]])))
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


def grid_map(
    values: np.ndarray,
    x: Sequence[float],
    y: Sequence[float],
    x_title: str,
    y_title: str,
    title: str,
    *,
    low: float,
    high: float,
    mark: Sequence[float] | np.ndarray | None = None,
    ends: tuple[str, str] | None = None,
) -> str:
    """Draw a map with a value for each pair of numbers, darker for more; NaN stays empty.

    Parameters
    ----------
    values : (len(y), len(x))
    x, y
        Numbers along the axes; y upwards.
    x_title, y_title, title
        Titles of the axes and of the map.
    low, high
        Values that are lightest and darkest.
    mark
        Pair (x, y), or (m, 2) such pairs, whose nearest cells are ringed.
    ends
        Names of the two ends of the scale; `low` and `high` by default.

    Returns
    -------
    str
        SVG.

    Examples
    --------
    >>> "rotate(-90)" in grid_map(np.eye(2), [1, 2], [1, 2], "items", "classes", "gain", low=0.0, high=1.0)
    True
    """
    cells = np.asarray(values, dtype=np.float64)
    assert cells.shape == (len(y), len(x))
    side = 300 / max(len(x), len(y))
    wide, tall = side * len(x), side * len(y)
    base = TOP + 18 + tall
    drawn = [f'<text x="{LEFT}" y="{TOP + 4}" font-weight="600">{escape(title)}</text>']
    for i, j in np.argwhere(np.isfinite(cells)).tolist():
        shade = _shade((cells[i, j] - low) / (high - low) if high > low else 0.0)
        drawn.append(
            f'<rect x="{LEFT + j * side:.1f}" y="{base - (i + 1) * side:.1f}" width="{side:.2f}" height="{side:.2f}" '
            f'fill="{shade}"/>'
        )
    drawn.append(
        f'<rect x="{LEFT}" y="{base - tall:.1f}" width="{wide:.1f}" height="{tall:.1f}" fill="none" class="axis"/>'
        f"{_grid_ticks(x, side, base, across=True)}{_grid_ticks(y, side, base, across=False)}"
        f'<text x="{LEFT + wide / 2:.0f}" y="{base + 33:.0f}" text-anchor="middle">{escape(x_title)}</text>'
        f'<text transform="translate(14,{base - tall / 2:.0f}) rotate(-90)" text-anchor="middle">'
        f"{escape(y_title)}</text>"
    )
    for mark_x, mark_y in np.reshape([] if mark is None else mark, (-1, 2)):
        j, i = int(np.abs(np.asarray(x) - mark_x).argmin()), int(np.abs(np.asarray(y) - mark_y).argmin())
        ring = (
            f'cx="{LEFT + (j + 0.5) * side:.1f}" cy="{base - (i + 0.5) * side:.1f}" r="{max(side, 7):.1f}" fill="none"'
        )
        drawn.append(f'<g><circle {ring} stroke="{PAPER}" stroke-width="6"/>')
        drawn.append(f'<circle {ring} stroke="{ORANGE}" stroke-width="3"/></g>')
    drawn.append(_scale(LEFT, base + 44, low, high, ends))
    finite = cells[np.isfinite(cells)]
    words = f"{title}, {y_title} by {x_title}"
    words += f": from {finite.min():.3g} to {finite.max():.3g}" if finite.size else ": nothing known"
    return svg(round(LEFT + wide + RIGHT), round(base + 78), words, "".join(drawn))


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


def _grid_ticks(values: Sequence[float], side: float, base: float, *, across: bool) -> str:
    """Marks at the middles of up to five cells, the first and the last among them, each with its number."""
    drawn = []
    for place in np.unique(np.linspace(0, len(values) - 1, min(len(values), 5)).round().astype(int)).tolist():
        middle = (place + 0.5) * side
        if across:
            x = LEFT + middle
            drawn.append(
                f'<line class="axis" x1="{x:.1f}" x2="{x:.1f}" y1="{base:.1f}" y2="{base + 4:.1f}"/>'
                f'<text x="{x:.1f}" y="{base + 17:.0f}" text-anchor="middle">{values[place]:g}</text>'
            )
        else:
            y = base - middle
            drawn.append(
                f'<line class="axis" x1="{LEFT - 4}" x2="{LEFT}" y1="{y:.1f}" y2="{y:.1f}"/>'
                f'<text x="{LEFT - 7}" y="{y + 4:.0f}" text-anchor="end">{values[place]:g}</text>'
            )
    return "".join(drawn)


def _wide(ends: tuple[float, float]) -> tuple[float, float]:
    """A little more than the range of the numbers, so that no dot lies on an axis."""
    margin = 0.04 * (ends[1] - ends[0])
    return ends[0] - margin, ends[1] + margin


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
        f'<polyline {_named(line)} fill="none" stroke="{ink}" stroke-width="2" stroke-dasharray="{DASHES[place % 6]}" '
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


def _named(line: Line) -> str:
    return f'data-of="{escape(line.name, quote=True)}"'


def _ends(line: Line) -> str:
    x, y = (np.asarray(values, dtype=np.float64) for values in (line.x, line.y))
    known = np.flatnonzero(np.isfinite(y))
    first, last = known[0], known[-1]
    return f"{y[first]:.3g} at {x[first]:.3g} to {y[last]:.3g} at {x[last]:.3g}"


def _scale(x: float, y: float, low: float, high: float, ends: tuple[str, str] | None) -> str:
    steps = "".join(
        f'<rect x="{x + 12 * i}" y="{y:.0f}" width="12" height="10" fill="{_shade(i / 14)}"/>' for i in range(15)
    )
    left, right = ends or (f"{low:.3g}", f"{high:.3g}")
    return (
        f'{steps}<text x="{x}" y="{y + 24:.0f}">{escape(left)}</text>'
        f'<text x="{x + 180}" y="{y + 24:.0f}" text-anchor="end">{escape(right)}</text>'
    )


def _shade(amount: float) -> str:
    """Near white at 0, the full blue at about two thirds, near black at 1: lightness alone shows the order."""
    amount = min(max(float(amount), 0.0), 1.0)
    pale, dark = MAP_ENDS
    shade = blend(pale, BLUE, amount / 0.65) if amount < 0.65 else blend(BLUE, dark, (amount - 0.65) / 0.35)
    return shade.upper()  # so that pages do not exchange a shade by night that equals a colour of data


def span(arrays: Sequence[np.ndarray]) -> tuple[float, float]:
    """From the least to the largest finite number, or a little around a single one."""
    values = np.concatenate([np.ravel(np.asarray(a, dtype=np.float64)) for a in arrays])
    values = values[np.isfinite(values)]
    low, high = float(values.min()), float(values.max())
    return (low, high) if high > low else (low - 0.5, high + 0.5)


def ticks(low: float, high: float) -> list[float]:
    """Three to six round numbers between two."""
    step = 10.0 ** np.floor(np.log10((high - low) / 3))
    step *= next(f for f in (1, 2, 5, 10) if (high - low) / (f * step) <= 5)
    first = np.ceil(low / step - 1e-9)
    return [round(float(step * i), 12) + 0.0 for i in np.arange(first, np.floor(high / step + 1e-9) + 1)]
