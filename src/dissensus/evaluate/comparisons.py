"""Several models against the same people: a scorecard each, and how far they differ from the first."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
import pyarrow as pa

from dissensus.evaluate.bootstrap import Measure, over_items
from dissensus.evaluate.matching import match_models
from dissensus.evaluate.metrics import METRICS
from dissensus.evaluate.scorecard_views import main_scores, notebook_table, score_table, sizes_of
from dissensus.evaluate.scorecards import Scorecard, scored_cards
from dissensus.evaluate.scores import drawn_measures, share_bounds
from dissensus.evaluate.significance import Comparison, holm
from dissensus.evaluate.statistics import clustered_t, paired_t
from dissensus.labels.as_json import as_json
from dissensus.labels.doors import described
from dissensus.labels.frames import pandas_frame, polars_frame
from dissensus.labels.intervals import Interval
from dissensus.labels.matching import Missing

SHOWN_MODELS = 8  # in the text of a comparison


@dataclass(frozen=True)
class Difference:
    """How far a model is from the reference on one score.

    interval    of score(model) - score(reference), both on the same resampled items
    comparison  paired t-test of that mean over items, which allows for clusters where there are some, corrected for all
                tests of the table; None for a score that has no value per item, or where all items differ by the same
    """

    model: str
    reference: str
    score: str
    interval: Interval
    comparison: Comparison | None

    def as_json(self) -> dict[str, Any]:
        record = {"model": self.model, "reference": self.reference, "score": self.score}
        record["difference"] = as_json(self.interval)
        return record if self.comparison is None else record | {"comparison": self.comparison.as_json()}


@dataclass(frozen=True, eq=False, repr=False)
class ModelComparison:
    """Scorecards by name, the first being the reference, and each other's differences from it."""

    cards: dict[str, Scorecard]
    differences: tuple[Difference, ...]
    remarks: tuple[str, ...]

    @property
    def reference(self) -> Scorecard:
        return next(iter(self.cards.values()))

    @property
    def all_remarks(self) -> list[str]:
        """What a reader should know about these numbers, each remark once: those of every card, then of the whole."""
        return list(
            dict.fromkeys([*(remark for card in self.cards.values() for remark in card.remarks), *self.remarks])
        )

    def to_arrow(self) -> pa.Table:
        """An Arrow table, one row per model and score: model, score, value, low, high, half_crowd, at_best."""
        return score_table(list(self.cards.values()))

    def to_pandas(self) -> Any:
        """A pandas DataFrame with the columns of `to_arrow`."""
        return pandas_frame(self.to_arrow())

    def to_polars(self) -> Any:
        """A polars DataFrame with the columns of `to_arrow`."""
        return polars_frame(self.to_arrow())

    def __repr__(self) -> str:
        shown = [f"  {card.name}: {main_scores(card)}" for card in list(self.cards.values())[:SHOWN_MODELS]]
        more = [f"  and {len(self.cards) - SHOWN_MODELS} more"] if len(self.cards) > SHOWN_MODELS else []
        head = f"ModelComparison: {len(self.cards)} models · {sizes_of(self.reference)}"
        return "\n".join([head, *shown, *more])

    def _repr_html_(self) -> str:
        return notebook_table(list(self.cards.values()), f"{len(self.cards)} models against people")

    def as_json(self) -> dict[str, Any]:
        """The reference's scorecard; with several models also `compare` (the others) and `differences`."""
        record = self.reference.as_json()
        if len(self.cards) > 1:
            others = list(self.cards.values())[1:]
            record["compare"] = {card.name: card.as_json() for card in others}
            record["differences"] = [difference.as_json() for difference in self.differences]
        return record | {"remarks": list(dict.fromkeys([*record["remarks"], *self.remarks]))}


def compare(
    models: Mapping[str, Any],
    labels: Any,
    *,
    rng: np.random.Generator,
    gold: Any = None,
    columns: Mapping[str, Any] | None = None,
    clusters: Any = None,
    ceiling: bool = True,
    missing: Missing = "refuse",
    rescale: bool = False,
    replicates: int = 1000,
    coverage: float = 0.95,
) -> ModelComparison:
    """A scorecard of each model on the same items, and the differences from the first, paired item by item.

    The difference of a mean is bootstrapped over items and tested by a paired t-test, or where there are clusters by
    `clustered_t`, which is about the same mean; Holm over all models and scores:
    it tells whether the difference would hold on other items, not whether it would hold for other seeds of the same
    training. For that hand one score per seed to `wilcoxon`.

    models: name: predictions; everything else as in `scorecard`
    """
    if not isinstance(models, Mapping):
        raise ValueError(
            f"compare takes models by name, {{'mine': predictions, 'theirs': ...}}; this is {described(models)}: "
            "scorecard(predictions, labels, rng=...) scores one"
        )
    if not models:
        raise ValueError("there are no models to compare; expected at least one")
    card_rng, *pair_rngs = rng.spawn(len(models))
    shared = match_models(models, labels, gold, columns, clusters, missing, rescale)
    cards = scored_cards(shared, card_rng, ceiling, replicates, coverage)
    reference, *others = cards.values()
    differences: list[Difference] = []
    remarks: list[str] = []
    for other, pair_rng in zip(others, pair_rngs, strict=True):
        if not other.values:
            remarks.append("differences between models are given without intervals or tests for so many items")
            differences += _plain_differences(other, reference)
            continue
        differences += _differences(other, reference, shared.clusters, pair_rng, replicates, coverage)
        remarks += [
            f"{other.name} and {reference.name} cannot be compared on {name}: it is infinite"
            for name in _compared(other.values)
            if not _finite(name, other, reference)
        ]
    return ModelComparison(cards, tuple(_corrected(differences)), tuple(dict.fromkeys(remarks)))


def _differences(
    other: Scorecard,
    reference: Scorecard,
    clusters: np.ndarray | None,
    rng: np.random.Generator,
    replicates: int,
    coverage: float,
) -> list[Difference]:
    finite = [name for name in _compared(other.values) if _finite(name, other, reference)]
    apart = {name: _apart(other.values[name], reference.values[name]) for name in finite}
    mine, theirs = (drawn_measures(card.predictions.probs, card.people.probs) for card in (other, reference))
    measures: dict[str, Measure] = {name: partial(_gap, mine[name], theirs[name]) for name in _compared(mine)}
    drawn = over_items(
        apart,
        rng,
        clusters=clusters,
        measures=measures,
        bounds=share_bounds(apart, least=-1.0),
        replicates=replicates,
        coverage=coverage,
    )
    return [
        Difference(other.name, reference.name, name, interval, _test(apart.get(name), clusters))
        for name, interval in drawn.items()
        if not np.isnan(interval.value)
    ]


def _compared(scores: Mapping[str, Any]) -> list[str]:
    """Those of the scores by which models are compared."""
    return [name for name, metric in METRICS.items() if metric.compared and name in scores]


def _finite(name: str, *cards: Scorecard) -> bool:
    return not any(np.isinf(card.values[name]).any() for card in cards)


def _apart(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Differences per item; what only rounding tells apart is equal, or a t-test would find it.  (n,)"""
    gap = a - b
    return np.where(np.abs(gap) <= 1e-12 * np.maximum(np.maximum(np.abs(a), np.abs(b)), 1.0), 0.0, gap)


def _test(gap: np.ndarray | None, clusters: np.ndarray | None) -> Comparison | None:
    if gap is None:
        return None
    known = ~np.isnan(gap)
    gap, clusters = gap[known], None if clusters is None else clusters[known]
    if gap.size < 2 or np.ptp(gap) <= 1e-12 * np.abs(gap).max():
        return None
    if clusters is None:
        return paired_t(gap, np.zeros(gap.size))
    code = np.unique(clusters, return_inverse=True)[1]
    means = np.bincount(code, gap) / np.bincount(code)
    if np.ptp(means) <= 1e-12 * np.abs(gap).max():
        return None
    return clustered_t(gap, np.zeros(gap.size), clusters)


def _corrected(differences: list[Difference]) -> list[Difference]:
    family = holm(
        {str(i): difference.comparison for i, difference in enumerate(differences) if difference.comparison is not None}
    )
    return [replace(difference, comparison=family.get(str(i))) for i, difference in enumerate(differences)]


def _plain_differences(other: Scorecard, reference: Scorecard) -> list[Difference]:
    nan = float("nan")
    apart = {name: other.scores[name].value - reference.scores[name].value for name in _compared(other.scores)}
    return [
        Difference(other.name, reference.name, name, Interval(value, nan, nan, nan, 0.95), None)
        for name, value in apart.items()
        if np.isfinite(value)
    ]


def _gap(mine: Measure, theirs: Measure, weights: np.ndarray) -> np.ndarray:
    return mine(weights) - theirs(weights)
