"""The recorded benchmark of curvature: the page shows what was measured, and what it says of it holds."""

from __future__ import annotations

import json
from pathlib import Path

from benchmarks.curvature import table

ROOT = Path(__file__).parents[2]
RECORD = json.loads((ROOT / "benchmarks" / "results" / "curvature.json").read_text(encoding="utf-8"))


def test_the_page_shows_what_was_measured():
    assert table(RECORD) in (ROOT / "docs" / "probe.md").read_text(encoding="utf-8")


def test_products_and_traces_are_as_fast_as_the_page_says():
    assert RECORD["product"]["ratio, curvlinops"] > 2 and RECORD["product"]["ratio, double backward"] > 1.5
    assert RECORD["trace"]["ratio, fisher"] > 20
