"""Scores of the true distributions against people's votes, estimated from the votes alone, with intervals."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from dissensus.aggregate.priors.dirichlet_mixture import posterior_sample
from dissensus.aggregate.priors.shrinkage import shrinkage
from dissensus.evaluate.closed_forms import PossibleTruth
from dissensus.evaluate.metrics import METRICS, Metric
from dissensus.labels.distributions import Distributions
from dissensus.labels.intervals import Interval

REFIT_ITEMS = 1_000  # items drawn for each refit of the prior: from more the spread is scaled down, to save time
REST = 0.1  # the share by which the part of an entropy that votes say nothing about is allowed to be wrong


@dataclass(frozen=True)
class TruthScores:
    """Scores of the truth by name: values, and two variances of each.

    noise  by the finite number of draws
    form   by the form of the prior, which may be wrong; 0 if nothing is known about it
    """

    values: dict[str, float]
    noise: dict[str, float]
    form: dict[str, float]


def truth_scores(counts: np.ndarray, rng: np.random.Generator, draws: int) -> TruthScores:
    """Estimate the expected score of the truth under every metric that has a ceiling.

        value = mean over draws and items of score(prediction = p_i, labels = share of all votes on i)

    p_i is drawn from the posterior of `shrinkage`, whose prior is fitted to these counts. A metric with `of_truth`
    needs the draw for a part only. Draws without a score (a correlation needs some spread) are left out of its mean;
    NaN if none has it.

    Votes determine the first terms of an entropy, and so the error of the draws in these terms. The remaining terms are
    assumed to be wrong by as much again, and by a tenth of themselves, which is what `form` allows for:

        form = (mean of known - drawn)^2 + (REST mean of rest)^2

    counts: (n, k) whole numbers, two or more in each row
    """
    posterior = shrinkage(Distributions.from_counts(counts)).posterior
    drawn = [PossibleTruth(posterior_sample(posterior, rng), counts) for _ in range(draws)]
    # The noise of few draws stays in: without it intervals of the KL of few draws are too narrow.
    wrong = float(np.mean([(truth.known - truth.drawn).mean() for truth in drawn]))
    off = math.hypot(wrong, REST * float(np.mean([truth.rest.mean() for truth in drawn])))
    values, noise, form = {}, {}, {}
    for name, metric in METRICS.items():
        if metric.ceiling:
            each = np.array([_score(metric, truth) for truth in drawn])
            values[name], noise[name] = _mean_and_noise(each[~np.isnan(each)])
            form[name] = 0.0 if metric.of_truth is None else (_score(metric, replace(drawn[0], off=off)) - each[0]) ** 2
    return TruthScores(values, noise, form)


def truth_intervals(
    counts: np.ndarray,
    rng: np.random.Generator,
    *,
    draws: int,
    refits: int,
    coverage: float = 0.95,
    clusters: Any = None,
) -> dict[str, Interval]:
    """Compute `truth_scores` with intervals over items or clusters, refitting the prior to each resample.

        sd^2 = variance of value* over resampled items + form,   low, high = value -+ t sd

    t is Student's quantile for refits - 1 degrees of freedom; low and high stay within the bounds of the score. The
    prior is refitted since its own uncertainty is most of that of the value. With more than REFIT_ITEMS items as many
    are drawn, and the variance is scaled by drawn/all. Bickel, Goetze and van Zwet (1997), Resampling fewer than n
    observations. The variance by the finite number of draws is subtracted from that of value*, and added once for the
    value.
    """
    from scipy.special import stdtrit  # and not scipy.stats, which takes half a second to load

    value_rng, items_rng = rng.spawn(2)
    truth = truth_scores(counts, value_rng, draws)
    again, size = [], []
    for items, part in _resample(counts.shape[0], refits, items_rng, clusters):
        again.append(truth_scores(counts[items], items_rng, draws))
        size.append(part)
    wide, k = float(stdtrit(refits - 1, (1 + coverage) / 2)), counts.shape[1]
    intervals = {}
    for name, value in truth.values.items():
        known = [resample for resample in again if not math.isnan(resample.values[name])]
        if math.isnan(value) or len(known) < 2:
            intervals[name] = Interval(value, math.nan, math.nan, math.nan, coverage)
            continue
        spread = float(
            np.var([resample.values[name] for resample in known], ddof=1)
            - np.mean([resample.noise[name] for resample in known])
        )
        sd = math.sqrt(max(spread, 0.0) * np.mean(size) + truth.noise[name] + truth.form[name])
        low, high = max(value - wide * sd, METRICS[name].lowest(k)), min(value + wide * sd, METRICS[name].highest(k))
        intervals[name] = Interval(value, min(low, value), max(high, value), sd, coverage)
    return intervals


def _score(metric: Metric, truth: PossibleTruth) -> float:
    value = metric.function(truth.probs, truth.share) if metric.of_truth is None else metric.of_truth(truth)
    known = np.asarray(value)[~np.isnan(value)]
    return float(known.mean()) if known.size else math.nan


def _mean_and_noise(known: np.ndarray) -> tuple[float, float]:
    """Average draws, with the variance by their number; NaN and 0 without any.  (d,)"""
    if not known.size:
        return math.nan, 0.0
    return float(known.mean()), float(known.var(ddof=1) / known.size) if known.size > 1 else 0.0


def _resample(n: int, times: int, rng: np.random.Generator, clusters: Any) -> Iterator[tuple[np.ndarray, float]]:
    """Draw positions of items with replacement, each with its cluster, and the share of clusters drawn."""
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
