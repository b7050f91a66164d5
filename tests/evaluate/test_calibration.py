"""Calibration with bins of equally many items, against slow loops and released code."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dissensus.evaluate.calibration import (
    bins_of_size,
    confidence_and_outcome,
    equal_mass_bins,
    equal_mass_ece,
    rmse_calibration,
)
from tests.facts import refuses


def columns(n=1_000, seed=0):
    rng = np.random.default_rng(seed)
    confidence = rng.uniform(0.1, 1, n)
    return confidence, (rng.random(n) < confidence**1.5).astype(float)


@pytest.mark.parametrize("n", [1, 7, 15, 100, 1_003])
def test_without_ties_the_bins_are_those_of_a_sort_and_a_split(n):
    f, o = columns(n)
    order = np.argsort(f)
    parts = [part for part in np.array_split(order, 15) if part.size]
    expected = sum(part.size / n * abs(f[part].mean() - o[part].mean()) for part in parts)
    assert equal_mass_ece(f, o) == pytest.approx(expected, abs=1e-12)
    bins = equal_mass_bins(f, o)
    assert bins.mass.tolist() == [part.size for part in parts]
    assert np.allclose(bins.outcome_spread, [o[part].var() for part in parts])


def test_items_of_equal_confidence_are_shared_by_the_bins_they_lie_on():
    """Six items with one confidence in two bins: both take three of them, at the mean outcome, whatever their order."""
    f, o = np.full(6, 0.8), np.array([1, 1, 1, 0, 0, 0.0])
    bins = equal_mass_bins(f, o, 2)
    assert bins.mass.tolist() == [3, 3] and np.allclose(bins.outcome, 0.5)
    assert equal_mass_ece(f, o, 2) == pytest.approx(0.3)


@given(
    st.lists(st.tuples(st.sampled_from([0.2, 0.5, 0.7, 0.9, 1.0]), st.booleans()), min_size=1, max_size=40),
    st.integers(1, 8),
    st.randoms(use_true_random=False),
)
def test_the_order_of_items_never_matters(items, bins, random):
    shuffled = items[:]
    random.shuffle(shuffled)
    found = []
    for one in (items, shuffled):
        f, o = np.array(one, dtype=float).T
        found.append((equal_mass_ece(f, o, bins), rmse_calibration(f, o, bins)))
        assert np.isclose(equal_mass_bins(f, o, bins).mass.sum(), len(items))
    assert np.allclose(*found, atol=1e-12)


def released(confidence, correct, beta=100):
    """RMS calibration error as in the code released with Hendrycks et al. (2022), which sums all bins but the last."""
    order = np.argsort(confidence)
    confidence, correct = confidence[order], correct[order]
    bins = [[i * beta, (i + 1) * beta] for i in range(len(confidence) // beta)]
    bins[-1] = [bins[-1][0], len(confidence)]
    squares = [
        (stop - start) / len(confidence) * np.square(confidence[start:stop].mean() - correct[start:stop].mean())
        for start, stop in bins
    ]
    return np.sqrt(sum(squares[:-1])), np.sqrt(sum(squares))


def test_rmse_calibration_equals_the_released_code_with_and_without_its_last_bin():
    f, o = columns(1_234)
    without, with_last = released(f, o)
    assert rmse_calibration(f, o, as_released=True) == pytest.approx(without, abs=1e-12)
    assert rmse_calibration(f, o) == pytest.approx(with_last, abs=1e-12)
    assert bins_of_size(f, o).mass.tolist() == [100.0] * 11 + [134.0]


def test_netcal_agrees_where_its_bins_hold_equally_many():
    metrics = pytest.importorskip("netcal.metrics")
    f, o = columns(1_500)
    found = metrics.ECE(15, equal_intervals=False).measure(f, o.astype(int))
    assert equal_mass_ece(f, o) == pytest.approx(found, abs=2e-3)  # its edges are interpolated quantiles


def test_outcomes_against_people_majority_and_gold():
    model = np.array([[0.6, 0.3, 0.1], [0.4, 0.4, 0.2]])
    people = np.array([[0.2, 0.8, 0.0], [0.5, 0.1, 0.4]])
    confidence, share = confidence_and_outcome(model, people)
    assert confidence.tolist() == [0.6, 0.4] and np.allclose(share, [0.2, 0.3])
    assert confidence_and_outcome(model, people, against="majority")[1].tolist() == [0.0, 0.5]
    assert confidence_and_outcome(model, gold=np.array([0, 2]))[1].tolist() == [1.0, 0.0]
    with refuses("people's distributions", "gold"):
        confidence_and_outcome(model)
    with pytest.raises(ValueError, match=r"'gold'"):
        confidence_and_outcome(model, people, against="gold")


@pytest.mark.parametrize(
    ("confidence", "outcome", "facts"),
    [
        ([0.5, 1.2], [1, 0], ("item 1", "confidence 1.2", "0 to 1", "1 of 2")),
        ([0.5, 0.2], [1, np.nan], ("item 1", "outcome nan")),
        ([0.5], [1, 0], ("confidence has shape (1,)", "outcome (2,)")),
    ],
)
def test_bad_columns_are_refused(confidence, outcome, facts):
    with refuses(*facts):
        equal_mass_ece(np.array(confidence), np.array(outcome))
    with refuses("0 bins"):
        equal_mass_ece(*columns(5), bins=0)
