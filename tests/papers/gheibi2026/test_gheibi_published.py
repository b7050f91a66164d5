"""The printed numbers of Gheibi 2026 agree with each other, and with the labels they are about."""

from __future__ import annotations

import numpy as np
import pytest

from dissensus.datasets import load
from dissensus.labels.distances import entropy
from dissensus.labels.shares import as_distributions
from dissensus.papers.claims import parse_printed
from dissensus.papers.gheibi2026 import published as p
from dissensus.papers.gheibi2026.claims import CLAIMS


def values(metric: str) -> dict[str, float]:
    return {arm: parse_printed(row[p.METRICS.index(metric)]).value for arm, row in p.MAIN.items()}


def test_soft_nll_is_kl_and_the_entropy_of_people_for_every_delivery():
    """soft NLL = KL + H(people): the same H for all rows of tables 2 and 5, up to rounding."""
    nll, kl = values("soft_nll"), values("kl")
    gaps = np.array([nll[arm] - kl[arm] for arm in nll])
    assert np.ptp(gaps) < 2.1e-4


def test_that_entropy_is_the_one_of_cifar10h(data_folder):
    people = as_distributions(load("cifar10h").labels).probs
    gap = values("soft_nll")["soft"] - values("kl")["soft"]
    assert entropy(people).mean() == pytest.approx(gap, abs=0.005)  # the mean over ten test splits of 2,000 images


def test_every_hard_delivery_is_below_soft_labels_in_table_1_and_nine_cells_have_the_least_p():
    assert all(p.SWEEP[method][place] < p.SWEEP["soft"][place] for method in p.HARD for place in range(4))
    every = [test for tests in p.SWEEP_P.values() for test in tests]
    assert every.count("0.031") == p.AGREEING
    assert {round(float(test) * 32) for test in every} <= {1, 2, 3}  # p of 5 seeds are multiples of 1/32


def test_the_gains_of_table_1_are_not_larger_at_few_votes_as_the_text_says():
    gains = np.array([np.array(p.SWEEP["soft"]) - p.SWEEP[method] for method in p.HARD]).mean(axis=0)
    few, many = gains[:2].mean(), gains[2:].mean()
    assert (round(few, 3), round(many, 3)) == (0.031, 0.032)
    said = next(claim for claim in CLAIMS if claim.key == "table-1-strongest").published
    assert "0.031 there and 0.032" in said


def test_p_of_ten_seeds_are_multiples_of_one_in_1024():
    """Some of table 8 are odd multiples, which a two-sided test cannot give: they are one-sided."""
    near = [float(row[2]) * 1024 for row in p.NEAR.values()]
    assert all(abs(count - round(count)) < 0.06 for count in near)
    assert any(round(count) % 2 for count in near)


def test_sls_is_above_soft_labels_by_every_detector_and_flatter_at_every_k():
    assert all(float(sls) > float(soft) for sls, soft, _ in p.NEAR.values())
    for row in p.HESSIAN_SWEEP.values():
        sls, soft, sls_high, soft_high = (parse_printed(text).value for text in row)
        assert sls < soft and sls_high < soft_high


def test_claims_have_a_source_and_numbers_or_say_that_there_are_none():
    assert len(CLAIMS) == len({claim.key for claim in CLAIMS}) > 70
    assert all(claim.source and claim.published and claim.claim[-1] != "." for claim in CLAIMS)
