"""Smooth calibration: no bins, a kernel whose width the data choose."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from dissensus.evaluate.calibration import checked_columns
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
    density     (t,) how many items lie there, as a density over 0 to 1
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
    """Smooth calibration error: 0 to 1, lower is better.

        smECE_s = integral over t of | sum_i K_s(t, f_i) (f_i - o_i) | / integral over t of sum_i K_s(t, f_i)
        smECE   = smECE_s at the bandwidth s = smECE_s

    K_s is a Gaussian reflected at 0 and 1. The bandwidth that equals the error it gives is found by halving, to
    1/1024, on the grids of the authors' package relplot, so that the numbers are the same.
    Błasiok and Nakkiran (2023), Smooth ECE: principled reliability diagrams via kernel smoothing.

    confidence, outcome: (n,), each 0 to 1
    """
    f, residual = _checked(confidence, outcome)
    return smooth_ece_of_groups(f, residual, np.ones(f.size))


def smooth_ece_of_groups(f: np.ndarray, residual: np.ndarray, mass: np.ndarray, width: float | None = None) -> float:
    """The same for groups of items with one confidence, at a given bandwidth or at the one that they choose.

    f: (g,) confidence of each group, residual: (g,) sum over its items of f - o, mass: (g,) number of its items
    """
    return _error(f, residual, mass, _bandwidth(f, residual, mass) if width is None else width)


def smooth_ece_of_drawn(confidence: np.ndarray, outcome: np.ndarray) -> Callable[[np.ndarray], float]:
    """`smooth_ece` as a function of the item positions that were drawn.

    The bandwidth is held at that of all items: finding it again takes ten times as long and changes little.
    """
    f, residual = _checked(confidence, outcome)
    width = _bandwidth(f, residual, np.ones(f.size))
    return lambda at: smooth_ece_of_groups(f[at], residual[at], np.ones(at.size), width)


def smooth_reliability(confidence: np.ndarray, outcome: np.ndarray) -> SmoothCurve:
    """The smooth reliability diagram that belongs to `smooth_ece`.

        outcome(t) = sum_i K_s(t, f_i) o_i / sum_i K_s(t, f_i)

    Where the curve lies below the diagonal the model is too sure. Equal to relplot's without its bootstrap.

    confidence, outcome: (n,), each 0 to 1
    """
    f, residual = _checked(confidence, outcome)
    mass = np.ones(f.size)
    width = _bandwidth(f, residual, mass)
    places = np.linspace(0, 1, MESH)
    items = _smoothed(f, mass, width, places)
    mean = _smoothed(f, f - residual, width, places) / (items + DENSITY_FLOOR)
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
    """The error at one bandwidth."""
    places = np.linspace(0, 1, max(round(10 / width), MESH))
    apart = np.abs(_smoothed(f, residual, width, places)).sum()
    return float(apart / (_smoothed(f, mass, width, places) + DENSITY_FLOOR).sum())


def _smoothed(f: np.ndarray, values: np.ndarray, width: float, places: np.ndarray) -> np.ndarray:
    """sum_i K(t, f_i) values_i at each place t, by way of a grid fine enough for the kernel.  (t,)"""
    size = max(2000, round(20 / width)) // 2 + 1
    grid = _on_grid(f, values, size)
    at = np.linspace(0, 1, size) - 0.5
    kernel = np.exp(-(at**2) / (2 * width**2)) / (np.sqrt(2 * np.pi) * width)
    reflected = np.concatenate([grid[:0:-1], grid, grid[-2::-1]])
    smooth = _convolved(reflected, kernel)[size // 2 : size // 2 + size]
    return np.interp(places, np.linspace(0, 1, size), smooth)


def _convolved(long: np.ndarray, short: np.ndarray) -> np.ndarray:
    """The convolution where all of the short one lies within the long one.  (long.size - short.size + 1,)

    As `scipy.signal.fftconvolve` has it with mode="valid", to the bit; scipy.signal takes half a second to load.
    """
    from scipy.fft import irfft, next_fast_len, rfft

    size = next_fast_len(long.size + short.size - 1, real=True)
    return np.asarray(irfft(rfft(long, size) * rfft(short, size), size)[short.size - 1 : long.size])


def _on_grid(f: np.ndarray, values: np.ndarray, size: int) -> np.ndarray:
    """Values put on an even grid over 0 to 1, each shared by its two neighbours.  (size,)"""
    scaled = f * (size - 1)
    left = np.minimum(scaled.astype(np.int64), size - 2)
    right_part = scaled - left
    return np.bincount(left, (1 - right_part) * values, size) + np.bincount(left + 1, right_part * values, size)


def _checked(confidence: np.ndarray, outcome: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Confidence, and confidence less outcome.  (n,), (n,)"""
    f, o = checked_columns(confidence, outcome)
    return f, f - o
