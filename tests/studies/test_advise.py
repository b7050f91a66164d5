"""What the page on advice says of the study behind it is what the study recorded."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from tests.facts import states

ROOT = Path(__file__).parent.parent.parent
RECORD = json.loads((ROOT / "studies" / "results" / "advise.json").read_text(encoding="utf-8"))
PAGE = " ".join((ROOT / "docs" / "advise.md").read_text(encoding="utf-8").split())


@pytest.mark.parametrize("votes", [1, 2, 3, 10, 50])
def test_the_table_of_simulated_crowds_is_recorded(votes):
    rows = [row["estimator"] for row in RECORD["simulated"] if row["votes"] == votes]
    best = sum(row["chosen"] == row["best"] for row in rows)
    near = sum(row["within_noise"] for row in rows)
    worse = [
        np.mean([row["errors"][name or row["chosen"]] - row["errors"][row["best"]] for row in rows])
        for name in ("", "dirichlet", "shrinkage")
    ]
    shown = " | ".join(f"{value:.3f}" for value in worse)
    assert f"| {best} of {len(rows)} | {near} of {len(rows)} | {shown} |" in PAGE


def test_with_two_answers_the_advised_estimate_is_the_best_or_within_noise_of_it():
    rows = [row["estimator"] for row in RECORD["simulated"] if row["votes"] > 1]
    assert np.mean([row["within_noise"] for row in rows]) > 0.9
    assert all(row["chosen"] == row["best"] for row in RECORD["real"] if row["seen"] > 1)
    right = sum(row["chosen"] == row["best"] for row in RECORD["real"])
    assert f"in {right} of {len(RECORD['real'])} cases" in PAGE


def test_intervals_cover_and_ladders_are_seldom_climbed_in_vain():
    covered = RECORD["coverage"]["by_votes"]
    for share in covered.values():
        assert 0.92 <= share <= 0.98 and f"{share:.1%}" in PAGE
    assert RECORD["false_steps"]["share"] < 0.05
    assert f"{RECORD['false_steps']['share']:.1%}" in PAGE


def test_partial_beliefs_are_judged_by_other_people_and_agree_within_noise():
    row = RECORD["beliefs"]
    errors = {name: error for name, error in row["errors"].items() if error is not None}
    assert row["within_noise"] and row["chosen"] == min(errors, key=errors.__getitem__)
    assert states(row["chosen"], "shrinkage", "first choices")
    assert f"{row['errors'][row['chosen']]:.3f} nats" in PAGE
    assert f"{row['errors']['t2-clamp, smoothed=0.05']:.3f}" in PAGE


def test_each_set_with_gold_has_its_row():
    for row in RECORD["with_gold"]:
        accuracy = row["accuracy"]
        own, majority, best = accuracy[row["chosen"]], accuracy["majority"], max(accuracy.values())
        numbers = f"{own:.3f} | {majority:.3f} | {best:.3f}"
        assert f"| {row['data']} | {row['gold']:,} | {row['chosen']} | {numbers} |" in PAGE


def test_soft_labels_held_on_other_items():
    assert {row["chosen"] for row in RECORD["trained"]} == {row["lowest_elsewhere"] for row in RECORD["trained"]}
