"""Confidence intervals over annotators."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from dissensus.labels.doors import takes
from dissensus.labels.intervals import Interval, check_resampling
from dissensus.labels.votes import Votes


@takes(votes=Votes)
def over_annotators(
    votes: Votes,
    score: Callable[[np.ndarray, np.ndarray], float],
    rng: np.random.Generator,
    *,
    replicates: int = 200,
    coverage: float = 0.95,
    least: float = -math.inf,
    most: float = math.inf,
) -> Interval:
    """Compute the interval of a score over annotators, by leaving out annotators with all their votes.

        low, high = score +- t se,   se^2 = (g - 1)/g sum_g (score_(g) - mean of these)^2,   g - 1 degrees of freedom

    with score_(g) that of the crowd without group g: each annotator alone, or as many random groups as there are
    replicates. The interval is about the mean score of crowds of this size. On average the jackknife is never too
    narrow: Efron and Stein (1981), The jackknife estimate of variance. Drawing annotators with replacement would make
    shares more extreme and every distance larger. docs/intervals.md has the coverage.

    Use it if few people gave many answers each; the interval over items is then far too narrow. An item without any
    remaining answer is left out of that score.

    Parameters
    ----------
    votes : votes with their annotators, 2 or more
    score : function of the items used, (n,) bool, and the share of each class over these, (used, k) -> number
    rng : random generator of the groups
    replicates : the largest number of groups
    coverage : of the interval
    least, most : bounds of the score, such as 0 and 1 for accuracy

    Returns
    -------
    the score with its interval

    Examples
    --------
    >>> from dissensus import Votes
    >>> from dissensus.evaluate import over_annotators
    >>> votes = Votes.of(["a", "a", "a", "b", "b", "b"], ["x", "x", "y", "y", "y", "y"], ["ann", "bo", "cy"] * 2)
    >>> share_of_x = lambda used, shares: float(shares[:, 0].mean())
    >>> round(over_annotators(votes, share_of_x, np.random.default_rng(0)).value, 3)
    0.333
    """
    from scipy.special import stdtrit

    check_resampling(replicates, coverage)
    # Leaving out somebody without votes changes nothing, and would pass for one more person who agrees.
    names, who = np.unique(votes.require_annotators("leaving out annotators")[0], return_inverse=True)
    if names.size < 2:
        raise ValueError(
            f"votes are by {names.size} annotator{'' if names.size == 1 else 's'}; an interval over annotators needs 2 "
            "or more, better 20"
        )
    n, k = votes.n_items, votes.n_classes
    cell = votes.item.astype(np.int64) * k + votes.choice

    def score_of(kept: np.ndarray) -> float:
        counts = np.bincount(cell, weights=kept[who], minlength=n * k).reshape(n, k)
        total = counts.sum(axis=1)
        used = total > 0
        return float(score(used, counts[used] / total[used, None])) if used.any() else math.nan

    count = min(names.size, replicates)
    group = rng.permutation(names.size) % count
    without = np.array([score_of((group != left_out).astype(np.float64)) for left_out in range(count)])
    value = score_of(np.ones(names.size))
    if not math.isfinite(value) or not np.isfinite(without).all():
        ends = value if math.isinf(value) else math.nan
        return Interval(value, ends, ends, math.nan, coverage)
    sd = float(np.sqrt((count - 1) / count * ((without - without.mean()) ** 2).sum()))
    reach = float(stdtrit(count - 1, (1 + coverage) / 2)) * sd
    return Interval(value, max(value - reach, min(least, value)), min(value + reach, max(most, value)), sd, coverage)
