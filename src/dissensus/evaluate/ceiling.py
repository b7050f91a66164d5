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
    """Estimate how well people predict people, and the best score that any model can expect.

    `half`: the votes on each item (or all annotators) are split at random, and shrinkage(half A) is scored against the
    share of half B. Both halves are small, so these scores are worse than those of a perfect model.

    `corrected`: the votes on item i leave a posterior over its true distribution p_i (see `shrinkage`), so

        corrected = E over the posterior of score(prediction = p_i, labels = share of all votes on i)

    For the Brier score the votes have an unbiased estimate without any prior, for soft NLL and KL the larger part of
    one (closed_forms.py). The prior decides the remainder, and all of the choices and correlations. Votes are taken as
    independent draws from p_i; differences in skill between annotators are part of p_i.

    Intervals are about items like these with as many votes each. Those of `corrected` allow for the uncertainty of the
    prior, which is refitted to each resample, and for soft_nll, kl and js also for a wrong form of it
    (truth_scores.py). docs/evaluate.md has their coverage. Scores are those of METRICS that are marked for the ceiling;
    a score that these votes do not have, such as the second choice of unanimous crowds, is NaN.

    Parameters
    ----------
    votes : votes, or the distributions of their shares
    rng : random generator of splits, draws and resamples
    by : "votes" splits the votes on each item; "annotators" puts all votes of an annotator into one half
    splits : random splits
    draws : distributions drawn from the posterior
    refits : resamples of the items for which the prior is refitted, for the intervals of `corrected`
    replicates : resamples of items and splits, for the intervals of `half`
    coverage : of the intervals
    clusters : (n,) what each item belongs to; clusters are resampled with all their items

    Returns
    -------
    `half` and `corrected` by score, each with its interval

    Examples
    --------
    >>> from dissensus import Votes
    >>> from dissensus.evaluate import human_ceiling
    >>> votes = Votes.of(["a"] * 4 + ["b"] * 4 + ["c"] * 4, list("xxxy") + list("xyyy") + list("xxxx"))
    >>> top = human_ceiling(votes, np.random.default_rng(0), splits=2, draws=2, refits=2, replicates=10)
    >>> top.items, top.half_votes
    (3, 2.0)
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
        halves.append(_score_half(prediction, _shares((counts - first)[both]), both))
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


def _score_half(prediction: np.ndarray, labels: np.ndarray, used: np.ndarray) -> _Scored:
    """Compute every score of METRICS that the ceiling has.  prediction, labels: (u, k) of the u used items"""
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
    """Average over items and splits, resampling both; items with their clusters."""
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
    """Return percentiles of the resamples that have the score; NaN if the items themselves do not have it."""
    known = resampled[~np.isnan(resampled)]
    if math.isnan(value) or known.size < 2:
        return Interval(value, math.nan, math.nan, math.nan, coverage)
    return percentile_interval(value, known, coverage)


def _mean_of_values(values: np.ndarray, items: np.ndarray, chosen: np.ndarray) -> np.ndarray:
    """values: (s, n); items: (b, n); chosen: (b, s) -> (b,), NaN if no item has the score"""
    has_value = ~np.isnan(values)
    total = (chosen * (items @ np.where(has_value, values, 0.0).T)).sum(axis=1)
    weight = (chosen * (items @ has_value.T.astype(np.float64))).sum(axis=1)
    return np.divide(total, weight, out=np.full(total.size, np.nan), where=weight > 0)


def _mean_of_measures(scored: list[_Scored], name: str, items: np.ndarray, chosen: np.ndarray) -> np.ndarray:
    """Average the measure over the chosen splits that have it.  items: (b, n); chosen: (b, s) -> (b,)"""
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
        who, annotators = votes.require_annotators("splitting annotators")
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
