"""How far a score could have come out otherwise: with other items, other annotators, other seeds.

What was drawn at random decides what is drawn again. Items: `over_items`, in clusters where items belong together
(sentences of one text). Annotators: `over_annotators`, all votes of a person left out at once. Seeds and items at once,
from the spread of both: `over_seeds`. Two models are compared on the same resampled items by handing over their
difference, or both at once to a statistic of your own.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any

import numpy as np

from dissensus.evaluate.means import drawn_means, grouped, share_interval, studentised
from dissensus.labels.doors import takes
from dissensus.labels.intervals import BLOCK, Interval, check_resampling, percentile_interval, resampling_weights
from dissensus.labels.votes import Votes

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
    """Intervals of means over items; all names are resampled together, so that intervals of differences are paired.

        mean* = sum_i w_i v_i / sum_i w_i over items with a value,   w the times item i was drawn

    They are studentised (`means.studentised`), since percentiles of mean* are too narrow for few items and for losses
    of which few are large; of shares they are Wilson's (`means.share_interval`), since no resampling of items that are
    all right says how many could be wrong. Of measures they are bias-corrected percentiles, Efron (1981),
    Nonparametric standard errors and confidence intervals. Coverage in worlds with a known truth:
    benchmarks/intervals/scorecard.py.

    Where items come in clusters, clusters are drawn instead, each with all its items: the interval then allows for
    items of a cluster being alike. Field and Welsh (2007), Bootstrapping clustered data. NaN is "no value": the item is
    left out of that mean. Where a value is infinite the mean is, and its interval is only that.

    values    name: (n,)
    clusters  (n,) names or codes of what each item belongs to; None where items are drawn on their own
    measures  name: other function of the drawn weights, such as `correlation(x, y)`
    bounds    name: least and largest value an item can have, for shares such as accuracy
    """
    check_resampling(replicates, coverage)
    named = {name: np.asarray(value, dtype=np.float64) for name, value in values.items()}
    n = _one_length(named, clusters)
    finite = {name: value for name, value in named.items() if not np.isinf(value).any()}
    groups = grouped(np.stack(list(finite.values()), axis=1) if finite else np.empty((n, 0)), clusters)
    others = dict(measures or {})
    apart, errors, drawn = [], [], []
    for weights in item_weights(n, replicates, rng, clusters):
        gap, error = drawn_means(groups, weights[:, groups.first] if groups.clustered else weights)
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
            intervals[name] = studentised(value, float(error[i]), float(freedom[i]), gap, spreads[:, i], coverage)
    for name in named.keys() - finite.keys():
        known = named[name][~np.isnan(named[name])]
        intervals[name] = Interval(float(known.mean()), float(known.mean()), float(known.mean()), math.nan, coverage)
    for i, (name, other) in enumerate(others.items()):
        intervals[name] = _bias_corrected(float(other(np.ones((1, n)))[0]), measured[:, i], coverage)
    return {name: intervals[name] for name in (*named, *others)}


def over_seeds(values: np.ndarray, *, coverage: float = 0.95) -> Interval:
    """Interval of a mean over runs and items, had both been others.

        mean -+ sqrt(t_{s-1}^2 max(R - E, 0) / (s n) + t_{n-1}^2 I / (s n))

    R, I and E are the mean squares of runs, of items and of what is neither's own (two-way analysis of variance), and
    each part gets the t of its own number of draws. Runs are few: resampling 3 of them finds their spread too small by
    a fifth on average, and its 95 % intervals held the truth in 74 % of simulated studies where runs differ much, these
    in 94 %. Howe (1974), Approximate confidence limits on the mean of X + Y; `sd` is the same root without the t. The
    ends may leave the range of a bounded score. For a paired comparison of two methods hand over the difference of runs
    with the same seed.

    values: (s, n), at least 2 runs
    """
    from scipy.special import stdtrit

    array = np.asarray(values, dtype=np.float64)
    if array.ndim != 2 or array.shape[0] < 2 or array.shape[1] < 2:
        raise ValueError(f"values have shape {array.shape}; expected (seeds, items) with 2 or more of both")
    if not np.isfinite(array).all():
        raise ValueError(f"{np.count_nonzero(~np.isfinite(array))} of {array.size} values are not finite")
    if not 0 < coverage < 1:
        raise ValueError(f"coverage is {coverage}; expected a share between 0 and 1, such as 0.95")
    runs, n = array.shape
    mean, of_run, of_item = array.mean(), array.mean(axis=1, keepdims=True), array.mean(axis=0)
    neither = float(((array - of_run - of_item + mean) ** 2).sum()) / ((runs - 1) * (n - 1))
    between_runs = max(n * float(of_run.var(ddof=1)) - neither, 0.0) / array.size
    between_items = float(of_item.var(ddof=1)) / n
    reach = [float(stdtrit(count - 1, (1 + coverage) / 2)) for count in (runs, n)]
    half = float(np.sqrt(reach[0] ** 2 * between_runs + reach[1] ** 2 * between_items))
    sd = float(np.sqrt(between_runs + between_items))
    return Interval(float(mean), float(mean) - half, float(mean) + half, sd, coverage)


@takes(votes=Votes)
def over_annotators(
    votes: Votes,
    score: Callable[[np.ndarray, np.ndarray], float],
    rng: np.random.Generator,
    *,
    replicates: int = 200,
    coverage: float = 0.95,
    least: float = -math.inf,
    most: float = math.inf,
) -> Interval:
    """Interval of a score when other people of the same kind had answered: annotators are left out with all votes.

        low, high = score +- t se,   se^2 = (g - 1)/g sum_g (score_(g) - mean of these)^2,   g - 1 degrees of freedom

    with score_(g) that of the crowd without group g: each annotator alone, or as many random groups as there are
    replicates. It is about the mean score of crowds of this size, for any score: the spread is never too small on
    average (Efron and Stein, 1981, The jackknife estimate of variance), and for distances to shares of few votes too
    large: 99 of 100 intervals called 95 % held the mean KL of crowds of 3 to 5 votes an item, 97 of 100 that of a share
    (benchmarks/intervals/annotators.py). Drawing annotators with repeats, as items are, would not do: votes that count
    twice make shares more extreme and every distance larger, so that the interval may not hold its own value. The KL
    to a larger crowd is lower than to this one; how far, `human_ceiling` estimates.

    Use it where few people gave many answers each; there the interval over items is far too narrow. An item that none
    of those left has seen is left out of that score.

    score        function of items used (n,) bool and the share of each class over these, (used, k) -> number
    replicates   how often the score is computed at most
    least, most  bounds of the score, such as 0 and 1 for accuracy
    """
    from scipy.special import stdtrit

    check_resampling(replicates, coverage)
    # Leaving out somebody without votes changes nothing, and would pass for one more person who agrees.
    names, who = np.unique(votes.identified("leaving out annotators")[0], return_inverse=True)
    if names.size < 2:
        raise ValueError(
            f"votes are by {names.size} annotator{'' if names.size == 1 else 's'}; an interval over annotators needs 2 "
            "or more, better 20"
        )
    n, k = votes.n_items, votes.n_classes
    cell = votes.item.astype(np.int64) * k + votes.choice

    def scored(kept: np.ndarray) -> float:
        counts = np.bincount(cell, weights=kept[who], minlength=n * k).reshape(n, k)
        total = counts.sum(axis=1)
        used = total > 0
        return float(score(used, counts[used] / total[used, None])) if used.any() else math.nan

    count = min(names.size, replicates)
    group = rng.permutation(names.size) % count
    without = np.array([scored((group != left_out).astype(np.float64)) for left_out in range(count)])
    value = scored(np.ones(names.size))
    if not math.isfinite(value) or not np.isfinite(without).all():
        ends = value if math.isinf(value) else math.nan
        return Interval(value, ends, ends, math.nan, coverage)
    sd = float(np.sqrt((count - 1) / count * ((without - without.mean()) ** 2).sum()))
    reach = float(stdtrit(count - 1, (1 + coverage) / 2)) * sd
    return Interval(value, max(value - reach, min(least, value)), min(value + reach, max(most, value)), sd, coverage)


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
    """Intervals for numbers that chance raises, such as calibration errors: wider below the value than above it.

        low  = value - (1 + sqrt 2) push - (upper quantile of value* - mean of value*),   no lower than `least`
        high = value + (mean of value* - lower quantile of value*),   push = mean of value* - value, where above 0

    A calibration error is pushed up by chance, and in resampled items by chance once more. Of a model that is
    calibrated, gaps are noise alone: twice its variance makes them sqrt 2 as large, so the push of the value itself is
    1/(sqrt 2 - 1) = 1 + sqrt 2 times the one that resampling adds. Of a model that is far from calibrated there is no
    push. After Davison and Hinkley (1997), Bootstrap methods, sec. 5.2, who mirror the quantiles at the value. Of 95 %
    intervals for 500 items in 10 bins, 83, 94 and 95 of 100 held a true error of 0, 0.05 and 0.1 (mirrored: 56, 81 and
    92; percentiles: 0, 62 and 96), and for 100 items 80 and 93 held 0 and 0.1.

    statistic  function of item positions (n,), with repeats -> name: number
    clusters   (n,) what each item belongs to: clusters are drawn instead of items, see `over_items`
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
    """A function of two columns as one of the item positions that were drawn, for `pivotal`."""
    return lambda x, y: lambda at: function(x[at], y[at])


def correlation(x: np.ndarray, y: np.ndarray) -> Measure:
    """Pearson's correlation of two numbers per item, for `over_items`.  x, y: (n,) -> (b, n) -> (b,)

    Not for ranks: those of the items at hand are not those of the items drawn. `rank_correlation` is.
    """
    return partial(_weighted_correlation, _standard(x), _standard(y))


def rank_correlation(x: np.ndarray, y: np.ndarray) -> Measure:
    """Spearman's correlation of two numbers per item, for `over_items`; those drawn are ranked anew each time.

    Where two columns are ranked nearly alike, the ranks of all items held fixed make intervals far too narrow. Equal
    values share their mean rank, and so do copies of one item.  x, y: (n,) -> (b, n) -> (b,)
    """
    places = [np.unique(np.asarray(side), return_inverse=True)[1].reshape(-1) for side in (x, y)]
    if places[0].size != places[1].size:
        raise ValueError(f"x has {places[0].size} numbers and y has {places[1].size}; expected (n,) in both")
    return partial(_drawn_rank_correlation, *places)


def item_weights(n: int, replicates: int, rng: np.random.Generator, clusters: Any = None) -> Iterator[np.ndarray]:
    """How often each item is drawn, alone or with its cluster.  blocks of (b, n) floats"""
    block = max(1, BLOCK // max(n, 1))
    if clusters is None:
        for start in range(0, replicates, block):
            # Counting drawn places takes a sixth of the time of rng.multinomial over ten thousand items.
            places = [rng.integers(0, n, n) for _ in range(min(block, replicates - start))]
            yield np.stack([np.bincount(place, minlength=n) for place in places]).astype(np.float64)
        return
    names, code = np.unique(np.asarray(clusters), return_inverse=True)
    if names.size < 2:
        raise ValueError(f"all {n} items are in one cluster, so there is nothing to draw again; expected 2 or more")
    for drawn in resampling_weights(names.size, replicates, rng):
        for start in range(0, drawn.shape[0], block):
            yield drawn[start : start + block, code].astype(np.float64)


def _standard(x: np.ndarray) -> np.ndarray:
    """With mean 0 and spread 1; all 0 where the numbers differ by rounding only.  (n,)"""
    apart = x - x.mean()
    spread = apart.std()
    return apart / spread if spread > 1e-14 * np.abs(x).max(initial=0.0) else np.zeros(x.size)


def _weighted_correlation(x: np.ndarray, y: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """NaN where one side is the same for all items drawn, as for a model that is always certain.  (b, n) -> (b,)"""
    total = np.maximum(weights.sum(axis=1), 1.0)
    mean_x, mean_y = weights @ x / total, weights @ y / total
    var_x, var_y = weights @ x**2 / total - mean_x**2, weights @ y**2 / total - mean_y**2
    both = weights @ (x * y) / total - mean_x * mean_y
    scale = np.sqrt(np.maximum(var_x, 0.0) * np.maximum(var_y, 0.0))
    return np.divide(both, scale, out=np.full(both.size, np.nan), where=scale > 1e-9)


def _drawn_rank_correlation(x: np.ndarray, y: np.ndarray, weights: np.ndarray) -> np.ndarray:
    from dissensus.evaluate.sorted_kernels import drawn_rank_correlations

    return drawn_rank_correlations(np.ascontiguousarray(weights, dtype=np.float64), x, y)


def _bias_corrected(value: float, resampled: np.ndarray, coverage: float) -> Interval:
    """Percentiles moved by how far the value lies from the middle of the resampled ones; NaN where it is not defined.

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
