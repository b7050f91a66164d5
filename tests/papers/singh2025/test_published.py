"""The numbers of the paper as printed, held against each other."""

from __future__ import annotations

import numpy as np
import pytest

from dissensus.papers.claims import parse_printed
from dissensus.papers.singh2025.published import CHOSEN, CLAIMS, GAINS, LABELS, NAMES, P_VALUES, SCORES
from dissensus.papers.singh2025.work import grid_of


def pair(name: str, metric: str) -> tuple[float, float]:
    hard, soft = (parse_printed(text).value for text in SCORES[name][metric])
    return hard, soft


@pytest.mark.parametrize("name", NAMES)
def test_relative_gains_of_table_4_follow_from_its_correlations(name):
    hard, soft = pair(name, "entropy_correlation")
    low, high = (100 * ((soft + d) / (hard - d) - 1) for d in (-0.0005, 0.0005))  # rounding of both
    assert low - 0.5 <= float(GAINS[name].strip("+ %")) <= high + 0.5


def test_the_mean_gain_in_correlation_follows_from_the_rows_and_that_in_kl_does_not():
    """61% is the mean of the three rows; 32% is that of one row alone, and the three give 20%."""
    assert np.mean([float(gain.strip("+ %")) for gain in GAINS.values()]) == pytest.approx(61, abs=0.5)
    lower = {name: 100 * (1 - soft / hard) for name in NAMES for hard, soft in [pair(name, "kl")]}
    assert lower["cifar10h-hard"] == pytest.approx(32, abs=0.5)
    assert np.mean(list(lower.values())) == pytest.approx(20, abs=0.5)


@pytest.mark.parametrize("name", NAMES)
def test_p_values_below_a_twentieth_are_those_of_differences_beyond_the_spread(name):
    for metric, p in zip(("accuracy", "kl"), P_VALUES[name], strict=True):
        texts = [parse_printed(text, n=10) for text in SCORES[name][metric]]
        gap = abs(texts[0].value - texts[1].value)
        beyond = gap > 2.1 * np.hypot(*((text.sd or 0) / np.sqrt(10) for text in texts))
        assert beyond == (float(p) < 0.05)


def test_settings_of_table_2_are_among_the_108_of_section_3():
    names = ("learning_rate", "batch", "epochs", "weight_decay", "scheduler")
    grid = {tuple(getattr(config, name) for name in names) for config in grid_of("full")}
    assert len(grid) == 108
    assert all(setting in grid for rows in CHOSEN.values() for setting in rows.values())


def test_every_table_and_figure_has_claims_and_each_names_its_source():
    sources = " ".join(claim.source for claim in CLAIMS)
    numbered = {"table": (1, 2, 3, 4), "figure": (2, 4, 5), "section": (1.2, 3.1, 4.1, 4.2, 4.3, 5)}
    for wanted in ("abstract", "figures 1 and 3", *(f"{kind} {n}" for kind, every in numbered.items() for n in every)):
        assert wanted in sources
    assert len(CLAIMS) == 47
    assert all(claim.published and claim.claim for claim in CLAIMS)
    assert set(LABELS) == set(CHOSEN) == set(SCORES) == set(P_VALUES) == set(NAMES)
