"""The recorded comparison of defaults: the page shows what was measured, and what it says of it holds."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from benchmarks import annotator_defaults, annotator_models
from dissensus.datasets import load

ROOT = Path(__file__).parents[3]
PAGE = (ROOT / "docs" / "aggregate.md").read_text(encoding="utf-8")
DEFAULTS, OURS, CROWD_KIT = (
    json.loads((ROOT / "benchmarks" / "results" / f"{name}.json").read_text(encoding="utf-8"))
    for name in ("annotator_defaults", "annotator_accuracy", "crowdkit_accuracy")
)


def test_the_page_shows_what_was_measured():
    assert annotator_defaults.table(DEFAULTS) in PAGE
    assert annotator_models.accuracy_table(OURS, CROWD_KIT) in PAGE


def test_every_default_that_is_not_the_papers_is_better_out_of_sample():
    aside = DEFAULTS["held out"]
    for _, _, ours, papers in annotator_defaults.COMPARED:
        accuracy = [np.mean([row["accuracy"][name] for row in aside["sets"].values()]) for name in (ours, papers)]
        assert accuracy[0] > accuracy[1]
        assert aside["crowds"][ours]["mean"] > aside["crowds"][papers]["mean"]


def test_no_default_falls_clearly_below_the_majority_in_more_crowds_than_chance_would_have_it():
    """Of 100 differences of nothing, two standard errors below are two or three."""
    for group in DEFAULTS.values():
        for name in ("dawid-skene", "one-coin", "mace", "glad"):
            assert group["crowds"][name]["clearly below"] <= 3 and group["crowds"][name]["mean"] > 1
    assert DEFAULTS["held out"]["crowds"]["mace"]["clearly below"] == 0


@pytest.mark.parametrize("group", DEFAULTS)
def test_sets_and_crowds_kept_aside_have_no_part_in_what_was_chosen(group):
    sets = annotator_defaults.CHOSEN_ON if group == "chosen on" else annotator_defaults.KEPT_ASIDE
    assert tuple(DEFAULTS[group]["sets"]) == sets
    assert not set(annotator_defaults.CHOSEN_ON) & set(annotator_defaults.KEPT_ASIDE)
    assert min(annotator_defaults.SEEDS["held out"]) >= 1000


@pytest.mark.parametrize("name", ["crowd-bluebird", "crowd-weather-cf"])
def test_the_record_is_what_the_code_gives(loaded, name):
    loaded(name)
    group = "chosen on" if name in annotator_defaults.CHOSEN_ON else "held out"
    assert annotator_defaults.real(name) == DEFAULTS[group]["sets"][name]
    short = name.removeprefix("crowd-")
    data = load(name)
    for model in ("dawid-skene", "one-coin", "mace", "glad"):
        chosen = annotator_models.classes_of(annotator_models.OURS[model](data.labels))
        assert annotator_models.accuracy_of(chosen, np.asarray(data.gold)) == pytest.approx(
            OURS[short][model], abs=5e-5
        )
