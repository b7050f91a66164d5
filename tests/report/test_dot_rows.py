"""Rows of dots: each where its number is, long names whole, and words for who does not see them."""

from __future__ import annotations

from xml.etree import ElementTree

import numpy as np
import pytest

from dissensus.report.dot_rows import DotRow, dot_chart
from tests.facts import states


def test_dots_marks_and_intervals_share_one_scale():
    rows = [DotRow("a", 2.0, 1.0, 3.0, {"0": 1.5, "1": 2.5}), DotRow("b & c", 4.0, dots={"0": 4.0})]
    root = ElementTree.fromstring(dot_chart(rows, "score", reference=0.0, of="seed"))
    at = {node.find("title").text: float(node.get("cx")) for node in root.iter("circle")}
    step = at["a, seed 1: 2.500"] - at["a, seed 0: 1.500"]
    assert at["b & c, seed 0: 4.000"] - at["a, seed 1: 2.500"] == pytest.approx(1.5 * step, abs=0.3)
    thick = [node for node in root.iter("line") if node.get("stroke-width") == "5"]
    assert len(thick) == 1, "no interval, no line"
    assert float(thick[0].get("x2")) - float(thick[0].get("x1")) == pytest.approx(2 * step, abs=0.3)
    zero = [
        float(node.get("x1")) for node in root.iter("line") if node.get("class") == "axis" and node.get("stroke-width")
    ]
    assert len(zero) == 2 and zero[0] == pytest.approx(at["a, seed 0: 1.500"] - 1.5 * step, abs=0.3)
    assert root.get("aria-label") == "score. a: 2.000, from 1.000 to 3.000; b & c: 4.000"


def test_groups_are_above_their_rows_and_a_chart_without_numbers_is_a_sentence():
    rows = [DotRow("x", 1.0, group="clean"), DotRow("y", np.nan, group="clean"), DotRow("x", 2.0, group="odd")]
    root = ElementTree.fromstring(dot_chart(rows, "score"))
    heads = [node.text for node in root.iter("text") if node.get("font-weight")]
    assert heads == ["clean", "odd"] and "clean, y: not known" in root.get("aria-label")
    empty = ElementTree.fromstring(dot_chart([DotRow("x", np.nan)], "score"))
    assert empty.tag == "p" and not list(empty) and states(empty.text, "nothing to draw")


def test_everything_is_within_the_chart():
    rng = np.random.default_rng(0)
    rows = [DotRow(f"{'long ' * 20}{i}", *np.sort(rng.normal(size=3))[[1, 0, 2]].tolist()) for i in range(12)]
    root = ElementTree.fromstring(dot_chart(rows, "score"))
    _, _, wide, high = map(float, root.get("viewBox").split())
    for node in root.iter("line"):
        assert all(0 <= float(node.get(side)) <= wide for side in ("x1", "x2"))
        assert all(0 <= float(node.get(side)) <= high for side in ("y1", "y2"))
