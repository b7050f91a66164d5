"""Wilcoxon's signed-rank test for paired runs: exact for few pairs, also with ties and zeros."""

from __future__ import annotations

import math
from typing import Any, Literal

import numpy as np

from dissensus.evaluate.statistics import Alternative, Comparison, paired

EXACT_UP_TO = 200  # pairs; the exact distribution of 200 takes some milliseconds, and the normal one is close by then
EQUAL = 1e-12  # of the largest value: differences so near to each other are rounding, and count as equal


def wilcoxon(
    a: Any, b: Any, alternative: Alternative = "two-sided", *, zeros: Literal["wilcoxon", "pratt"] = "wilcoxon"
) -> Comparison:
    """Do the differences a - b lie to one side of 0? For few seeds, of whatever distribution.

        W+ = sum of the ranks of |d_i| over d_i > 0,   equal |d| share their mean rank

    Exact up to 200 pairs: each of the 2^n assignments of signs to these ranks is equally likely without a difference,
    and the tail is counted over all of them, ties included. Two-sided p is twice the smaller tail, at most 1. The least
    p is that of all pairs that differ agreeing: 2^-n one-sided, 2^(1-n) two-sided (5 seeds: 0.03125 and 0.0625; Gheibi
    2026 sec. 4). Beyond 200 pairs the normal approximation with the variance of these very ranks is used.
    Wilcoxon (1945), Individual comparisons by ranking methods. Effect: matched-pairs rank-biserial correlation.

    zeros  "wilcoxon" leaves pairs without a difference out before ranking; "pratt" ranks them and then leaves them
           out, Pratt (1959). Either way they carry no sign, so they raise the least p.
    a, b: (n,) paired
    """
    x, y = paired(a, b)
    if zeros not in ("wilcoxon", "pratt"):
        raise ValueError(f"zeros is {zeros!r}; expected 'wilcoxon' (left out) or 'pratt' (ranked, then left out)")
    d = _snapped(x - y, max(float(np.abs(x).max()), float(np.abs(y).max())))
    ranks, up = _doubled_ranks(d, zeros)
    exact = ranks.size <= EXACT_UP_TO
    if not ranks.size:
        below = above = least = 1.0
    else:
        below, above, least = (_exact if exact else _normal)(ranks, int(ranks[up].sum()))
    tails = {"less": below, "greater": above, "two-sided": min(1.0, 2 * min(below, above))}
    if alternative not in tails:
        raise ValueError(f"alternative is {alternative!r}; expected one of {', '.join(tails)}")
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
    x, y = paired(a, b)
    ranks, up = _doubled_ranks(_snapped(x - y, max(float(np.abs(x).max()), float(np.abs(y).max()))), zeros)
    return float((ranks[up].sum() - ranks[~up].sum()) / ranks.sum()) if ranks.size else 0.0


def _snapped(d: np.ndarray, scale: float) -> np.ndarray:
    """Differences that only rounding tells apart made equal: 0.3 - 0.2 and 0.2 - 0.1 are a tie, as on paper.  (n,)"""
    step = EQUAL * scale
    return np.round(d / step) if step > 0 else d


def _doubled_ranks(d: np.ndarray, zeros: str) -> tuple[np.ndarray, np.ndarray]:
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
