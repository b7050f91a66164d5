"""A test of whether choosing items pays: expected against realised information of votes."""

from __future__ import annotations

import numpy as np

from dissensus.aggregate.priors.dirichlet_mixture import distinct_rows, posterior_mean
from dissensus.aggregate.priors.vote_prior import VotePrior, rows_to_fit
from dissensus.plan.adaptive_prior import fit_prior
from dissensus.plan.allocation_rules import expected_drop

SURE = 3.0  # standard errors: an allocation tests dozens of times, and 1 test in 740 exceeds them by chance
BLOCK = 5_000_000  # numbers held at once


def gain_evidence(counts: np.ndarray, rng: np.random.Generator) -> float:
    """Test whether the expected drop separates items that have equally many votes.

        tilt  = mean over items of rank(P) (R - mean R),   evidence = tilt / (its standard error)
        P     = expected drop of KL by one more vote than h
        R     = ln q(d | h, c) - ln q(d | h),   q the estimate
        h     = the item's votes without two of them, c and d; mean over all such pairs
        rank  = place among items with equally many votes, -1/2 the lowest and 1/2 the highest; mean R is also theirs

    R is the realised information of the vote c about the vote d. Its mean over votes is the real drop of KL, whatever
    the prior is, since the entropy of the truth cancels. The tilt is the gain from asking slightly more where P is high
    and slightly less where it is low, among items with equally many votes. Ranks are used, as items are chosen by rank.
    The value of a vote after m votes depends on the joint distribution of m + 2 votes, which items with m votes do not
    determine. Two votes are therefore held out.

    P and q of each half of the items come from a prior fitted to the other half. Items with more votes than the median
    are thinned to the median at random, so that items chosen in earlier rounds do not dominate.

    Parameters
    ----------
    counts : (n, k) votes so far
    rng : splits and thins in a stream of its own, so the generator itself is unchanged

    Returns
    -------
    float : standard errors by which the gain exceeds 0; 0 unless half of the items have three votes

    Examples
    --------
    >>> gain_evidence(np.array([[1, 0], [0, 1], [2, 0]]), np.random.default_rng(0))
    0.0
    """
    if not is_comparable(counts):
        return 0.0
    rng = rng.spawn(1)[0]
    thinned = _thin(counts, rng)
    half = rng.permutation(counts.shape[0]) % 2 == 0
    parts = [_tilts(fit_prior(counts[~part]), thinned[part]) for part in (half, ~half)]
    tilt, times = (np.concatenate(part) for part in zip(*parts, strict=True))
    n = times.sum()
    average = float(times @ tilt / n)
    error = float(np.sqrt(times @ (tilt - average) ** 2) / n)
    return average / error if error > 0 else 0.0


def is_comparable(counts: np.ndarray) -> bool:
    """Whether half of the items have three votes: two that are held out, and one to separate items by."""
    return bool(counts.shape[0]) and float(np.median(counts.sum(axis=1))) >= 3


def _tilts(prior: VotePrior, counts: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """rank(P) (R - mean R) of the different rows with two votes or more, and how often each occurs.  (u,), (u,)"""
    rows, times = rows_to_fit(counts[counts.sum(axis=1) >= 2])
    if not rows.shape[0]:
        return np.zeros(0), np.zeros(0)
    step = max(1, BLOCK // (rows.shape[1] * min(rows.shape[1], int(rows.sum(axis=1).max())) ** 2))
    parts = [_hold_back(prior, rows[start : start + step], start) for start in range(0, rows.shape[0], step)]
    row, weight, depth, expected, real = (np.concatenate(part) for part in zip(*parts, strict=True))
    whole = weight * times[row]
    real = real - (np.bincount(depth, whole * real) / np.maximum(np.bincount(depth, whole), 1e-300))[depth]
    tilt = np.bincount(row, weights=weight * _rank(expected, depth, whole) * real, minlength=times.size)
    return tilt, times


def _rank(value: np.ndarray, group: np.ndarray, weight: np.ndarray) -> np.ndarray:
    """The place of each value in its group, -1/2 to 1/2; ties share their middle.  (p,)"""
    order = np.lexsort((value, group))
    new = np.ones(value.size, dtype=bool)
    new[1:] = (np.diff(value[order]) != 0) | (np.diff(group[order]) != 0)
    block = np.cumsum(new) - 1  # of equal values, in order
    of_block, size = group[order][new], np.bincount(block, weights=weight[order])
    whole = np.bincount(of_block, weights=size)
    below = np.cumsum(size) - size / 2 - (np.cumsum(whole) - whole)[of_block]
    place = np.empty(value.size)
    place[order] = (below / whole[of_block] - 0.5)[block]
    return place


def _thin(counts: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Draw at most the median number of votes per item, without replacement.  (n, k)"""
    total = counts.sum(axis=1)
    most = int(np.median(total))
    deep = np.flatnonzero(total > most)
    kept = counts.astype(np.int64)  # a copy
    left, wanted = total[deep], np.full(deep.size, most)
    for code in range(counts.shape[1]):
        there = counts[deep, code]
        kept[deep, code] = rng.hypergeometric(there, left - there, wanted)
        left, wanted = left - there, wanted - kept[deep, code]
    return kept


def _hold_back(prior: VotePrior, rows: np.ndarray, first: int) -> tuple[np.ndarray, ...]:
    """List all ways to hold out two votes, c and d: row, weight, votes left, expected drop, realised drop.  (p,) each

    rows: (u, k) with two votes or more; first is the number of the first of them
    """
    at, code = np.nonzero(rows)
    classes = np.bincount(at, minlength=rows.shape[0])
    begin = np.cumsum(classes) - classes
    c_at = np.repeat(np.arange(at.size), classes[at])  # each class of a row, with ...
    place = np.arange(c_at.size) - np.repeat(np.cumsum(classes[at]) - classes[at], classes[at])
    row, c = at[c_at], code[c_at]
    d = code[begin[row] + place]  # ... each class of that row
    ways = rows[row, c] * (rows[row, d] - (c == d))
    row, c, d, ways = (part[ways > 0] for part in (row, c, d, ways))
    left = rows[row]
    pair = np.arange(row.size)
    left[pair, d] -= 1
    before_d, of_before = distinct_rows(left)  # h and c
    real = np.log(prior.estimate(before_d)[of_before, d])
    left[pair, c] -= 1
    before, of_before = distinct_rows(left)  # h
    posterior = prior.posterior(before)
    real -= np.log(posterior_mean(posterior)[of_before, d])
    total = rows.sum(axis=1)[row]
    return row + first, ways / (total * (total - 1)), total - 2, expected_drop(posterior)[of_before], real
