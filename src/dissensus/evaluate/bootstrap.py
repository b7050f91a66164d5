"""Confidence intervals over items.

Resample what was sampled. Items: `over_items`, in clusters if items belong together (sentences of one text).
Annotators: `over_people.over_annotators`. Seeds and items together: `over_runs.over_seeds`. To compare two models on
the same resampled items, pass their difference.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np

from dissensus.evaluate.means import group_values, resample_means, share_interval, student_interval
from dissensus.labels.intervals import BLOCK, Interval, check_resampling, percentile_interval, resampling_weights
from dissensus.labels.streams import check_generator

Measure = Callable[[np.ndarray], np.ndarray]  # (b, n) how often each item was drawn -> (b,)


def over_items(
    values: Mapping[str, np.ndarray],
    rng: np.random.Generator,
    *,
    clusters: Any = None,
    measures: Mapping[str, Measure] | None = None,
    bounds: Mapping[str, tuple[float, float]] | None = None,
    replicates: int = 1000,
    coverage: float = 0.95,
) -> dict[str, Interval]:
    """Compute intervals of means over items by resampling the items.

        mean* = sum_i w_i v_i / sum_i w_i over items with a value,   w_i the times item i was drawn

    All names are resampled together, so intervals of differences are paired. Intervals of means are studentised
    (`means.student_interval`), since percentiles are too narrow for few items and for losses dominated by a few items.
    Those of shares are Wilson's (`means.share_interval`). Those of measures are bias-corrected percentiles, Efron
    (1981), Nonparametric standard errors and confidence intervals.

    With clusters, whole clusters are resampled: Field and Welsh (2007), Bootstrapping clustered data. An item whose
    value is NaN is left out of that mean. An infinite value makes the mean and its interval infinite.

    Parameters
    ----------
    values : name: (n,) one value per item
    rng : random generator of the bootstrap
    clusters : (n,) names or codes of what each item belongs to; None for independent items
    measures : name: other function of the resampling weights, such as `drawn_correlations.correlation(x, y)`
    bounds : name: smallest and largest value an item can have, for shares such as accuracy
    replicates : bootstrap resamples
    coverage : of the intervals

    Returns
    -------
    name: the mean with its interval

    Examples
    --------
    >>> over_items({"kl": np.array([0.1, 0.2, 0.3, 0.4])}, np.random.default_rng(0))["kl"].value
    0.25
    """
    check_resampling(replicates, coverage)
    named = {name: np.asarray(value, dtype=np.float64) for name, value in values.items()}
    n = _one_length(named, clusters)
    finite = {name: value for name, value in named.items() if not np.isinf(value).any()}
    groups = group_values(np.stack(list(finite.values()), axis=1) if finite else np.empty((n, 0)), clusters)
    others = dict(measures or {})
    apart, errors, drawn = [], [], []
    check_generator(rng)
    for weights in item_weights(n, replicates, rng, clusters):
        gap, error = resample_means(groups, weights[:, groups.first] if groups.clustered else weights)
        apart.append(gap)
        errors.append(error)
        drawn.append(np.stack([other(weights) for other in others.values()], axis=1) if others else gap[:, :0])
    gaps, spreads, measured = (np.concatenate(blocks) for blocks in (apart, errors, drawn))
    error, freedom = groups.error, groups.freedom
    intervals = {}
    for i, name in enumerate(finite):
        value, gap = float(groups.mean[i]), gaps[:, i]
        if bounds is not None and name in bounds:
            sd = float(np.nanstd(gap, ddof=1)) if not math.isnan(value) else math.nan
            intervals[name] = share_interval(value, float(error[i]), float(freedom[i]), bounds[name], sd, coverage)
        else:
            intervals[name] = student_interval(value, float(error[i]), float(freedom[i]), gap, spreads[:, i], coverage)
    for name in named.keys() - finite.keys():
        known = named[name][~np.isnan(named[name])]
        intervals[name] = Interval(float(known.mean()), float(known.mean()), float(known.mean()), math.nan, coverage)
    for i, (name, other) in enumerate(others.items()):
        intervals[name] = _correct_bias(float(other(np.ones((1, n)))[0]), measured[:, i], coverage)
    return {name: intervals[name] for name in (*named, *others)}


def pivotal(
    statistic: Callable[[np.ndarray], Mapping[str, float]],
    n: int,
    rng: np.random.Generator,
    *,
    clusters: Any = None,
    replicates: int = 200,
    coverage: float = 0.95,
    least: float = 0.0,
) -> dict[str, Interval]:
    """Compute intervals for numbers that chance raises, such as calibration errors.

        low  = value - (1 + sqrt 2) push - (upper quantile of value* - mean of value*),   no lower than `least`
        high = value + (mean of value* - lower quantile of value*),   push = mean of value* - value, if above 0

    Chance raises a calibration error, and resampling raises it once more. For a calibrated model the gaps are noise
    alone: twice its variance makes them sqrt 2 as large, so the bias of the value is 1/(sqrt 2 - 1) = 1 + sqrt 2 times
    the one that resampling adds. After Davison and Hinkley (1997), Bootstrap methods, sec. 5.2, who mirror the
    quantiles at the value. docs/intervals.md has their coverage.

    statistic  function of item positions (n,), with repeats -> name: number
    clusters   (n,) what each item belongs to: clusters are resampled instead of items, see `over_items`
    """
    check_resampling(replicates, coverage)
    values, places = statistic(np.arange(n)), np.arange(n)
    if clusters is None:
        drawn = [statistic(rng.integers(0, n, n)) for _ in range(replicates)]
    else:
        weights = (row for block in item_weights(n, replicates, rng, clusters) for row in block)
        drawn = [statistic(np.repeat(places, row.astype(np.int64))) for row in weights]
    intervals = {}
    for name, value in values.items():
        resampled = np.array([values_drawn[name] for values_drawn in drawn])
        raw, middle = percentile_interval(value, resampled, coverage), float(resampled.mean())
        push = (1 + math.sqrt(2)) * max(middle - value, 0.0)
        low, high = value - push - (raw.high - middle), value + (middle - raw.low)
        intervals[name] = Interval(value, max(low, least), max(high, least), raw.sd, coverage)
    return intervals


def of_drawn_items(
    function: Callable[[np.ndarray, np.ndarray], float],
) -> Callable[[np.ndarray, np.ndarray], Callable[[np.ndarray], float]]:
    """Turn a function of two columns into one of the item positions that were drawn, for `pivotal`."""
    return lambda x, y: lambda at: function(x[at], y[at])


def item_weights(n: int, replicates: int, rng: np.random.Generator, clusters: Any = None) -> Iterator[np.ndarray]:
    """Draw how often each item is resampled, alone or with its cluster.  blocks of (b, n) floats"""
    block = max(1, BLOCK // max(n, 1))
    if clusters is None:
        for start in range(0, replicates, block):
            # Counting drawn places takes a sixth of the time of rng.multinomial over ten thousand items.
            places = [rng.integers(0, n, n) for _ in range(min(block, replicates - start))]
            yield np.stack([np.bincount(place, minlength=n) for place in places]).astype(np.float64)
        return
    names, code = np.unique(np.asarray(clusters), return_inverse=True)
    if names.size < 2:
        raise ValueError(f"all {n} items are in one cluster, so there is nothing to resample; expected 2 or more")
    for drawn in resampling_weights(names.size, replicates, rng):
        for start in range(0, drawn.shape[0], block):
            yield drawn[start : start + block, code].astype(np.float64)


def _correct_bias(value: float, resampled: np.ndarray, coverage: float) -> Interval:
    """Shift percentiles by how far the value is from the median of the resamples; NaN if it is not defined.

    alpha -> Phi(2 z_0 + Phi^-1(alpha)),   z_0 = Phi^-1(share of resampled values below the value)
    """
    from scipy.special import ndtr, ndtri

    known = resampled[~np.isnan(resampled)]
    if math.isnan(value) or known.size < 2:
        return Interval(value, math.nan, math.nan, math.nan, coverage)
    below = ((known < value).mean() + (known <= value).mean()) / 2
    middle = ndtri(np.clip(below, 1 / (2 * known.size), 1 - 1 / (2 * known.size)))
    ends = ndtr(2 * middle + ndtri(np.array([(1 - coverage) / 2, (1 + coverage) / 2])))
    low, high = np.quantile(known, ends)
    return Interval(value, min(float(low), value), max(float(high), value), float(known.std(ddof=1)), coverage)


def _one_length(values: Mapping[str, np.ndarray], clusters: Any) -> int:
    sizes = {name: value.shape for name, value in values.items()}
    if clusters is not None:
        sizes["clusters"] = np.shape(clusters)
    lengths = set(sizes.values())
    if len(lengths) != 1 or len(next(iter(lengths))) != 1 or not next(iter(lengths))[0]:
        raise ValueError(f"values have the shapes {sizes}; expected one number per item under every name, (n,)")
    return int(next(iter(lengths))[0])
