"""How far a score could have come out otherwise with other annotators."""

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
    """Interval of a score when other people of the same kind had answered: annotators are left out with all votes.

        low, high = score +- t se,   se^2 = (g - 1)/g sum_g (score_(g) - mean of these)^2,   g - 1 degrees of freedom

    with score_(g) that of the crowd without group g: each annotator alone, or as many random groups as there are
    replicates. It is about the mean score of crowds of this size, for any score: the spread is never too small on
    average (Efron and Stein, 1981, The jackknife estimate of variance), and for distances to shares of few votes too
    large: 99 of 100 intervals called 95 % held the mean KL of crowds of 3 to 5 votes an item, 97 of 100 that of a share
    (benchmarks/intervals/annotators.py). Drawing annotators with repeats, as items are, would not do: votes that count
    twice make shares more extreme and every distance larger, so that the interval may not hold its own value. The KL
    to a larger crowd is lower than to this one; how far, `human_ceiling` estimates.

    Use it where few people gave many answers each; there the interval over items is far too narrow. An item that none
    of those left has seen is left out of that score.

    score        function of items used (n,) bool and the share of each class over these, (used, k) -> number
    replicates   how often the score is computed at most
    least, most  bounds of the score, such as 0 and 1 for accuracy
    """
    from scipy.special import stdtrit

    check_resampling(replicates, coverage)
    # Leaving out somebody without votes changes nothing, and would pass for one more person who agrees.
    names, who = np.unique(votes.identified("leaving out annotators")[0], return_inverse=True)
    if names.size < 2:
        raise ValueError(
            f"votes are by {names.size} annotator{'' if names.size == 1 else 's'}; an interval over annotators needs 2 "
            "or more, better 20"
        )
    n, k = votes.n_items, votes.n_classes
    cell = votes.item.astype(np.int64) * k + votes.choice

    def scored(kept: np.ndarray) -> float:
        counts = np.bincount(cell, weights=kept[who], minlength=n * k).reshape(n, k)
        total = counts.sum(axis=1)
        used = total > 0
        return float(score(used, counts[used] / total[used, None])) if used.any() else math.nan

    count = min(names.size, replicates)
    group = rng.permutation(names.size) % count
    without = np.array([scored((group != left_out).astype(np.float64)) for left_out in range(count)])
    value = scored(np.ones(names.size))
    if not math.isfinite(value) or not np.isfinite(without).all():
        ends = value if math.isinf(value) else math.nan
        return Interval(value, ends, ends, math.nan, coverage)
    sd = float(np.sqrt((count - 1) / count * ((without - without.mean()) ** 2).sum()))
    reach = float(stdtrit(count - 1, (1 + coverage) / 2)) * sd
    return Interval(value, max(value - reach, min(least, value)), min(value + reach, max(most, value)), sd, coverage)
