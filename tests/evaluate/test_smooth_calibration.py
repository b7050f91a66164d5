"""The smooth calibration error is that of the authors' package."""

from __future__ import annotations

import numpy as np
import pytest

from dissensus.evaluate.smooth_calibration import _convolve, smooth_ece, smooth_ece_of_groups, smooth_reliability


def columns(power, n=2_000, seed=0, soft=False):
    rng = np.random.default_rng(seed)
    confidence = rng.beta(4, 1.5, n)
    share = confidence**power
    return confidence, share if soft else (rng.random(n) < share).astype(float)


@pytest.mark.parametrize("power", [0.5, 1.0, 3.0])
@pytest.mark.parametrize("soft", [False, True])
def test_error_and_curve_equal_relplot(power, soft):
    relplot = pytest.importorskip("relplot")
    f, o = columns(power, soft=soft)
    curve = smooth_reliability(f, o)
    assert smooth_ece(f, o) == pytest.approx(relplot.smECE(f, o), abs=1e-9)
    mesh = np.linspace(0, 1, 200)
    kernel = relplot.kernels.ReflectedGaussianKernel(curve.bandwidth)
    assert np.allclose(curve.outcome, kernel.smooth(f, o, mesh)[0], atol=1e-6)
    assert np.allclose(curve.density, kernel.kde(f, mesh), atol=1e-9)
    assert curve.error == smooth_ece(f, o)


def test_error_is_a_direct_sum_over_reflected_gaussians():
    """A second road without grids: the kernel summed over images of each item, integrated over a fine mesh."""
    f, o = columns(2.0, 300)
    curve = smooth_reliability(f, o)
    t, width = np.linspace(0, 1, 4_001)[:, None], curve.bandwidth
    images = (f, -f, 2 - f)
    kernel = sum(np.exp(-((t - image) ** 2) / (2 * width**2)) for image in images)  # (t, n)
    direct = np.abs(kernel @ (f - o)).sum() / kernel.sum()
    assert curve.error == pytest.approx(direct, abs=1e-3)
    assert abs(curve.error - curve.bandwidth) < 2e-3


def test_groups_of_items_count_as_their_items():
    f, o = np.round(columns(2.0)[0], 2), columns(2.0)[1]
    places, group = np.unique(f, return_inverse=True)
    residual, mass = np.bincount(group, f - o), np.bincount(group).astype(float)
    assert smooth_ece_of_groups(places, residual, mass) == pytest.approx(smooth_ece(f, o), abs=1e-12)


def test_a_constant_miscalibration_is_found():
    f = np.full(1_000, 0.6)
    assert smooth_ece(f, np.full(1_000, 0.4)) == pytest.approx(0.2, abs=2e-3)
    assert smooth_ece(f, f) == pytest.approx(0.0, abs=1e-9)


def test_the_convolution_is_that_of_scipy_to_the_bit():
    from scipy.signal import fftconvolve

    rng = np.random.default_rng(0)
    for size in (2, 1001, 1536):
        values, kernel = rng.normal(size=3 * size - 2), rng.random(size)
        assert np.array_equal(_convolve(values, kernel), fftconvolve(values, kernel, mode="valid"))
