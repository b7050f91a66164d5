"""Maps: a value for each pair of numbers, darker for more."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

import numpy as np

from dissensus.report.charts import LEFT, RIGHT, TOP
from dissensus.report.colours import BLUE, MAP_ENDS, ORANGE, PAPER, blend
from dissensus.report.svg import svg


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
