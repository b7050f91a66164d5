"""Wilcoxon's signed-rank test for paired runs: exact for few pairs, also with ties and zeros."""

from __future__ import annotations

import math
from typing import Any, Literal

import numpy as np

from dissensus.evaluate.effect_sizes import pair_numbers
from dissensus.evaluate.significance import ALTERNATIVES, Alternative, Comparison
from dissensus.labels.refusals import one_of

EXACT_UP_TO = 200  # pairs; the exact distribution of 200 takes some milliseconds, and the normal one is close by then
EQUAL = 1e-12  # of the largest value: differences so near to each other are rounding, and count as equal


def wilcoxon(
    a: Any, b: Any, alternative: Alternative = "two-sided", *, zeros: Literal["wilcoxon", "pratt"] = "wilcoxon"
) -> Comparison:
    """Run Wilcoxon's signed-rank test: are the differences a - b on one side of 0? For few seeds of any distribution.

        W+ = sum of the ranks of |d_i| over d_i > 0,   equal |d| share their mean rank

    Exact up to 200 pairs: without a difference each of the 2^n assignments of signs to these ranks is equally likely,
    and the tail is counted over all of them, ties included. Two-sided p is twice the smaller tail, at most 1. The
    smallest p is that of pairs that all agree: 2^-n one-sided, 2^(1-n) two-sided. Above 200 pairs the normal
    approximation with the variance of these ranks is used. Wilcoxon (1945), Individual comparisons by ranking methods.
    The effect is the matched-pairs rank-biserial correlation.

    Parameters
    ----------
    a, b : (n,) paired numbers
    alternative : "less": a below b; "greater": above; "two-sided": either
    zeros : "wilcoxon" leaves out pairs without a difference before ranking; "pratt" ranks them first, Pratt (1959).
        Such pairs have no sign, so they raise the smallest p.

    Returns
    -------
    the test with its p, n, smallest p and effect size

    Examples
    --------
    >>> print(wilcoxon([0.52, 0.61, 0.57, 0.49], [0.50, 0.55, 0.52, 0.48]))
    p = 0.12 (n = 4, at best 0.12)
    """
    x, y = pair_numbers(a, b)
    one_of("alternative", alternative, ALTERNATIVES)
    one_of("rule for zeros", zeros, ("wilcoxon", "pratt"))
    d = _snap(x - y, max(float(np.abs(x).max()), float(np.abs(y).max())))
    ranks, up = _double_ranks(d, zeros)
    exact = ranks.size <= EXACT_UP_TO
    if not ranks.size:
        below = above = least = 1.0
    else:
        below, above, least = (_exact if exact else _normal)(ranks, int(ranks[up].sum()))
    tails = {"less": below, "greater": above, "two-sided": min(1.0, 2 * min(below, above))}
    sides = 2 if alternative == "two-sided" else 1
    equal = f", {x.size - ranks.size} of {x.size} pairs equal" if ranks.size < x.size else ""
    return Comparison(
        test=f"Wilcoxon signed-rank, {'exact' if exact else 'normal approximation'}{equal}",
        alternative=alternative,
        n=x.size,
        difference=float((x - y).mean()),
        effect=rank_biserial(x, y, zeros=zeros),
        effect_name="rank-biserial",
        p=tails[alternative],
        minimum_p=min(1.0, sides * least),
    )


def rank_biserial(a: Any, b: Any, *, zeros: Literal["wilcoxon", "pratt"] = "wilcoxon") -> float:
    """Matched-pairs rank-biserial correlation: share of ranks for a above b, less the share below.  -1 to 1

        r = (W+ - W-) / (W+ + W-),   0 where no pair differs

    Kerby (2014), The simple difference formula.  a, b: (n,) paired
    """
    x, y = pair_numbers(a, b)
    ranks, up = _double_ranks(_snap(x - y, max(float(np.abs(x).max()), float(np.abs(y).max()))), zeros)
    return float((ranks[up].sum() - ranks[~up].sum()) / ranks.sum()) if ranks.size else 0.0


def _snap(d: np.ndarray, scale: float) -> np.ndarray:
    """Differences that only rounding tells apart made equal: 0.3 - 0.2 and 0.2 - 0.1 are a tie, as on paper.  (n,)"""
    step = EQUAL * scale
    return np.round(d / step) if step > 0 else d


def _double_ranks(d: np.ndarray, zeros: str) -> tuple[np.ndarray, np.ndarray]:
    """Twice the mean ranks of |d|, so that ties stay whole numbers, and which d are above 0.  (m,) int64, (m,) bool"""
    differs = d != 0
    ranked = d[differs] if zeros == "wilcoxon" else d
    _, where, equal = np.unique(np.abs(ranked), return_inverse=True, return_counts=True)
    last = np.cumsum(equal)
    doubled = (2 * last - equal + 1)[where]  # first + last rank of each group of equal ones
    return doubled[ranked != 0].astype(np.int64), ranked[ranked != 0] > 0


def _exact(ranks: np.ndarray, observed: int) -> tuple[float, float, float]:
    """P(W <= observed), P(W >= observed) and P(W = largest) over all assignments of signs.

    Adding one rank at a time: chance(w) = chance without it (w)/2 + chance without it (w - rank)/2.
    """
    chance = np.zeros(int(ranks.sum()) + 1)
    chance[0] = 1.0
    reach = 0
    for rank in ranks.tolist():
        halved = chance[: reach + 1] / 2
        chance[: reach + 1] = halved
        chance[rank : rank + reach + 1] += halved
        reach += rank
    return float(min(1.0, chance[: observed + 1].sum())), float(min(1.0, chance[observed:].sum())), float(chance[-1])


def _normal(ranks: np.ndarray, observed: int) -> tuple[float, float, float]:
    """The same by the normal distribution with mean sum(r)/2 and variance sum(r^2)/4."""
    mean, sd = ranks.sum() / 2, math.sqrt(float((ranks.astype(np.float64) ** 2).sum())) / 2
    below, above, least = (observed - mean) / sd, (mean - observed) / sd, (mean - float(ranks.sum())) / sd
    return _lower_tail(below), _lower_tail(above), _lower_tail(least)


def _lower_tail(z: float) -> float:
    return math.erfc(-z / math.sqrt(2)) / 2
