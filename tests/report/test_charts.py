"""Charts are well-formed pictures that also tell their numbers in words."""

from __future__ import annotations

import re
from xml.etree import ElementTree

import numpy as np
import pytest

from dissensus.report.charts import Line, line_chart
from dissensus.report.maps import grid_map
from dissensus.report.named_rows import grouped_bars, interval_chart

X = np.array([0.0, 0.5, 1.0])
CHARTS = {
    "lines": line_chart(
        [Line("a <b>", X, X**2), Line("c", X, np.array([0.1, np.nan, 0.3]), X - 0.1, X + 0.1)],
        "x & y",
        "score",
        diagonal=True,
    ),
    "flat line": line_chart([Line("same", X, np.full(3, 0.25))], "x", "y"),
    "map": grid_map(
        np.array([[0.0, np.nan], [0.5, 1.0]]), [3, 6], [5, 10], "items", "classes", "rho <", low=0, high=1, mark=(6, 10)
    ),
    "intervals": interval_chart([("one", 0.2, 0.1, 0.3), ("none", np.inf, np.nan, np.nan)], "KL", reference=0.15),
    "bars": grouped_bars(["low", "high"], [("soft", [0.1, 0.2]), ("hard", [0.3, np.nan])], "KL by slice"),
}


@pytest.mark.parametrize("name", CHARTS)
def test_a_chart_is_one_picture_with_a_text_for_those_who_do_not_see_it(name):
    root = ElementTree.fromstring(CHARTS[name])
    assert root.get("role") == "img" and len(root.get("aria-label")) > 10
    assert "nan" not in "".join(value for node in root.iter() for key, value in node.items() if key != "aria-label")


def test_names_are_escaped():
    assert "a &lt;b&gt;" in CHARTS["lines"] and "<b>" not in CHARTS["lines"]


def test_the_text_of_a_curve_names_its_ends():
    assert "0 at 0 to 1 at 1" in CHARTS["lines"] and "0.1 at 0 to 0.3 at 1" in CHARTS["lines"]


def test_a_missing_cell_is_left_empty_and_the_marked_one_is_ringed():
    root = ElementTree.fromstring(CHARTS["map"])
    assert sum(node.tag == "rect" for node in root) == 3 + 1 + 15  # cells, frame, scale
    assert sum(node.tag == "g" for node in root) == 1


def test_nothing_known_is_said_in_words():
    assert "nothing to draw" in line_chart([Line("a", X, np.full(3, np.nan))], "x", "y")
    assert "nothing to draw" in interval_chart([("a", np.nan, np.nan, np.nan)], "KL")


def test_labels_of_rows_have_room_inside_the_drawing():
    """A label is at most as wide as the room left of the axis; short names leave no empty gutter."""
    long = interval_chart([("majority | smoothed=0.1", 0.2, 0.1, 0.3)], "KL", style="+.4f")
    place = float(re.findall(r'<text x="([\d.]+)" y="[\d.]+" text-anchor="end">majority \| smoothed=0.1<', long)[0])
    assert place >= 6 * len("majority | smoothed=0.1") and ">+0.2000<" in long
    short = interval_chart([("a", 0.2, 0.1, 0.3)], "KL")
    assert width_of(short) < width_of(long)


def test_no_interval_touches_the_ends_of_its_axis():
    """A twentieth of the range of the numbers is left on both sides, also beside a reference that is outermost."""
    root = ElementTree.fromstring(interval_chart([("a", 0.2, 0.1, 0.3), ("b", 0.4, 0.2, 0.5)], "KL", reference=0.0))
    lines = [line for line in root.iter("line") if line.get("y1") == line.get("y2")]
    (axis,) = (line for line in lines if line.get("class") == "axis")
    left, right = float(axis.get("x1")), float(axis.get("x2"))
    marks = [float(line.get(end)) for line in root.iter("line") if line is not axis for end in ("x1", "x2")]
    margin = 0.05 * (right - left) / 1.1
    assert min(marks) == pytest.approx(left + margin, abs=0.1) and max(marks) == pytest.approx(right - margin, abs=0.1)


def test_a_legend_of_long_names_has_one_name_per_line():
    names = [f"3 votes · aggregation shrinkage · {end}" for end in ("soft", "majority")]
    drawn = line_chart([Line(name, np.arange(2), np.arange(2.0)) for name in names], "epoch", "loss")
    places = [re.findall(rf'<text x="([\d.]+)" y="([\d.]+)">{name}<', drawn)[0] for name in names]
    assert places[0][0] == places[1][0] and float(places[1][1]) - float(places[0][1]) == 18


def test_bars_write_all_numbers_alike():
    drawn = grouped_bars(["cat"], [("soft", [1.0]), ("hard", [0.00093])], "share", style=".2f", wide=150)
    assert re.findall(r'font-size="11">([^<]+)<', drawn) == ["1.00", "0.00"]


def width_of(drawn: str) -> float:
    return float(re.findall(r'<svg[^>]* width="([\d.]+)"', drawn)[0])
