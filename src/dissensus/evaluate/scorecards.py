"""The scorecard: every score of a model against people in one call, with the human ceiling."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pyarrow as pa

from dissensus.evaluate.calibration import BIN_SIZE
from dissensus.evaluate.ceiling import Ceiling, human_ceiling
from dissensus.evaluate.closeness import infinite_items
from dissensus.evaluate.matching import SharedItems, match_models
from dissensus.evaluate.metrics import METRICS
from dissensus.evaluate.one_pass import score_many
from dissensus.evaluate.people import People
from dissensus.evaluate.scorecard_views import main_scores, notebook_table, score_table, sizes_of
from dissensus.evaluate.scores import item_values, scores_with_intervals, share_bounds, within_bounds
from dissensus.evaluate.slices import SliceScore, slice_table
from dissensus.labels.as_json import as_json
from dissensus.labels.distributions import Distributions
from dissensus.labels.frames import pandas_frame, polars_frame
from dissensus.labels.intervals import Interval
from dissensus.labels.matching import Missing
from dissensus.labels.streams import check_generator

MANY_ROWS = 50_000  # above this, one pass computes the scores, without intervals over items


@dataclass(frozen=True, eq=False, repr=False)
class Scorecard:
    """A model against people: values per item, their means with intervals, and the human ceiling.

    predictions  the model's, in the order of the people's items and classes
    values       score: (n,) one value per item, NaN if it has none; empty above MANY_ROWS items
    scores       score: mean, or other number about all items, with its interval over items (NaN if left out)
    ceiling      scores of people as predictors of people; None if their votes are not known
    slices       by what: score: its mean over each part of the items
    infinite     items with an infinite soft NLL: the model gives probability 0 to a class that people chose
    remarks      limits of these numbers
    """

    name: str
    predictions: Distributions
    people: People
    values: dict[str, np.ndarray]
    scores: dict[str, Interval]
    ceiling: Ceiling | None
    slices: dict[str, dict[str, list[SliceScore]]]
    infinite: int
    remarks: tuple[str, ...]

    def ceiling_of(self, score: str) -> tuple[Interval, Interval] | None:
        """Return the score of half a crowd on the other half, and the best any model can expect; None if unknown."""
        if self.ceiling is None or score not in self.ceiling.half:
            return None
        return self.ceiling.half[score], self.ceiling.corrected[score]

    def to_arrow(self) -> pa.Table:
        """Return an Arrow table, one row per score: model, score, value, low, high, half_crowd, at_best."""
        return score_table([self])

    def to_pandas(self) -> Any:
        """Return a pandas DataFrame with the columns of `to_arrow`."""
        return pandas_frame(self.to_arrow())

    def to_polars(self) -> Any:
        """Return a polars DataFrame with the columns of `to_arrow`."""
        return polars_frame(self.to_arrow())

    def __repr__(self) -> str:
        with_ceiling = "with" if self.ceiling is not None else "no"
        return (
            f"Scorecard of {self.name}: {sizes_of(self)} · {len(self.scores)} scores, {with_ceiling} human ceiling\n"
            f"  {main_scores(self)}"
        )

    def _repr_html_(self) -> str:
        return notebook_table([self], f"{self.name} against people")

    def as_json(self) -> dict[str, Any]:
        """Return every score as {value, low, high}; without an interval low and high are None, and NaN becomes None."""
        record: dict[str, Any] = {
            "model": self.name,
            "people": self.people.describe(),
            "items": self.people.n_items,
            "classes": list(self.people.targets.classes),
        }
        record |= as_json(self.scores)
        record["infinite_items"] = self.infinite
        record["human_ceiling"] = (
            None
            if self.ceiling is None
            else {
                "half_votes": self.ceiling.half_votes,
                "half": as_json(self.ceiling.half),
                "best": as_json(self.ceiling.corrected),
            }
        )
        record["slices"] = {
            by: [
                {"slice": part.name, "items": part.items}
                | {name: as_json(parts[i].score) for name, parts in scores.items()}
                for i, part in enumerate(next(iter(scores.values())))
            ]
            for by, scores in self.slices.items()
        }
        return record | {"remarks": list(self.remarks)}


def scorecard(
    predictions: Any,
    labels: Any,
    *,
    rng: np.random.Generator,
    name: str = "model",
    gold: Any = None,
    columns: Mapping[str, Any] | None = None,
    clusters: Any = None,
    ceiling: bool = True,
    missing: Missing = "refuse",
    rescale: bool = False,
    replicates: int = 1000,
    coverage: float = 0.95,
) -> Scorecard:
    """Score one model against people: every metric of METRICS, with intervals, slices and the human ceiling.

    Parameters
    ----------
    predictions : Distributions, or (n, k) probabilities (array, list, torch tensor) in the order of the labels
    labels : Votes, Distributions, (n, k) counts or probabilities, or People; see `as_people`
    rng : random generator of the bootstrap
    name : of the model, in tables and on pages
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
    scores with intervals, values per item, slices, the ceiling and remarks

    Examples
    --------
    >>> from dissensus import scorecard
    >>> card = scorecard([[0.7, 0.3], [0.2, 0.8]], [[7, 3], [1, 9]], rng=np.random.default_rng(0), ceiling=False)
    >>> round(card.scores["kl"].value, 3)
    0.018
    """
    shared = match_models({name: predictions}, labels, gold, columns, clusters, missing, rescale)
    return build_cards(shared, rng, ceiling, replicates, coverage)[name]


def build_cards(
    shared: SharedItems, rng: np.random.Generator, ceiling: bool, replicates: int, coverage: float
) -> dict[str, Scorecard]:
    """Score each model, with one human ceiling for all."""
    people, n = shared.people, shared.people.n_items
    check_generator(rng)
    ceiling_rng, *model_rngs = rng.spawn(1 + len(shared.models))
    remarks = list(shared.remarks)
    top = None
    if n > MANY_ROWS:
        remarks.append(f"no human ceiling, intervals or slices: {n:,} items are more than {MANY_ROWS:,}")
    elif ceiling:
        top, why = _ceiling(people, shared.clusters, ceiling_rng, coverage)
        remarks += [why] if why else []
    if n < 2 * BIN_SIZE:
        remarks.append(
            f"RMSE calibration uses bins of {BIN_SIZE} items, and {n} items make a single bin: it is the difference of "
            "mean confidence and mean outcome, without regard to low or high confidence"
        )
    cards = {}
    for (name, model), own_rng in zip(shared.models.items(), model_rngs, strict=True):
        if n > MANY_ROWS:
            means = score_many(model.probs, people.probs, shared.gold)
            infinite, values, parts = int(means.pop("infinite_items")), {}, {}
            scores = {score: Interval(mean, math.nan, math.nan, math.nan, coverage) for score, mean in means.items()}
        else:
            values = item_values(model.probs, people.probs, shared.gold)
            scores = scores_with_intervals(
                model.probs, people.probs, values, shared.gold, shared.clusters, own_rng, replicates, coverage
            )
            parts = _score_slices(values, shared, own_rng, replicates, coverage)
            infinite = infinite_items(values["soft_nll"])
        own = [*remarks, _infinite_remark(infinite, n)] if infinite else remarks
        cards[name] = Scorecard(name, model, people, values, scores, top, parts, infinite, tuple(own))
    return cards


def _score_slices(
    values: dict[str, np.ndarray], shared: SharedItems, rng: np.random.Generator, replicates: int, coverage: float
) -> dict[str, dict[str, list[SliceScore]]]:
    chosen = {score: values[score] for score, metric in METRICS.items() if metric.sliced}
    options: dict[str, Any] = {"clusters": shared.clusters, "replicates": replicates, "coverage": coverage}
    k = shared.people.targets.n_classes
    tables = {by.by: slice_table(chosen, by, rng, bounds=share_bounds(chosen), **options) for by in shared.slices}
    return {
        by: {
            name: [replace(part, score=within_bounds(part.score, name, k)) for part in parts]
            for name, parts in table.items()
        }
        for by, table in tables.items()
    }


def _ceiling(
    people: People, clusters: np.ndarray | None, rng: np.random.Generator, coverage: float
) -> tuple[Ceiling | None, str]:
    """Return the ceiling, or the reason why there is none or why to doubt it."""
    if people.form == "beliefs":
        return None, "no human ceiling: it needs votes, and these labels are beliefs"
    if people.counts is None and people.targets.votes is not None:
        return None, "no human ceiling: the labels are estimates, not shares of votes"
    if people.counts is None:
        return None, (
            "no human ceiling: the labels are probabilities, and the number of votes behind them is not known; pass "
            "votes or counts"
        )
    has_several = people.counts.sum(axis=1) > 1
    several = people.counts[has_several]
    if len(several) < 2:
        items = "a single item has" if len(several) else "no item has"
        return None, f"no human ceiling: {items} two votes, so people cannot be compared with people"
    if clusters is not None and np.unique(clusters[has_several]).size < 2:
        return None, "no human ceiling: all items of two votes or more are in one cluster, so none can be resampled"
    counted = Distributions.from_counts(people.counts)
    top = human_ceiling(
        counted, rng, splits=4, draws=8, refits=12, replicates=200, coverage=coverage, clusters=clusters
    )
    if ((several > 0).sum(axis=1) == 1).all():
        return top, (
            f"all votes on each of {len(several):,} items are for one class: if these are majorities or gold labels, "
            "not votes, ignore the human ceiling"
        )
    return top, ""


def _infinite_remark(infinite: int, n: int) -> str:
    return (
        f"soft NLL and KL are infinite: on {infinite:,} of {n:,} items the model gives probability 0 to a class that "
        "people chose; smooth the predictions, or use Brier and Jensen-Shannon, which stay finite"
    )
