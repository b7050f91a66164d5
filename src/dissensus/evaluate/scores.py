"""Every score of METRICS for one model: values per item, numbers about all items, and their intervals."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import replace

import numpy as np

from dissensus.evaluate.bootstrap import Measure, over_items, pivotal
from dissensus.evaluate.calibration import confidence_and_outcome
from dissensus.evaluate.metrics import METRICS, Metric, Of, Reference
from dissensus.labels.intervals import Interval

CALIBRATION_REPLICATES = 200


def item_values(model: np.ndarray, people: np.ndarray, gold: np.ndarray | None) -> dict[str, np.ndarray]:
    """Compute one value per item for every score that has one; NaN for items without gold.

    model, people: (n, k), gold: (n,) codes, -1 for none -> name: (n,)
    """
    values = {}
    for name, metric in metrics_of("items", gold):
        if metric.against == "gold":
            assert gold is not None
            known = gold >= 0
            values[name] = np.full(known.size, np.nan)
            values[name][known] = metric.function(model[known], gold[known])
        else:
            values[name] = metric.function(model, people)
    return values


def measures_of_drawn(model: np.ndarray, people: np.ndarray) -> dict[str, Measure]:
    """Return numbers about all items as functions of how often each was drawn, if they have an interval."""
    resampled = {name: metric.resampled for name, metric in metrics_of("set", None)}
    return {name: function(model, people) for name, function in resampled.items() if function is not None}


def share_bounds(names: Iterable[str], least: float = 0.0) -> dict[str, tuple[float, float]]:
    """Return bounds of the scores that are shares, for `over_items`; least is -1 for differences of two models."""
    entries = ((name, METRICS[name]) for name in names)
    return {
        name: (least, 1.0)
        for name, metric in entries
        if metric.of == "items" and metric.lowest(2) == 0 and metric.highest(2) == metric.highest(3) == 1
    }


def scores_with_intervals(
    model: np.ndarray,
    people: np.ndarray,
    values: dict[str, np.ndarray],
    gold: np.ndarray | None,
    clusters: np.ndarray | None,
    rng: np.random.Generator,
    replicates: int,
    coverage: float,
) -> dict[str, Interval]:
    """Compute every score with its interval over items; NaN ends for a score without an interval.

    values: name: (n,), see `item_values`
    """
    items_rng, bins_rng = rng.spawn(2)
    scores = over_items(
        values,
        items_rng,
        clusters=clusters,
        measures=measures_of_drawn(model, people),
        bounds=share_bounds(values),
        replicates=replicates,
        coverage=coverage,
    )
    scores = {name: within_bounds(score, name, people.shape[1]) for name, score in scores.items()}
    columns = {
        against: confidence_columns(model, people, gold, against)
        for against in dict.fromkeys(metric.against for _, metric in metrics_of("confidence", gold))
    }
    statistics = {
        name: metric.resampled(*columns[metric.against])
        for name, metric in metrics_of("confidence", gold)
        if metric.resampled is not None
    }
    scores |= pivotal(
        lambda at: {name: statistic(at) for name, statistic in statistics.items()},
        people.shape[0],
        bins_rng,
        clusters=clusters,
        replicates=min(CALIBRATION_REPLICATES, replicates),
        coverage=coverage,
    )
    alone = {name: metric.function(model, people) for name, metric in metrics_of("set", gold) if name not in scores}
    alone |= {
        name: metric.function(*columns[metric.against])
        for name, metric in metrics_of("confidence", gold)
        if name not in scores
    }
    scores |= {name: Interval(float(value), math.nan, math.nan, math.nan, coverage) for name, value in alone.items()}
    return {name: scores[name] for name in METRICS if name in scores}


def within_bounds(score: Interval, name: str, k: int) -> Interval:
    """Clip an interval to the range that this score of METRICS has for k classes."""
    if math.isnan(score.low) or math.isinf(score.value):
        return score
    least, most = METRICS[name].lowest(k), METRICS[name].highest(k)
    return replace(score, low=max(score.low, min(least, score.value)), high=min(score.high, max(most, score.value)))


def metrics_of(of: Of, gold: np.ndarray | None) -> list[tuple[str, Metric]]:
    """Return the entries of METRICS of one kind; those against gold only if some item has gold."""
    chosen = [(name, metric) for name, metric in METRICS.items() if metric.of == of]
    if gold is not None and (gold >= 0).any():
        return chosen
    return [(name, metric) for name, metric in chosen if metric.against != "gold"]


def confidence_columns(
    model: np.ndarray, people: np.ndarray, gold: np.ndarray | None, against: Reference
) -> tuple[np.ndarray, np.ndarray]:
    """Return the confidence of the model's choice and its outcome, for items with an outcome.  (n,), (n,)"""
    if against == "gold":
        assert gold is not None
        return confidence_and_outcome(model[gold >= 0], gold=gold[gold >= 0])
    return confidence_and_outcome(model, people, against=against)
