"""The human ceiling: how well people predict people, the number every model's score is to be read against."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal

import numpy as np

from dissensus.aggregate.priors.shrinkage import shrinkage
from dissensus.evaluate.bootstrap import Measure, item_weights
from dissensus.evaluate.metrics import METRICS
from dissensus.evaluate.truth_scores import truth_intervals
from dissensus.labels.distributions import Distributions
from dissensus.labels.doors import takes
from dissensus.labels.intervals import Interval, percentile_interval
from dissensus.labels.refusals import one_of
from dissensus.labels.votes import Votes


@dataclass(frozen=True, repr=False)
class Ceiling:
    """Scores that people reach, each with its interval over items like these.

    half          half of the votes on each item, shrunk, as prediction of the share of the other half
    corrected     the true distribution (what infinitely many votes would show) as prediction of the share of all
                  votes: the best score a model can expect on such labels
    items         how many items have two votes or more
    half_votes    mean number of votes in the half that predicts
    """

    half: dict[str, Interval]
    corrected: dict[str, Interval]
    items: int
    half_votes: float

    def __repr__(self) -> str:
        return f"Ceiling: {len(self.half)} scores · {self.items:,} items · {self.half_votes:.1f} votes in half a crowd"


@takes(votes=(Votes, Distributions))
def human_ceiling(
    votes: Votes | Distributions,
    rng: np.random.Generator,
    *,
    by: Literal["votes", "annotators"] = "votes",
    splits: int = 10,
    draws: int = 20,
    refits: int = 30,
    replicates: int = 1000,
    coverage: float = 0.95,
    clusters: Any = None,
) -> Ceiling:
    """Split-half scores of people as predictors of people, and the same corrected for the finite number of votes.

    Halves: each item's votes (or all annotators) are divided at random; shrinkage(half A) is scored against the share
    of half B, so that a class nobody in A chose still has a finite loss. Both halves are small, so these scores are
    worse than a perfect model's.
    Corrected: the votes of item i leave a posterior over its true distribution p_i (see shrinkage), so

        corrected = E over the posterior of score(prediction = p_i, labels = share of all votes on i)

    Of the Brier score votes have an unbiased estimate without any prior, of soft NLL and KL the larger part of one
    (closed_forms.py); the prior decides on the rest, and on all of the choices and correlations.

    Both are numbers about items like these with as many votes each, and so are their intervals: what the truth scores
    on ever more of them, which is what the interval of a model's score is about too. The truth's score on these very
    items has the luck of their votes in it and lies further off. The intervals of `corrected` allow for the uncertainty
    of the prior, which is fitted again to each resampled set of items, and for a wrong form of it as far as votes show
    that (truth_scores.py): for soft_nll, kl and js, not for choices and correlations. In simulations with 5 votes or
    more they held the KL of the truth in 95 of 100 cases or more in four worlds of five; hardly ever with 3 votes of a
    crowd of guessers, or with 20 votes of which a few in a hundred fall on any class alike. Correlations of entropies
    may be off by 0.2. docs/evaluate.md has the numbers.
    The votes are taken as independent draws from p_i; annotators who differ in skill are part of p_i.

    The scores are those of METRICS that are marked for the ceiling. kl and js of the truth are not 0, since the share
    of N votes scatters around it. A score that these votes do not have, such as the second choice of crowds that are
    all unanimous, is NaN.

    by         "annotators" puts all votes of an annotator into one half
    splits     random divisions; draws  distributions from the posterior
    refits     resampled sets of items for which the prior is fitted anew, behind the intervals of `corrected`
    replicates resampled sets of items and splits behind those of `half`
    clusters   (n,) what each item belongs to, in the order of the items: clusters are drawn again, with all their items
    """
    if min(splits, draws, refits) < 2:
        raise ValueError(
            f"{splits} splits, {draws} draws and {refits} refits were asked for; expected 2 or more of each"
        )
    counts = votes.counts()
    several = np.flatnonzero(counts.sum(axis=1) > 1)
    if several.size < 2:
        raise ValueError(
            f"{'none' if not several.size else 'only 1'} of {counts.shape[0]} items has two votes or more, so people "
            "cannot be compared with people; a ceiling needs two such items"
        )
    groups = None if clusters is None else np.asarray(clusters)
    if groups is not None and groups.shape != counts.shape[:1]:
        raise ValueError(f"clusters have shape {groups.shape}; expected one for each of {counts.shape[0]} items")
    if groups is not None and np.unique(groups[several]).size < 2:
        raise ValueError(
            f"all {several.size} items of two votes or more are in cluster {groups[several[0]]}, so nothing can be "
            "drawn again; expected 2 clusters or more, or none"
        )
    split_rng, draw_rng, items_rng = rng.spawn(3)
    halves, sizes = [], []
    for _ in range(splits):
        first = _first_half(votes, counts, by, split_rng)  # (n, k)
        both = (first.sum(axis=1) > 0) & (counts - first).any(axis=1)
        if both.sum() < 2:
            left = "1 item" if both.any() else "no item"
            raise ValueError(
                f"a random split left {left} with votes in both halves, and 2 are needed; split by votes, not "
                "annotators"
            )
        prediction = shrinkage(Distributions.from_counts(first[both])).distributions.probs
        halves.append(_scored(prediction, _shares((counts - first)[both]), both))
        sizes.append(first[both].sum(axis=1).mean())
    return Ceiling(
        half=_intervals(halves, items_rng, replicates, coverage, groups),
        corrected=truth_intervals(
            counts[several],
            draw_rng,
            draws=draws,
            refits=refits,
            coverage=coverage,
            clusters=None if groups is None else groups[several],
        ),
        items=int(several.size),
        half_votes=float(np.mean(sizes)),
    )


@dataclass(frozen=True)
class _Scored:
    """One prediction of people by people.

    used      (n,) bool, the items it is about
    values    name: (n,) one value per item, NaN for items that have none
    measures  name: number about the used items as a function of how often each was drawn
    """

    used: np.ndarray
    values: dict[str, np.ndarray]
    measures: dict[str, Measure]


def _scored(prediction: np.ndarray, labels: np.ndarray, used: np.ndarray) -> _Scored:
    """Every score of METRICS that the ceiling has.  prediction, labels: (u, k) of the u used items"""
    values, measures = {}, {}
    for name, metric in METRICS.items():
        if metric.ceiling and metric.of == "items":
            values[name] = np.full(used.size, np.nan)
            values[name][used] = metric.function(prediction, labels)
        elif metric.ceiling:
            assert metric.resampled is not None
            measures[name] = metric.resampled(prediction, labels)
    return _Scored(used, values, measures)


def _intervals(
    scored: list[_Scored], rng: np.random.Generator, replicates: int, coverage: float, clusters: Any
) -> dict[str, Interval]:
    """Means over items and splits, resampling both; items with their clusters."""
    splits, n = len(scored), scored[0].used.size
    means: dict[str, Callable[[np.ndarray, np.ndarray], np.ndarray]] = {
        name: partial(_mean_of_values, np.stack([split.values[name] for split in scored])) for name in scored[0].values
    }
    means |= {name: partial(_mean_of_measures, scored, name) for name in scored[0].measures}
    resampled: dict[str, list[np.ndarray]] = {name: [] for name in means}
    for items in item_weights(n, replicates, rng, clusters):  # (b, n)
        chosen = rng.multinomial(splits, np.full(splits, 1 / splits), size=items.shape[0])  # (b, s)
        for name, mean in means.items():
            resampled[name].append(mean(items, chosen))
    once = np.ones((1, n)), np.ones((1, splits))
    return {
        name: _percentiles(float(means[name](*once)[0]), np.concatenate(resampled[name]), coverage)
        for name in METRICS
        if name in means
    }


def _percentiles(value: float, resampled: np.ndarray, coverage: float) -> Interval:
    """Of the resampled sets that have the score; NaN where the items at hand have none."""
    known = resampled[~np.isnan(resampled)]
    if math.isnan(value) or known.size < 2:
        return Interval(value, math.nan, math.nan, math.nan, coverage)
    return percentile_interval(value, known, coverage)


def _mean_of_values(values: np.ndarray, items: np.ndarray, chosen: np.ndarray) -> np.ndarray:
    """values: (s, n); items: (b, n); chosen: (b, s) -> (b,), NaN where no item has the score"""
    has_value = ~np.isnan(values)
    total = (chosen * (items @ np.where(has_value, values, 0.0).T)).sum(axis=1)
    weight = (chosen * (items @ has_value.T.astype(np.float64))).sum(axis=1)
    return np.divide(total, weight, out=np.full(total.size, np.nan), where=weight > 0)


def _mean_of_measures(scored: list[_Scored], name: str, items: np.ndarray, chosen: np.ndarray) -> np.ndarray:
    """The number in each split, mean over the chosen that have it.  items: (b, n); chosen: (b, s) -> (b,)"""
    each = np.stack(
        [split.measures[name](items if split.used.all() else items[:, split.used]) for split in scored], axis=1
    )  # (b, s)
    total, weight = (chosen * np.nan_to_num(each)).sum(axis=1), (chosen * ~np.isnan(each)).sum(axis=1)
    return np.divide(total, weight, out=np.full(total.size, np.nan), where=weight > 0)


def _first_half(votes: Votes | Distributions, counts: np.ndarray, by: str, rng: np.random.Generator) -> np.ndarray:
    """The counts of a random half of the votes on each item, or of the votes of half of the annotators.  (n, k)"""
    one_of("unit to split by", by, ("votes", "annotators"))
    if by == "annotators":
        if not isinstance(votes, Votes):
            raise ValueError("splitting annotators needs votes with their annotators; split by votes instead")
        who, annotators = votes.identified("splitting annotators")
        first = rng.permutation(annotators.size) < (annotators.size + 1) // 2
        return votes.select(answers=first[who]).counts()
    n, k = counts.shape
    item, code = np.nonzero(counts)
    item, code = (np.repeat(codes, counts[item, code]) for codes in (item, code))  # (m,) sorted by item
    size = counts.sum(axis=1)
    order = np.lexsort((rng.random(item.size), item))
    place = np.arange(item.size) - np.repeat(np.cumsum(size) - size, size)
    # An odd vote goes to either half at random.
    half = (size + rng.integers(0, 2, n)) // 2
    first = order[place < half[item]]
    return np.bincount(item[first] * k + code[first], minlength=n * k).reshape(n, k)


def _shares(counts: np.ndarray) -> np.ndarray:
    return counts / counts.sum(axis=1, keepdims=True)
