"""What the true distributions would score against people's votes, from the votes alone, with intervals that cover."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np

from dissensus.aggregate.priors.dirichlet_mixture import posterior_sample
from dissensus.aggregate.priors.shrinkage import shrinkage
from dissensus.evaluate.closed_forms import PossibleTruth
from dissensus.evaluate.metrics import METRICS, Metric
from dissensus.labels.distributions import Distributions
from dissensus.labels.intervals import Interval

REFIT_ITEMS = 1_000  # items drawn for each refit of the prior: from more the spread is scaled down, to save time


def truth_scores(counts: np.ndarray, rng: np.random.Generator, draws: int) -> tuple[dict[str, float], dict[str, float]]:
    """The expected score of the truth under every metric that has a ceiling, and its variance by the drawing.

        value = mean over draws and items of score(prediction = p_i, labels = share of all votes on i)

    p_i is drawn from what the votes leave possible, see `shrinkage`, whose prior is fitted to these counts. A metric
    with `of_truth` needs the draw for a part only. 0 where a score is undefined: a correlation with no spread.

    counts: (n, k) whole numbers, two or more in each row
    """
    posterior = shrinkage(Distributions.from_counts(counts)).posterior
    drawn = [PossibleTruth(posterior_sample(posterior, rng), counts) for _ in range(draws)]
    values, noise = {}, {}
    for name, metric in METRICS.items():
        if metric.ceiling:
            each = np.array([_score(metric, truth) for truth in drawn])
            values[name], noise[name] = float(each.mean()), float(each.var(ddof=1) / draws)
    return values, noise


def truth_intervals(
    counts: np.ndarray,
    rng: np.random.Generator,
    *,
    draws: int,
    refits: int,
    coverage: float = 0.95,
    clusters: Any = None,
) -> dict[str, Interval]:
    """`truth_scores` with intervals over items, or over clusters of items, for which the prior is fitted anew.

        sd^2 = variance of value* over resampled items,   low, high = value -+ t sd

    t is Student's quantile for refits - 1 degrees of freedom; low and high stay within the bounds of the score. The
    prior is fitted again for every resampled set of items, since its own uncertainty is most of that of the value. Of
    more than REFIT_ITEMS items as many are drawn, and the variance is scaled by drawn/all.
    Bickel, Goetze and van Zwet (1997), Resampling fewer than n observations.
    What the finite number of draws adds to the variance of value* is taken off, and put on once for the value.
    """
    from scipy.stats import t as student

    value_rng, items_rng = rng.spawn(2)
    values, noise = truth_scores(counts, value_rng, draws)
    again, size = [], []
    for items, part in _resampled(counts.shape[0], refits, items_rng, clusters):
        again.append(truth_scores(counts[items], items_rng, draws))
        size.append(part)
    wide, k = float(student.ppf((1 + coverage) / 2, refits - 1)), counts.shape[1]
    intervals = {}
    for name, value in values.items():
        spread = float(
            np.var([scores[name] for scores, _ in again], ddof=1) - np.mean([by_draws[name] for _, by_draws in again])
        )
        sd = math.sqrt(max(spread, 0.0) * np.mean(size) + noise[name])
        low, high = max(value - wide * sd, METRICS[name].lowest(k)), min(value + wide * sd, METRICS[name].highest(k))
        intervals[name] = Interval(value, min(low, value), max(high, value), sd, coverage)
    return intervals


def _score(metric: Metric, truth: PossibleTruth) -> float:
    value = metric.function(truth.probs, truth.share) if metric.of_truth is None else metric.of_truth(truth)
    known = np.asarray(value)[~np.isnan(value)]
    return float(known.mean()) if known.size else 0.0


def _resampled(n: int, times: int, rng: np.random.Generator, clusters: Any) -> Iterator[tuple[np.ndarray, float]]:
    """Places of items drawn with replacement, each with its cluster, and the share of clusters that was drawn."""
    code = np.arange(n) if clusters is None else np.unique(np.asarray(clusters), return_inverse=True)[1].reshape(-1)
    by_cluster = np.argsort(code, kind="stable")
    ends = np.cumsum(np.bincount(code))
    drawn = max(2, round(ends.size * min(1.0, REFIT_ITEMS / n)))
    for _ in range(times):
        chosen = rng.integers(0, ends.size, drawn)
        first = ends[chosen - 1] * (chosen > 0)
        length = ends[chosen] - first
        offset = np.arange(length.sum()) - np.repeat(np.cumsum(length) - length, length)
        yield by_cluster[np.repeat(first, length) + offset], drawn / ends.size
