"""Confidence intervals by resampling."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from dissensus.labels.refusals import Refusal

BLOCK = 20_000_000  # numbers held at once while resampling


@dataclass(frozen=True)
class Interval:
    """A number with its confidence interval.

    Parameters
    ----------
    value : float
        Computed from the data as they are.
    low, high : float
        Ends of the interval; the function that returns it documents the method.
    sd : float
        Standard error of `value`.
    coverage : float
        Nominal coverage, such as 0.95.

    Examples
    --------
    >>> print(Interval(0.5, low=0.4, high=0.6, sd=0.05, coverage=0.95))
    0.5000 [0.4000, 0.6000]
    """

    value: float
    low: float
    high: float
    sd: float
    coverage: float

    def __str__(self) -> str:
        return f"{self.value:.4f} [{self.low:.4f}, {self.high:.4f}]"


def percentile_interval(value: float, resampled: np.ndarray, coverage: float = 0.95) -> Interval:
    """Percentiles of the resampled values; Efron (1979), Bootstrap methods.  resampled: (b,) one for each crowd"""
    check_resampling(resampled.size, coverage)
    low, high = np.quantile(resampled, [(1 - coverage) / 2, (1 + coverage) / 2])
    return Interval(float(value), float(low), float(high), float(resampled.std(ddof=1)), coverage)


def bca_interval(
    value: float, resampled: np.ndarray, left_out: np.ndarray, times: np.ndarray, units: int, coverage: float = 0.95
) -> Interval:
    """Percentiles corrected for bias and skewness (BCa), and widened for few units.

        levels = Phi(z0 + (z0 -+ z) / (1 - a (z0 -+ z))),   z = t_{units - 1} sqrt(units / (units - 1))
        z0 = Phi^-1(share of resampled values below the value),   a = sum d^3 / (6 (sum d^2)^1.5)

    with d how far the value falls where a unit is left out. Efron (1987), Better bootstrap confidence intervals; for
    z, Hesterberg (2015), What teachers should know about the bootstrap, sec. 4.3.

    resampled  (b,) the number in each resampled crowd
    left_out   (g,) without each unit, or each group of units; times: (g,) how many units are alike in this
    """
    from scipy.special import ndtr, ndtri, stdtrit

    check_resampling(resampled.size, coverage)
    below = (np.count_nonzero(resampled < value) + np.count_nonzero(resampled == value) / 2) / resampled.size
    lean = float(ndtri(np.clip(below, 0.5 / resampled.size, 1 - 0.5 / resampled.size)))
    apart = np.average(left_out, weights=times) - left_out if times.sum() > 0 else np.zeros(0)
    square = float(times @ apart**2)
    skew = float(times @ apart**3) / (6 * square**1.5) if square > 0 else 0.0
    reach = float(stdtrit(max(units - 1, 1), (1 + coverage) / 2)) * (units / max(units - 1, 1)) ** 0.5
    moved = lean + np.array([-reach, reach])
    # No level corresponds to a larger skewness, so the end is the outermost resample.
    levels = ndtr(lean + moved / np.maximum(1 - skew * moved, 1e-3))
    low, high = np.quantile(resampled, levels)
    return Interval(float(value), float(low), float(high), float(resampled.std(ddof=1)), coverage)


def jackknife_interval(value: float, left_out: np.ndarray, coverage: float = 0.95) -> Interval:
    """Student's interval from the jackknife, which leaves out one unit at a time: for too few units to resample.

        value -+ t_{g - 1} sqrt((g - 1)/g sum_i (v_i - mean)^2)

    Miller (1974), The jackknife: a review.  left_out: (g,) without each unit, 2 or more
    """
    from scipy.special import stdtrit

    units = left_out.size
    error = float(np.sqrt((units - 1) / units * ((left_out - left_out.mean()) ** 2).sum()))
    half = float(stdtrit(units - 1, (1 + coverage) / 2)) * error
    return Interval(float(value), value - half, value + half, error, coverage)


def resampling_weights(count: int, replicates: int, rng: np.random.Generator) -> Iterator[np.ndarray]:
    """How often each of `count` things is drawn when as many are drawn with replacement.  blocks of (b, count)"""
    block = max(1, min(replicates, BLOCK // max(count, 1)))
    for start in range(0, replicates, block):
        yield rng.multinomial(count, np.full(count, 1 / count), size=min(block, replicates - start))


def check_resampling(replicates: int, coverage: float) -> None:
    if replicates < 2:
        raise Refusal("{replicates}: expected 2 or more, such as 1000", replicates=replicates)
    if not 0 < coverage < 1:
        raise ValueError(f"coverage is {coverage}; expected a share between 0 and 1, such as 0.95")
