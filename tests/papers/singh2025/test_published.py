"""The printed numbers agree with each other, and every table and figure has claims."""

from __future__ import annotations

import numpy as np
import pytest

from dissensus.papers.evidence import Number
from dissensus.papers.published import Printed, read_published
from dissensus.papers.singh2025.claims import CLAIMS, MARGINS
from dissensus.papers.singh2025.observe import CHOSEN, MEAN, NAMES, SETTINGS
from dissensus.papers.singh2025.work import grid_of

SETS = tuple(NAMES.values())
P_VALUES = {
    "ChaosNLI": ("9.1e-04", "4.7e-07"),
    "POPQUORN": ("0.948", "6.4e-09"),
    "CIFAR-10H-Hard": ("0.553", "1.6e-05"),
}


def printed(metric: str, arm: str, where: str) -> Printed:
    number = read_published("singh2025").find(Number(metric, arm, where))
    assert number is not None
    return number


@pytest.mark.parametrize("name", SETS)
def test_relative_gains_of_table_4_follow_from_its_correlations(name):
    hard, soft = (printed("entropy_correlation", arm, name).value for arm in ("hard", "soft"))
    low, high = (100 * ((soft + d) / (hard - d) - 1) for d in (-0.0005, 0.0005))  # rounding of both
    assert low - 0.5 <= printed("correlation_gain", "soft", name).value <= high + 0.5


def test_the_mean_gain_in_correlation_follows_from_the_rows_and_that_in_kl_does_not():
    """61% is the mean of the three rows; 32% is that of one row alone, and the three give 20%."""
    gains = [printed("correlation_gain", "soft", name).value for name in SETS]
    assert np.mean(gains) == pytest.approx(printed("correlation_gain", "soft", MEAN).value, abs=0.5)
    lower = {name: 100 * (1 - printed("kl", "soft", name).value / printed("kl", "hard", name).value) for name in SETS}
    assert lower["CIFAR-10H-Hard"] == pytest.approx(printed("kl_gain", "soft", MEAN).value, abs=0.5)
    assert np.mean(list(lower.values())) == pytest.approx(20, abs=0.5)
    assert {name: round(value) for name, value in lower.items()} == {
        name: printed("kl_gain", "soft", name).value for name in SETS
    }


@pytest.mark.parametrize("name", SETS)
def test_printed_p_values_below_a_twentieth_are_those_of_differences_beyond_the_spread(name):
    for metric, p in zip(("accuracy", "kl"), P_VALUES[name], strict=True):
        hard, soft = (printed(metric, arm, name) for arm in ("hard", "soft"))
        beyond = abs(hard.value - soft.value) > 2.1 * np.hypot(hard.error, soft.error)
        assert beyond == (float(p) < 0.05)


def test_margins_are_the_smaller_of_the_printed_spreads():
    for name, margin in MARGINS.items():
        assert margin == min(printed("accuracy", arm, name).sd or np.inf for arm in ("hard", "soft"))


def test_settings_of_table_2_are_among_the_108_of_section_3():
    grid = {tuple(getattr(config, name) for name in SETTINGS) for config in grid_of("full")}
    assert len(grid) == 108
    assert all(setting in grid for rows in CHOSEN.values() for setting in rows.values())


def test_every_table_and_figure_has_claims_and_each_names_its_source():
    sources = " ".join(claim.source for claim in CLAIMS)
    numbered = {"table": (1, 2, 3, 4), "figure": (2, 4, 5), "section": (1.2, 3.1, 4.1, 4.2, 4.3, 5)}
    for wanted in ("abstract", "figures 1 and 3", *(f"{kind} {n}" for kind, every in numbered.items() for n in every)):
        assert wanted in sources
    assert all(claim.judge is not None and claim.claim for claim in CLAIMS)
