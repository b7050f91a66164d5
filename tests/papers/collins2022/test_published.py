"""The printed numbers agree with each other where the paper says the same thing twice."""

from __future__ import annotations

import pytest

from dissensus.papers.collins2022.arms import BETA, BETAS, GAMMA, GAMMAS, KINDS
from dissensus.papers.collins2022.paper import PAPER
from dissensus.papers.collins2022.published import (
    INPUTS,
    LOWER,
    METRICS,
    PER_ANSWER,
    SCORES,
    SECONDS,
    SETS,
    change,
    half,
    score,
)


def test_every_kind_of_label_in_the_tables_is_trained_and_scored_on_both_sets():
    assert (
        SCORES["10h"].keys()
        == SCORES["10s"].keys()
        == KINDS.keys() - {*(f"h {count}" for count in (4, 8, 16, 32)), *(f"s {count}" for count in (3, 4, 5))}
    )
    assert len(KINDS) == 23 and GAMMA in GAMMAS and BETA in BETAS


def test_seconds_of_tables_4_and_5_are_six_annotators_times_inputs_times_a_fifth_of_32():
    assert {name: f"{6 * count * PER_ANSWER / 5:.1f}" for name, count in INPUTS.items()} == SECONDS
    assert 51 / 6 == 8.5


def test_the_papers_own_exceptions_are_read_off_its_tables():
    """Section 5.2 says "nearly all metrics": three of thirty comparisons go the other way."""
    odd = [
        (key, set_, metric)
        for key, _, kind, other, _ in LOWER
        for set_ in SETS
        for metric in METRICS
        if change(kind, other, set_, metric) >= 0
    ]
    assert odd == [("table-2", "10s", "fgsm"), ("table-3-two", "10s", "calibration"), ("table-5", "10h", "calibration")]
    claims = {claim.key: claim.claim for claim in PAPER.claims}
    assert "do not beat" in claims["table-2-10s-fgsm"] and "do not" not in claims["table-2-10s-ce"]


def test_a_cell_of_a_table_has_its_mean_and_half_its_interval():
    assert (score("s 1", "10h", "fgsm").value, half("s 1", "10h", "fgsm")) == (12.57, 1.29)
    assert change("s 1", "h 1", "10h", "ce") == pytest.approx(100 * (1.58 / 2.17 - 1))
    assert change("s", "h", "10h", "calibration") == pytest.approx(-1.0)  # points of a hundred
