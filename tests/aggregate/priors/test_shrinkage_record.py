"""The recorded benchmark of shrinkage: what the page says of it holds, and the code still gives it."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from benchmarks.shrinkage import ASIDE, CROWDS, TUNED, VOTES, by_items, full_share
from tests.facts import states

ROOT = Path(__file__).parents[3]
RECORD = json.loads((ROOT / "benchmarks" / "results" / "shrinkage.json").read_text(encoding="utf-8"))["items"]
CELLS = [cell | {"set": name} for name, cells in RECORD.items() for cell in cells]


def test_every_set_has_all_numbers_of_items_and_votes_that_it_is_large_enough_for():
    assert list(RECORD) == [*TUNED, *ASIDE] and len(CELLS) == 690
    for cells in RECORD.values():
        sizes = [n for n in CROWDS if n <= cells[-1]["items"]]
        assert [(cell["items"], cell["votes"]) for cell in cells] == [(n, votes) for n in sizes for votes in VOTES]


def test_no_crowd_is_estimated_worse_than_with_one_over_k_by_more_than_noise():
    """Half a percent at most, and two standard errors of the paired difference; 0.0002 is for what was rounded."""
    for cell in CELLS:
        assert cell["ratio"] < 1.005, cell
        assert cell["ratio"] - 1 <= 2 * cell["error"] + 0.0002, cell


def test_the_page_names_the_largest_ratio_and_how_many_are_above_one():
    page = " ".join((ROOT / "docs" / "aggregate.md").read_text(encoding="utf-8").split())
    worst = max(CELLS, key=lambda cell: cell["ratio"])
    where = f"{worst['set']}, {worst['items']} items, {worst['votes']} votes per item"
    above = sum(cell["ratio"] > 1 for cell in CELLS)
    _, after = page.split(f"{len(CELLS)} ratios")
    assert states(after[:100], f"{worst['ratio']:.3f}", where, f"{above} are above 1")


def test_shrinkage_still_gains_where_there_is_something_to_learn():
    """The geometric mean over all sets and votes per item, by number of items."""
    for n, most in {10: 0.93, 30: 0.82, 100: 0.75, 1000: 0.66}.items():
        assert np.exp(np.mean([np.log(cell["ratio"]) for cell in CELLS if cell["items"] == n])) < most


def test_the_record_is_what_the_code_gives(loaded):
    """On bluebirds, the smallest set: 100 of its 108 items at most."""
    loaded("crowd-bluebird")
    again = by_items(full_share("crowd-bluebird"))
    for cell, recorded in zip(again, RECORD["crowd-bluebird"], strict=True):
        assert cell["ratio"] == pytest.approx(recorded["ratio"], abs=0.002)
