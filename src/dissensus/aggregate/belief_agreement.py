"""Agreement of beliefs: Krippendorff's alpha with a distance between distributions in place of "same or not"."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import numpy as np

from dissensus.aggregate.pooling import complete_rows
from dissensus.aggregate.vote_pairs import MOST_DRAWS, every_two, interval_if_defined
from dissensus.labels.answers import hold
from dissensus.labels.beliefs import Beliefs
from dissensus.labels.display import shapes
from dissensus.labels.distances import jensen_shannon
from dissensus.labels.doors import takes
from dissensus.labels.intervals import Interval, check_resampling
from dissensus.labels.refusals import one_of

Distance = Callable[[np.ndarray, np.ndarray], np.ndarray]
Weights = tuple[np.ndarray, np.ndarray, np.ndarray]  # of beliefs (m,), of items (n,), of pairs about one item (p,)
BLOCK = 500_000  # pairs of rows compared at once


@dataclass(frozen=True, eq=False)
class BeliefPairs:
    """Distances between beliefs: all pairs about one item, and pairs of any two beliefs to estimate chance.

    item          (m,) item of each belief
    annotator     (m,) or None
    within        (p, 2) beliefs about the same item
    within_apart  (p,) their distance
    any_two       (q, 2) any two beliefs about items with two or more: all pairs, or a sample of them
    any_apart     (q,) their distance
    """

    item: np.ndarray
    annotator: np.ndarray | None
    within: np.ndarray
    within_apart: np.ndarray
    any_two: np.ndarray
    any_apart: np.ndarray

    __repr__ = shapes

    def __post_init__(self) -> None:
        for name in ("item", "annotator", "within", "within_apart", "any_two", "any_apart"):
            hold(self, name, getattr(self, name))


@takes(beliefs=Beliefs)
def belief_pairs(
    beliefs: Beliefs, rng: np.random.Generator, distance: Distance = jensen_shannon, *, sample: int = 200_000
) -> BeliefPairs:
    """Compare complete beliefs by a symmetric distance, for `belief_alpha`.

    Parameters
    ----------
    beliefs : complete beliefs
    rng : random generator of the sample
    distance : of two distributions, (n, k), (n, k) -> (n,); 0 for equal rows
    sample : largest number of pairs of any two beliefs; more are sampled, with an error of about 0.001 in alpha

    Returns
    -------
    the distances of all pairs about one item, and of any two beliefs

    Examples
    --------
    >>> from dissensus import Beliefs, Votes
    >>> from dissensus.labels import COMPLETIONS
    >>> votes = Votes.of(list("aaabbb"), ["cat", "cat", "dog", "dog", "dog", "cat"], ["ann", "bo", "cy"] * 2)
    >>> beliefs = COMPLETIONS["dense"](Beliefs.of_votes(votes))
    >>> len(belief_pairs(beliefs, np.random.default_rng(0)).within)
    6
    """
    rows = complete_rows(beliefs)
    within = every_two(beliefs.item)
    if not within.size:
        raise ValueError(
            f"none of {beliefs.n_items} items has two beliefs, so no two can be compared; agreement needs items that "
            "several annotators answered"
        )
    usable = np.flatnonzero(np.bincount(beliefs.item, minlength=beliefs.n_items)[beliefs.item] > 1)  # (u,)
    if usable.size * (usable.size - 1) // 2 <= sample:
        left, right = np.triu_indices(usable.size, 1)
    else:
        left = rng.integers(0, usable.size, sample)
        right = (left + rng.integers(1, usable.size, sample)) % usable.size  # never the same belief twice
    any_two = np.column_stack([usable[left], usable[right]])
    return BeliefPairs(
        beliefs.item,
        beliefs.annotator,
        within,
        _apart(rows, within, distance),
        any_two,
        _apart(rows, any_two, distance),
    )


def belief_alpha(pairs: BeliefPairs) -> float:
    """Compute Krippendorff's alpha of beliefs: 1 if all agree on every item, 0 for chance.

        alpha = 1 - D_o / D_e
        D_o = 1/N sum_i m_i (mean distance of two beliefs about item i),   D_e = mean distance of any two beliefs

    One-hot beliefs under Jensen-Shannon or total variation give the nominal alpha of the votes. By convention 1 if all
    beliefs are equal. Krippendorff (2011) leaves the difference function to the data.

    Parameters
    ----------
    pairs : from `belief_pairs`

    Returns
    -------
    at most 1

    Examples
    --------
    >>> from dissensus import Beliefs, Votes
    >>> from dissensus.labels import COMPLETIONS
    >>> votes = Votes.of(list("aaabbb"), ["cat", "cat", "dog", "dog", "dog", "cat"], ["ann", "bo", "cy"] * 2)
    >>> beliefs = COMPLETIONS["dense"](Beliefs.of_votes(votes))
    >>> round(belief_alpha(belief_pairs(beliefs, np.random.default_rng(0))), 3)
    -0.111
    """
    n, m, p = int(pairs.item.max()) + 1, pairs.item.size, len(pairs.within)
    value = _alpha(pairs, np.ones(m), np.ones(n), np.ones(p))
    return 1.0 if np.isnan(value) else value


def belief_alpha_interval(
    pairs: BeliefPairs,
    rng: np.random.Generator,
    *,
    over: Literal["items", "annotators"] = "items",
    replicates: int = 1000,
    coverage: float = 0.95,
) -> Interval:
    """Compute the alpha of beliefs with its bootstrap interval over other items or other annotators (`bca_interval`).

    Only items with two beliefs or more are resampled; annotators are drawn again if no two of them share an item. Two
    draws of one annotator are not compared on an item. Resamples in which all beliefs are equal are left out; the
    interval is NaN if fewer than two others remain or all have the same alpha.
    """
    check_resampling(replicates, coverage)
    units, weights_of = _units(pairs, over)
    groups = np.array_split(rng.permutation(units), min(units, max(replicates // 10, 10)))
    without = np.ones((len(groups), units))
    for row, group in enumerate(groups):
        without[row, group] = 0.0
    left_out = np.array([_alpha(pairs, *weights_of(times)) for times in without])
    resampled: list[float] = []
    for _ in range(MOST_DRAWS):
        weights = weights_of(_draw(units, rng))
        if over == "items" or weights[2].any():
            resampled.append(_alpha(pairs, *weights))
        if len(resampled) == replicates:
            break
    times, unseen = np.ones(len(groups)), np.empty(0)
    return interval_if_defined(belief_alpha(pairs), np.array(resampled), left_out, times, units, unseen, coverage)


def _units(pairs: BeliefPairs, over: Literal["items", "annotators"]) -> tuple[int, Callable[[np.ndarray], Weights]]:
    """Number of items or annotators to resample, and the weights of beliefs, items and pairs in a resample."""
    n, m = int(pairs.item.max()) + 1, pairs.item.size
    if over == "items":
        compared = np.unique(pairs.item[pairs.within[:, 0]])
        alike = np.ones(m), np.ones(len(pairs.within))

        def of_items(times: np.ndarray) -> Weights:
            item_weight = np.zeros(n)
            item_weight[compared] = times
            return alike[0], item_weight, alike[1]

        return compared.size, of_items
    one_of("unit of resampling", over, ("items", "annotators"))
    if pairs.annotator is None:
        raise ValueError("an interval over annotators needs beliefs that carry their annotator")
    people, who = np.unique(pairs.annotator, return_inverse=True)
    if people.size < 3:
        raise ValueError(f"{people.size} of the annotators gave answers; resampling annotators needs 3 or more who did")
    first, second = who.reshape(-1)[pairs.within].T  # (p,)

    def of_people(times: np.ndarray) -> Weights:
        return times[who.reshape(-1)], np.ones(n), np.where(first == second, times[first], times[first] * times[second])

    return people.size, of_people


def _alpha(pairs: BeliefPairs, weight: np.ndarray, item_weight: np.ndarray, both: np.ndarray) -> float:
    """NaN where all beliefs are equal.  weight: (m,) of beliefs; item_weight: (n,) of items; both: (p,) of pairs"""
    n = item_weight.size
    size = np.bincount(pairs.item, weights=weight, minlength=n)  # (n,)
    where = pairs.item[pairs.within[:, 0]]
    met = np.bincount(where, weights=both, minlength=n)
    apart = np.bincount(where, weights=both * pairs.within_apart, minlength=n)
    counts = item_weight * size * (met > 0)
    observed = float((counts * apart / np.maximum(met, 1e-12)).sum())
    by_belief = weight * item_weight[pairs.item] * (met > 0)[pairs.item]  # (m,)
    any_two = by_belief[pairs.any_two[:, 0]] * by_belief[pairs.any_two[:, 1]]  # (q,)
    expected = float(any_two @ pairs.any_apart)
    if expected <= 0:
        return float(np.nan)
    return 1.0 - (observed / float(counts.sum())) / (expected / float(any_two.sum()))


def _apart(rows: np.ndarray, pair: np.ndarray, distance: Distance) -> np.ndarray:
    starts = range(0, pair.shape[0], BLOCK)
    parts = [distance(rows[pair[s : s + BLOCK, 0]], rows[pair[s : s + BLOCK, 1]]) for s in starts]
    return np.concatenate(parts) if parts else np.empty(0)


def _draw(count: int, rng: np.random.Generator) -> np.ndarray:
    return rng.multinomial(count, np.full(count, 1 / count)).astype(np.float64)
