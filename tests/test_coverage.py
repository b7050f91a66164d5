"""The benchmark that counts how often intervals hold the truth, and the page that shows what it counted."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from benchmarks.coverage import RECORD, cases_of, families, is_too_low, summary, table, with_tables

ROOT = Path(__file__).parent.parent
PAGE = ROOT / "docs" / "intervals.md"


def test_what_is_counted_of_four_intervals():
    """Truth 1: one holds it, one is below, one above without its own value, and one does not exist."""
    rows = np.array(
        [
            [1.1, 0.5, 2.0, 0.4, 0.95],
            [0.5, 0.2, 0.8, 0.2, 0.95],
            [1.3, 1.4, 1.5, 0.3, 0.95],
            [2.0, np.nan, np.nan, np.nan, 0.95],
        ]
    )
    facts = summary(1.0, rows)
    assert facts["coverage"] == pytest.approx(1 / 3, abs=1e-6) and is_too_low(facts)
    assert (facts["all below truth"], facts["all above truth"]) == (1, 1)
    assert (facts["own value outside"], facts["undefined"]) == (1, 1)
    assert facts["mean width"] == pytest.approx((1.5 + 0.6 + 0.1) / 3, abs=1e-6)
    assert facts["bias"] == pytest.approx((2.9 / 3 - 1) / 0.3, abs=1e-5)
    assert facts["error"] == pytest.approx(np.sqrt(3 / 7 * 4 / 7 / 3), abs=1e-6)


def test_an_interval_with_the_coverage_that_it_claims_is_not_flagged():
    """Student's interval of five normal numbers, 2,000 times: three standard errors are 1.5 points."""
    numbers = np.random.default_rng(0).normal(size=(2000, 5))
    mean, error = numbers.mean(axis=1), numbers.std(axis=1, ddof=1) / np.sqrt(5)
    half = 2.7764 * error
    facts = summary(0.0, np.column_stack([mean, mean - half, mean + half, error, np.full(2000, 0.95)]))
    assert facts["coverage"] == pytest.approx(0.95, abs=0.015) and not is_too_low(facts)
    assert abs(facts["bias"]) < 0.1 and facts["error"] == pytest.approx(0.005, abs=0.001)


def test_a_run_goes_on_where_it_stopped_and_replaces_only_its_family(tmp_path):
    record = tmp_path / "coverage.json"
    record.write_text(json.dumps({"families": {"old": {"commit": "abc", "cases": []}}}), encoding="utf-8")
    call = [sys.executable, "-m", "benchmarks.coverage", "--family", "seeds", "--repetitions", "20", "-o", str(record)]
    environment = os.environ | {"PYTHONPATH": str(ROOT / "src")}
    said = [subprocess.run(call, cwd=ROOT, env=environment, check=True, capture_output=True, text=True)]
    first = json.loads(record.read_text(encoding="utf-8"))
    assert list(first["families"]) == ["old", "seeds"]
    cases = first["families"]["seeds"]["cases"]
    assert [case["world"] for case in cases] == [case.world for case in cases_of("seeds")]
    # Marks a case that was drawn, so that drawing it again would show; the other is missing, as after a stop.
    cases[0]["cpu seconds"] = 1234.0
    del cases[1]
    record.write_text(json.dumps(first), encoding="utf-8")
    said.append(subprocess.run(call, cwd=ROOT, env=environment, check=True, capture_output=True, text=True))
    again = json.loads(record.read_text(encoding="utf-8"))["families"]["seeds"]["cases"]
    assert again[0]["cpu seconds"] == 1234.0 and len(again) == len(cases) + 1
    tables = [each.stdout.split("\n\n", 1)[1].strip() for each in said]
    assert tables[0] == tables[1]  # the same seeds give the same numbers


def test_the_page_on_intervals_shows_what_was_recorded():
    record = json.loads(RECORD.read_text(encoding="utf-8"))
    page = PAGE.read_text(encoding="utf-8")
    assert page == with_tables(page, record), "python -m benchmarks.coverage writes the tables of the page"
    assert list(record["families"]) == families()
    for name, family in record["families"].items():
        assert table(family) in page
        assert family["commit"] != "unfinished", f"{name} was stopped: run the benchmark again"
        assert len({case["code"] for case in family["cases"]}) == 1, f"{name} was drawn by several versions"
