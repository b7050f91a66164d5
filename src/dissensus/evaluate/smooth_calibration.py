"""Smooth calibration: no bins, a kernel whose width the data choose."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from dissensus.evaluate.calibration import check_columns
from dissensus.labels.answers import hold
from dissensus.labels.display import shapes

MESH = 200  # places the curve is evaluated at
STEPS = 10  # halvings of the bandwidth, so it is known to 1/1024
NARROWEST = 1e-3
DENSITY_FLOOR = 1e-4  # added to the mass at each place, so that empty places have a curve; on the scale of items


@dataclass(frozen=True, eq=False)
class SmoothCurve:
    """A reliability diagram without bins.

    confidence  (t,) places from 0 to 1
    outcome     (t,) mean outcome around each place; means little where density is near 0
    density     (t,) items around each place, as a density over 0 to 1
    bandwidth   standard deviation of the kernel
    error       the smooth calibration error
    """

    confidence: np.ndarray
    outcome: np.ndarray
    density: np.ndarray
    bandwidth: float
    error: float

    __repr__ = shapes

    def __post_init__(self) -> None:
        for name in ("confidence", "outcome", "density"):
            hold(self, name, getattr(self, name))


def smooth_ece(confidence: np.ndarray, outcome: np.ndarray) -> float:
    """Compute the smooth calibration error, without bins.

        smECE_s = integral over t of | sum_i K_s(t, f_i) (f_i - o_i) | / integral over t of sum_i K_s(t, f_i)
        smECE   = smECE_s at the bandwidth s = smECE_s

    K_s is a Gaussian reflected at 0 and 1. The bandwidth that equals its own error is found by bisection to 1/1024, on
    the grids of the authors' package relplot, so that the numbers are the same. Błasiok and Nakkiran (2023), Smooth
    ECE: principled reliability diagrams via kernel smoothing.

    Parameters
    ----------
    confidence, outcome : (n,), each 0 to 1; see `calibration.confidence_and_outcome`

    Returns
    -------
    0 to 1, lower is better

    Examples
    --------
    >>> round(smooth_ece(np.array([0.9, 0.8, 0.7, 0.6]), np.array([1, 1, 0, 1])), 3)
    0.096
    """
    f, residual = _residuals(confidence, outcome)
    return smooth_ece_of_groups(f, residual, np.ones(f.size))


def smooth_ece_of_groups(f: np.ndarray, residual: np.ndarray, mass: np.ndarray, width: float | None = None) -> float:
    """Compute the same for groups of items with one confidence, at a given bandwidth or at their own.

    f: (g,) confidence of each group, residual: (g,) sum over its items of f - o, mass: (g,) number of its items
    """
    return _error(f, residual, mass, _bandwidth(f, residual, mass) if width is None else width)


def smooth_ece_of_drawn(confidence: np.ndarray, outcome: np.ndarray) -> Callable[[np.ndarray], float]:
    """Return `smooth_ece` as a function of the item positions that were drawn.

    The bandwidth is that of all items: finding it again takes ten times as long and changes little.
    """
    f, residual = _residuals(confidence, outcome)
    width = _bandwidth(f, residual, np.ones(f.size))
    return lambda at: smooth_ece_of_groups(f[at], residual[at], np.ones(at.size), width)


def smooth_reliability(confidence: np.ndarray, outcome: np.ndarray) -> SmoothCurve:
    """Compute the smooth reliability diagram that belongs to `smooth_ece`.

        outcome(t) = sum_i K_s(t, f_i) o_i / sum_i K_s(t, f_i)

    The model is overconfident where the curve is below the diagonal. Equal to relplot's without its bootstrap.

    confidence, outcome: (n,), each 0 to 1
    """
    f, residual = _residuals(confidence, outcome)
    mass = np.ones(f.size)
    width = _bandwidth(f, residual, mass)
    places = np.linspace(0, 1, MESH)
    items = _smooth(f, mass, width, places)
    mean = _smooth(f, f - residual, width, places) / (items + DENSITY_FLOOR)
    return SmoothCurve(places, mean, items / f.size, width, _error(f, residual, mass, width))


def _bandwidth(f: np.ndarray, residual: np.ndarray, mass: np.ndarray) -> float:
    wide, narrow = 1.0, 0.0
    for _ in range(STEPS):
        middle = (wide + narrow) / 2
        if middle < NARROWEST or middle < _error(f, residual, mass, middle):
            narrow = middle
        else:
            wide = middle
    return wide


def _error(f: np.ndarray, residual: np.ndarray, mass: np.ndarray, width: float) -> float:
    """Compute the error at one bandwidth."""
    places = np.linspace(0, 1, max(round(10 / width), MESH))
    apart = np.abs(_smooth(f, residual, width, places)).sum()
    return float(apart / (_smooth(f, mass, width, places) + DENSITY_FLOOR).sum())


def _smooth(f: np.ndarray, values: np.ndarray, width: float, places: np.ndarray) -> np.ndarray:
    """sum_i K(t, f_i) values_i at each place t, by way of a grid fine enough for the kernel.  (t,)"""
    size = max(2000, round(20 / width)) // 2 + 1
    grid = _on_grid(f, values, size)
    at = np.linspace(0, 1, size) - 0.5
    kernel = np.exp(-(at**2) / (2 * width**2)) / (np.sqrt(2 * np.pi) * width)
    reflected = np.concatenate([grid[:0:-1], grid, grid[-2::-1]])
    smooth = _convolve(reflected, kernel)[size // 2 : size // 2 + size]
    return np.interp(places, np.linspace(0, 1, size), smooth)


def _convolve(long: np.ndarray, short: np.ndarray) -> np.ndarray:
    """Convolve where all of the short one is within the long one.  (long.size - short.size + 1,)

    As `scipy.signal.fftconvolve` with mode="valid", to the bit; scipy.signal takes half a second to load.
    """
    from scipy.fft import irfft, next_fast_len, rfft

    size = next_fast_len(long.size + short.size - 1, real=True)
    return np.asarray(irfft(rfft(long, size) * rfft(short, size), size)[short.size - 1 : long.size])


def _on_grid(f: np.ndarray, values: np.ndarray, size: int) -> np.ndarray:
    """Put values on an even grid over 0 to 1, each shared by its two neighbours.  (size,)"""
    scaled = f * (size - 1)
    left = np.minimum(scaled.astype(np.int64), size - 2)
    right_part = scaled - left
    return np.bincount(left, (1 - right_part) * values, size) + np.bincount(left + 1, right_part * values, size)


def _residuals(confidence: np.ndarray, outcome: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return confidence, and confidence minus outcome.  (n,), (n,)"""
    f, o = check_columns(confidence, outcome)
    return f, f - o
