"""The recorded benchmark of temperatures: the page shows what was measured, and what it says of it holds."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from benchmarks.temperatures import SEEDS, simulate_labels, table

ROOT = Path(__file__).parents[2]
RECORD = json.loads((ROOT / "benchmarks" / "results" / "temperatures.json").read_text(encoding="utf-8"))


def test_the_page_shows_the_crowds_that_were_kept_aside():
    assert table(RECORD["held out"], 10) in (ROOT / "docs" / "aggregate.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("part", SEEDS)
def test_many_answers_recover_the_temperature_and_few_cost_no_more_than_one_number_must(part):
    for row in RECORD[part]:
        answers = row["people"] * row["known"]
        assert row["gain"] > -1 / (2 * answers) - 2 * row["error"]
        if answers == 4000:
            assert row["crowd"][0] == pytest.approx(row["temperature"], rel=0.08)
        assert row["crowd"][1] > 0.4 and row["crowd"][2] < 4


def test_the_record_is_what_the_code_gives():
    row = RECORD["chosen on"][0]
    asked = [row[name] for name in ("classes", "temperature", "people", "known")]
    again = simulate_labels(SEEDS["chosen on"], *asked)
    np.testing.assert_allclose([*again["crowd"], again["gain"]], [*row["crowd"], row["gain"]], atol=0.011)


def test_cifar10s_which_was_kept_aside_is_predicted_better():
    facts = RECORD["cifar10s, held out"]
    assert facts["raw"] - facts["recalibrated"] > 4 * facts["error"]
