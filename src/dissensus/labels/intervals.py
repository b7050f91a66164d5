"""Intervals by resampling: how far a number about a crowd could have come out otherwise."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

BLOCK = 20_000_000  # numbers held at once while resampling


@dataclass(frozen=True)
class Interval:
    """A number with the range that holds it in a share `coverage` of resampled crowds.

    value  computed from the data as they are
    low, high  percentiles of the resampled values; Efron (1979), Bootstrap methods
    sd     their standard deviation, the standard error of `value`
    """

    value: float
    low: float
    high: float
    sd: float
    coverage: float

    def __str__(self) -> str:
        return f"{self.value:.4f} [{self.low:.4f}, {self.high:.4f}]"


def percentile_interval(value: float, resampled: np.ndarray, coverage: float = 0.95) -> Interval:
    """resampled: (b,) the number in each resampled crowd"""
    check_resampling(resampled.size, coverage)
    low, high = np.quantile(resampled, [(1 - coverage) / 2, (1 + coverage) / 2])
    return Interval(float(value), float(low), float(high), float(resampled.std(ddof=1)), coverage)


def resampling_weights(count: int, replicates: int, rng: np.random.Generator) -> Iterator[np.ndarray]:
    """How often each of `count` things is drawn when as many are drawn with replacement.  blocks of (b, count)"""
    block = max(1, min(replicates, BLOCK // max(count, 1)))
    for start in range(0, replicates, block):
        yield rng.multinomial(count, np.full(count, 1 / count), size=min(block, replicates - start))


def check_resampling(replicates: int, coverage: float) -> None:
    if replicates < 2:
        raise ValueError(f"{replicates} resampled crowds were asked for; an interval needs 2 or more, better 1000")
    if not 0 < coverage < 1:
        raise ValueError(f"coverage is {coverage}; expected a share between 0 and 1, such as 0.95")
