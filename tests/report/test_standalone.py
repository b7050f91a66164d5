"""Figures as files of their own: they follow the reader's theme, and bring their own paper."""

from __future__ import annotations

import re
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest

from dissensus.report.charts import Line, line_chart, scatter
from dissensus.report.colours import NIGHT, REPORT, REPORT_NIGHT
from dissensus.report.maps import grid_map
from dissensus.report.svg import as_file, bars, histogram

DOCS = Path(__file__).parent.parent.parent / "docs"
X = np.array([0.0, 0.5, 1.0])
DRAWINGS = {
    "lines": line_chart([Line("a", X, X), Line("b", X, 1 - X)], "x", "y"),
    "dots": scatter(X, X, ["p", "q", "r"], "x", "y"),
    "map": grid_map(np.outer(X, X), X, X, "x", "y", "product", low=0.0, high=1.0),
    "bars": bars([("cat", 0.7), ("dog", 0.3)], "share"),
    "histogram": histogram(np.arange(10), "entropy"),
}


@pytest.mark.parametrize("drawing", DRAWINGS.values(), ids=DRAWINGS)
def test_a_file_has_the_colours_of_day_and_night_and_no_style_from_a_page(drawing):
    text = as_file(drawing)
    root = ElementTree.fromstring(text)
    style = root[0].text
    day, night = style.split("@media(prefers-color-scheme:dark)")
    assert all(f"--{name}:{colour}" in day for name, colour in REPORT.items())
    assert all(f"--{name}:{colour}" in night for name, colour in REPORT_NIGHT.items())
    assert ".dissensus" not in style and root[1].get("class") == "paper"
    used = {colour for colour in NIGHT if f'="{colour}"' in drawing}
    assert all(NIGHT[colour] in night for colour in used)


@pytest.mark.parametrize("drawing", [DRAWINGS["dots"], DRAWINGS["map"]], ids=["dots", "map"])
def test_both_axes_have_ticks_with_numbers(drawing):
    root = ElementTree.fromstring(drawing)
    marks = [line for line in root.iter("line") if line.get("class") == "axis"]
    short = [line for line in marks if _length(line) <= 4.01]
    across = [line for line in short if line.get("x1") == line.get("x2")]
    assert len(across) >= 3 and len(short) - len(across) >= 3
    numbers = [text.text for text in root.iter("text") if re.fullmatch(r"-?[\d.]+", text.text or "")]
    assert len(numbers) >= len(short)


def test_every_figure_of_the_documentation_follows_the_theme():
    files = sorted(DOCS.rglob("*.svg"))
    assert len(files) > 80
    for path in files:
        text = path.read_text(encoding="utf-8")
        ElementTree.fromstring(text)
        assert "@media(prefers-color-scheme:dark)" in text and 'class="paper"' in text, path.name


def _length(line: ElementTree.Element) -> float:
    ends = [float(line.get(name)) for name in ("x1", "x2", "y1", "y2")]
    return abs(ends[0] - ends[1]) + abs(ends[2] - ends[3])
