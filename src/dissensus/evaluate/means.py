"""Intervals of means over items: studentised, for skewed losses and few items."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from dissensus.labels.display import shapes
from dissensus.labels.intervals import Interval

LEAST_ERROR = 0.3  # a resampled standard error counts as at least this share of the one of the data
FEW = 10  # degrees of freedom below which resampled sets are too few and too alike to show the tails


@dataclass(frozen=True, eq=False)
class Groups:
    """Sums over the units that are resampled: single items, or clusters.

    code      (n,) which of the g groups each item is in
    first     (g,) an item of each group
    residual  (g, s) sum over the group's items of value - mean, for s scores
    items     (g, s) how many of them have a value
    mean      (s,) over all items that have a value
    clustered whether groups are clusters, so that a group may have several items
    """

    code: np.ndarray
    first: np.ndarray
    residual: np.ndarray
    items: np.ndarray
    mean: np.ndarray
    clustered: bool

    __repr__ = shapes

    @property
    def error(self) -> np.ndarray:
        """Standard error of each mean, leaving out one group at a time; NaN if one group has all values.  (s,)

            se^2 = (g - 1)/g sum_g (mean_(g) - mean of these)^2

        For single items it is sd / sqrt(n). For clusters of unequal sizes the usual sandwich is too small, and this is
        not: MacKinnon, Nielsen and Webb (2023), Cluster-robust inference, on CV3.
        """
        total, used = self.items.sum(axis=0), self.items > 0
        with np.errstate(invalid="ignore", divide="ignore"):
            left = np.where(used, -self.residual / (total - self.items), 0.0)  # mean without the group, less the mean
            count = used.sum(axis=0)
            spread = (left**2).sum(axis=0) - left.sum(axis=0) ** 2 / count
            return np.sqrt(np.maximum(spread, 0.0) * (count - 1) / count) * np.where(count > 1, 1.0, np.nan)

    @property
    def freedom(self) -> np.ndarray:
        """Degrees of freedom of the standard error: groups minus 1, and fewer if few groups have most items.  (s,)

            (g - 1)/g (sum_g n_g^2)^2 / sum_g n_g^4

        and at least 1: Satterthwaite's, for sums whose spread rises with the size of the group. Bell and McCaffrey
        (2002), Bias reduction in standard errors for linear regression with multi-stage samples, do the same for
        regressions.
        """
        squares = self.items**2
        count = np.maximum((self.items > 0).sum(axis=0), 1)
        equal = squares.sum(axis=0) ** 2 / np.maximum((squares**2).sum(axis=0), 1.0)
        return np.maximum(equal * (count - 1) / count, 1.0)


def group_values(values: np.ndarray, clusters: Any) -> Groups:
    """Sum values by cluster.  values: (n, s), NaN if an item has none, never infinite; clusters: (n,) or None"""
    known = ~np.isnan(values)
    count = known.sum(axis=0)
    filled = np.where(known, values, 0.0)
    mean = np.divide(filled.sum(axis=0), count, out=np.full(count.size, np.nan), where=count > 0)
    residual = np.where(known, values - mean, 0.0)
    n = values.shape[0]
    if clusters is None:
        places = np.arange(n)
        return Groups(places, places, residual, known.astype(np.float64), mean, False)
    _, first, code = np.unique(np.asarray(clusters), return_index=True, return_inverse=True)
    sums, items = np.zeros((first.size, values.shape[1])), np.zeros((first.size, values.shape[1]))
    np.add.at(sums, code, residual)
    np.add.at(items, code, known)
    return Groups(code, first, sums, items, mean, True)


def resample_means(groups: Groups, drawn: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Compute means of resampled groups minus those of the data, and their standard errors.

        se*^2 = g/(g - 1) sum_g w_g (r_g - apart* n_g)^2 / (sum_g w_g n_g)^2

    drawn: (b, g) how often each group was drawn -> (b, s), (b, s), NaN if no value was drawn
    """
    r, m = groups.residual, groups.items
    size = (
        drawn @ m
        if groups.clustered or not m.all()
        else np.broadcast_to(drawn.sum(axis=1)[:, None], (len(drawn), r.shape[1]))
    )
    with np.errstate(invalid="ignore", divide="ignore"):
        total = drawn @ r
        apart = np.where(size > 0, total / size, np.nan)
        # Of single items m is 0 or 1, so r m is r and m^2 is m.
        cross, square = (drawn @ (r * m), drawn @ (m * m)) if groups.clustered else (total, size)
        variance = drawn @ (r * r) - 2 * apart * cross + apart**2 * square
        count = (m > 0).sum(axis=0)
        return apart, np.sqrt(np.maximum(variance, 0.0) * count / (count - 1)) / size


def student_interval(
    value: float, error: float, freedom: float, apart: np.ndarray, errors: np.ndarray, coverage: float
) -> Interval:
    """Compute the studentised bootstrap interval, from the distribution of t* = (mean* - mean) / se*.

        low, high = mean - quantiles of t* times se

    If a few large losses dominate the mean, a resample without them has a low mean and a small error, which t* takes
    into account and percentiles of mean* do not. Hall (1988), Theoretical comparison of bootstrap confidence intervals.
    With fewer than FEW degrees of freedom the resamples are too few to show the tails, so no end is nearer than
    Student's t. Losses dominated by a few items need a dozen items; docs/intervals.md has the coverage.

    apart, errors: (b,), see `resample_means`
    """
    from scipy.special import stdtrit

    known = ~np.isnan(apart)
    if known.sum() < 2 or math.isnan(error):
        return Interval(value, math.nan, math.nan, math.nan, coverage)
    sd = float(apart[known].std(ddof=1))
    if error == 0:
        return Interval(value, value, value, sd, coverage)
    t = apart[known] / np.maximum(errors[known], LEAST_ERROR * error)
    low, high = (float(end) for end in np.quantile(t, [(1 - coverage) / 2, (1 + coverage) / 2]))
    if freedom < FEW:
        least = float(stdtrit(freedom, (1 + coverage) / 2))
        low, high = min(low, -least), max(high, least)
    return Interval(value, value - high * error, value - low * error, sd, coverage)


def share_interval(
    value: float, error: float, freedom: float, bounds: tuple[float, float], sd: float, coverage: float
) -> Interval:
    """Compute the interval of a share, or of another mean with both bounds, which has a width also at its bound.

        (value - x)^2 = t^2 var(x),   var(x) = se^2 x (1 - x) / (value (1 - value)),   solved for x; bounds 0 and 1

    Wilson (1927), Probable inference; with the spread of the data in place of the binomial's, as for shares in surveys:
    Korn and Graubard (1998), Confidence intervals for proportions with small expected number of positive counts. If all
    items are at a bound, the spread of right and wrong answers is used.
    """
    from scipy.special import stdtrit

    if math.isnan(error):
        return Interval(value, math.nan, math.nan, math.nan, coverage)
    least, most = bounds
    x = (value - least) / (most - least)
    spread = x * (1 - x)
    scale = (error / (most - least)) ** 2 / spread if spread > 1e-12 else 1 / (freedom + 1)
    if scale == 0:
        return Interval(value, value, value, sd, coverage)
    pull = float(stdtrit(freedom, (1 + coverage) / 2)) ** 2 * scale
    middle, half = (x + pull / 2) / (1 + pull), math.sqrt(pull * max(spread, 0.0) + pull**2 / 4) / (1 + pull)
    low, high = (least + (most - least) * min(max(end, 0.0), 1.0) for end in (middle - half, middle + half))
    return Interval(value, min(low, value), max(high, value), sd, coverage)
