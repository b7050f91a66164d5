"""The recorded benchmark of curvature: the page shows what was measured, and what it says of it holds."""

from __future__ import annotations

import json
from pathlib import Path

from benchmarks.curvature import table
from tests.facts import states

ROOT = Path(__file__).parents[2]
RECORD = json.loads((ROOT / "benchmarks" / "results" / "curvature.json").read_text(encoding="utf-8"))


def test_the_page_shows_what_was_measured():
    assert table(RECORD) in (ROOT / "docs" / "probe.md").read_text(encoding="utf-8")


def test_products_and_traces_are_as_fast_as_the_page_says():
    assert RECORD["product"]["ratio, curvlinops"] > 2 and RECORD["product"]["ratio, double backward"] > 1.5
    assert RECORD["trace"]["ratio, fisher"] > 20


def test_the_largest_eigenvalue_is_as_fast_as_the_page_says():
    networks = RECORD["lambda max"].values()
    ratios = sorted(run["ratio"] for run in networks)
    middle, typical = RECORD["lambda max, median ratio"], RECORD["lambda max, median ratio of medians"]
    assert middle > 6
    paragraphs = (ROOT / "docs" / "probe.md").read_text(encoding="utf-8").split("\n\n")
    (paragraph,) = (text for part in paragraphs if f"{middle:.1f} times" in (text := " ".join(part.split())))
    assert states(paragraph, f"{ratios[0]:.1f} to {ratios[-1]:.1f}", f"{typical:.1f} times")
    off = [start["off"] for run in networks for start in run["starts"]["power iteration"]]
    assert states(paragraph, f"{sum(gap > 1e-3 for gap in off)} of {len(off)} runs")
    assert max(start["off"] for run in networks for start in run["starts"]["lanczos"]) <= 1e-3
