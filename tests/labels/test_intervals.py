"""Intervals from resampled values and from values with a unit left out, against Student's and SciPy's."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.stats

from dissensus.labels.intervals import bca_interval, jackknife_interval


def without_each(values: np.ndarray) -> np.ndarray:
    return (values.sum() - values) / (values.size - 1)


def test_the_jackknife_of_a_mean_is_students_interval():
    values = np.random.default_rng(0).exponential(1, 7)
    interval = jackknife_interval(values.mean(), without_each(values), 0.9)
    expected = scipy.stats.t.interval(0.9, 6, values.mean(), scipy.stats.sem(values))
    assert (interval.low, interval.high) == pytest.approx(expected)
    assert interval.sd == pytest.approx(scipy.stats.sem(values))


def test_corrected_percentiles_of_a_skewed_mean_are_those_of_scipy():
    """Of 500 items the spreading for few units is 0.3 %."""
    values = np.random.default_rng(1).exponential(1, 500) ** 2
    rng = np.random.default_rng(2)
    resampled = values[rng.integers(0, 500, (20_000, 500))].mean(axis=1)
    interval = bca_interval(values.mean(), resampled, without_each(values), np.ones(500), 500)
    peer = scipy.stats.bootstrap((values,), np.mean, n_resamples=20_000, rng=3, method="BCa").confidence_interval
    width = peer.high - peer.low
    assert interval.low == pytest.approx(peer.low, abs=0.03 * width)
    assert interval.high == pytest.approx(peer.high, abs=0.03 * width)
    plain = np.quantile(resampled, [0.025, 0.975])
    assert interval.low > plain[0] + 0.03 * width and interval.high > plain[1] + 0.03 * width  # moved to the long tail


def test_units_that_are_alike_can_be_left_out_once_for_all():
    values = np.repeat([0.0, 1.0, 5.0], [20, 8, 2])
    rng = np.random.default_rng(3)
    resampled = values[rng.integers(0, 30, (2000, 30))].mean(axis=1)
    each = bca_interval(values.mean(), resampled, without_each(values), np.ones(30), 30)
    kinds = without_each(values)[[0, 20, 28]]
    assert bca_interval(values.mean(), resampled, kinds, np.array([20, 8, 2]), 30) == each
    fewer = bca_interval(values.mean(), resampled, kinds, np.array([20, 8, 2]), 5)
    assert fewer.low < each.low and fewer.high > each.high  # spread for few units
