"""The recorded benchmark of allocation: the page shows what was measured, and what it says of it holds."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from benchmarks.allocation import savings_rows
from benchmarks.allocation_sets import ASIDE, CROWDS, TUNING, find_crossing, relative_votes, table, with_interval

ROOT = Path(__file__).parents[2]
RECORD = json.loads((ROOT / "benchmarks" / "results" / "allocation.json").read_text(encoding="utf-8"))
PAGE = (ROOT / "docs" / "plan.md").read_text(encoding="utf-8")
CASES = [(name, depth) for name, (_, depths) in (TUNING | ASIDE).items() for depth in depths]
CASES += [(name, depth) for name, depths in CROWDS.items() for depth in depths]


def runs(name: str) -> list[dict]:
    return list(RECORD[f"set: {name}"].values())


def test_the_page_shows_what_was_measured():
    for row in (*table(RECORD), *savings_rows(RECORD)):
        assert row in PAGE


def test_the_quarter_that_is_saved_on_cifar10h_stays():
    """Trusting the prior from the first vote on, it was 75% and 78% of the votes of uniform asking."""
    rows = [row for row in savings_rows(RECORD) if row.startswith("| the same shrinkage |")]
    shares = [int(row.split("|")[4].split("(")[1].split("%")[0]) for row in rows]
    assert max(shares) <= 80


@pytest.mark.parametrize(("name", "depth"), CASES)
def test_choosing_never_needs_more_votes_than_uniform_asking_by_more_than_noise(name, depth):
    value, low, _ = with_interval(runs(name), "ours", depth)
    assert low <= 1 and value < 1.05


def test_the_seeds_were_kept_aside():
    assert all(int(seed) >= 1000 for name, _ in CASES for seed in RECORD[f"set: {name}"])


def test_ways_that_ask_alike_need_the_same_though_chance_bends_their_curve():
    spent, bent = np.array([1.0, 2.0, 3.0, 4.0]), np.array([0.5, 0.3, 0.32, 0.2])
    run = {"spent": spent.tolist(), "uniform": bent.tolist(), "ours": bent.tolist()}
    assert relative_votes([run], "ours", 3) == 1
    assert np.isclose(find_crossing(spent, np.array([0.5, 0.4, 0.2, 0.1]), 3, 0.3), 2.5)
    assert find_crossing(spent, bent, 2, 0.1) == np.inf
