"""Several models against the same people: a scorecard each, and their differences from the first."""

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
from dissensus.evaluate.scorecards import Scorecard, build_cards
from dissensus.evaluate.scores import measures_of_drawn, share_bounds
from dissensus.evaluate.significance import Comparison, holm
from dissensus.evaluate.statistics import clustered_t, paired_t
from dissensus.labels.as_json import as_json
from dissensus.labels.doors import describe_type
from dissensus.labels.frames import pandas_frame, polars_frame
from dissensus.labels.intervals import Interval
from dissensus.labels.matching import Missing
from dissensus.labels.refusals import PythonWay, Refusal
from dissensus.labels.streams import check_generator

SHOWN_MODELS = 8  # in the text of a comparison


@dataclass(frozen=True)
class ModelDifference:
    """The difference of a model from the reference on one score.

    interval    of score(model) - score(reference), both on the same resampled items
    comparison  paired t-test of that mean over items or clusters, corrected for all tests of the table; None for a
                score without values per item, or if all items differ by the same amount
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
    differences: tuple[ModelDifference, ...]
    remarks: tuple[str, ...]

    @property
    def reference(self) -> Scorecard:
        return next(iter(self.cards.values()))

    @property
    def all_remarks(self) -> list[str]:
        """The remarks of every card, then those of the comparison, each once."""
        return list(
            dict.fromkeys([*(remark for card in self.cards.values() for remark in card.remarks), *self.remarks])
        )

    def to_arrow(self) -> pa.Table:
        """Return an Arrow table, one row per model and score: model, score, value, low, high, half_crowd, at_best."""
        return score_table(list(self.cards.values()))

    def to_pandas(self) -> Any:
        """Return a pandas DataFrame with the columns of `to_arrow`."""
        return pandas_frame(self.to_arrow())

    def to_polars(self) -> Any:
        """Return a polars DataFrame with the columns of `to_arrow`."""
        return polars_frame(self.to_arrow())

    def __repr__(self) -> str:
        shown = [f"  {card.name}: {main_scores(card)}" for card in list(self.cards.values())[:SHOWN_MODELS]]
        more = [f"  and {len(self.cards) - SHOWN_MODELS} more"] if len(self.cards) > SHOWN_MODELS else []
        head = f"ModelComparison: {len(self.cards)} models · {sizes_of(self.reference)}"
        return "\n".join([head, *shown, *more])

    def _repr_html_(self) -> str:
        return notebook_table(list(self.cards.values()), f"{len(self.cards)} models against people")

    def as_json(self) -> dict[str, Any]:
        """Return the scorecard of the reference; with several models also `compare` (the others) and `differences`."""
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
    """Score several models on the same items, and test their differences from the first, paired by item.

    The difference of a mean is bootstrapped over items and tested by a paired t-test, or with clusters by
    `clustered_t`, with Holm's correction over all models and scores. The test is about other items, not about other
    seeds of the same training: for seeds, pass one score per seed to `wilcoxon`.

    Parameters
    ----------
    models : name: predictions; the first is the reference
    labels : Votes, Distributions, (n, k) counts or probabilities, or People; see `as_people`
    rng : random generator of the bootstrap
    gold : (n,) class names or codes in the order of the labels' items; None, NaN or -1 if there is none
    columns : name: (n,) values to slice by, in the same order
    clusters : (n,) what each item belongs to, if items come in groups (sentences of one text)
    ceiling : also estimate how well people predict people; needs votes or their counts
    missing : items that only one side has: "refuse" or "leave out"
    rescale : divide rows of predictions that do not sum to 1 by their sum, and report how many
    replicates : bootstrap resamples behind each interval; at most 200 for calibration, which is slower
    coverage : of the intervals

    Returns
    -------
    a scorecard per model, the differences and remarks

    Examples
    --------
    >>> from dissensus import compare
    >>> models = {"ours": [[0.7, 0.3], [0.2, 0.8]], "theirs": [[0.5, 0.5], [0.4, 0.6]]}
    >>> result = compare(models, [[7, 3], [1, 9]], rng=np.random.default_rng(0), ceiling=False, replicates=20)
    >>> {name: round(card.scores["kl"].value, 3) for name, card in result.cards.items()}
    {'ours': 0.018, 'theirs': 0.154}
    """
    if not isinstance(models, Mapping):
        raise Refusal(
            f"expected models by name, {{'mine': predictions, 'theirs': ...}}; this is {describe_type(models)}",
            ways=[PythonWay("score one model with scorecard(predictions, labels, rng=...)")],
        )
    if not models:
        raise ValueError("there are no models to compare; expected at least one")
    check_generator(rng)
    card_rng, *pair_rngs = rng.spawn(len(models))
    shared = match_models(models, labels, gold, columns, clusters, missing, rescale)
    cards = build_cards(shared, card_rng, ceiling, replicates, coverage)
    reference, *others = cards.values()
    differences: list[ModelDifference] = []
    remarks: list[str] = []
    for other, pair_rng in zip(others, pair_rngs, strict=True):
        if not other.values:
            remarks.append("differences between models have no intervals or tests for so many items")
            differences += _plain_differences(other, reference)
            continue
        differences += _differences(other, reference, shared.clusters, pair_rng, replicates, coverage)
        remarks += [
            f"{other.name} and {reference.name} cannot be compared on {name}: it is infinite"
            for name in _names_to_compare(other.values)
            if not _finite(name, other, reference)
        ]
    return ModelComparison(cards, tuple(_adjust_tests(differences)), tuple(dict.fromkeys(remarks)))


def _differences(
    other: Scorecard,
    reference: Scorecard,
    clusters: np.ndarray | None,
    rng: np.random.Generator,
    replicates: int,
    coverage: float,
) -> list[ModelDifference]:
    finite = [name for name in _names_to_compare(other.values) if _finite(name, other, reference)]
    apart = {name: _subtract(other.values[name], reference.values[name]) for name in finite}
    mine, theirs = (measures_of_drawn(card.predictions.probs, card.people.probs) for card in (other, reference))
    measures: dict[str, Measure] = {name: partial(_gap, mine[name], theirs[name]) for name in _names_to_compare(mine)}
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
        ModelDifference(other.name, reference.name, name, interval, _test(apart.get(name), clusters))
        for name, interval in drawn.items()
        if not np.isnan(interval.value)
    ]


def _names_to_compare(scores: Mapping[str, Any]) -> list[str]:
    """Return the scores by which models are compared."""
    return [name for name, metric in METRICS.items() if metric.compared and name in scores]


def _finite(name: str, *cards: Scorecard) -> bool:
    return not any(np.isinf(card.values[name]).any() for card in cards)


def _subtract(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Subtract values per item; differences by rounding are 0, or a t-test would find them.  (n,)"""
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


def _adjust_tests(differences: list[ModelDifference]) -> list[ModelDifference]:
    family = holm(
        {str(i): difference.comparison for i, difference in enumerate(differences) if difference.comparison is not None}
    )
    return [replace(difference, comparison=family.get(str(i))) for i, difference in enumerate(differences)]


def _plain_differences(other: Scorecard, reference: Scorecard) -> list[ModelDifference]:
    nan = float("nan")
    apart = {name: other.scores[name].value - reference.scores[name].value for name in _names_to_compare(other.scores)}
    return [
        ModelDifference(other.name, reference.name, name, Interval(value, nan, nan, nan, 0.95), None)
        for name, value in apart.items()
        if np.isfinite(value)
    ]


def _gap(mine: Measure, theirs: Measure, weights: np.ndarray) -> np.ndarray:
    return mine(weights) - theirs(weights)
