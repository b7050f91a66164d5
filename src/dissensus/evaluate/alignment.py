"""Alignment of uncertainty: is the model unsure where people disagree?"""

from __future__ import annotations

import numpy as np

from dissensus.evaluate.bootstrap import Measure
from dissensus.evaluate.drawn_correlations import correlation, rank_correlation
from dissensus.labels import distances
from dissensus.labels.distances import entropy


def entropy_of_prediction(p_model: np.ndarray, p_people: np.ndarray) -> np.ndarray:
    """How unsure the model is, in nats; people are not looked at. Neither high nor low is better.

        H(q) = - sum_c q_c ln q_c

    p_model: (n, k) -> (n,), 0 to ln k
    """
    return entropy(distances.checked_pair(p_model, p_people)[0])


def entropy_of_people(p_model: np.ndarray, p_people: np.ndarray) -> np.ndarray:
    """How far people disagree, in nats; the model is not looked at: what its own entropy is to be read beside.

        H(p) = - sum_c p_c ln p_c

    p_people: (n, k) -> (n,), 0 to ln k
    """
    return entropy(distances.checked_pair(p_model, p_people)[1])


def entropy_pearson(p_model: np.ndarray, p_people: np.ndarray) -> float:
    """Pearson's correlation over items of the model's and people's entropy: -1 to 1, higher is better.

    NaN where one side has the same entropy everywhere. Singh 2025, table 4.

    p_model, p_people: (n, k)
    """
    return _correlation(entropy(p_model), entropy(p_people))


def entropy_spearman(p_model: np.ndarray, p_people: np.ndarray) -> float:
    """Spearman's rank correlation over items of the model's and people's entropy: -1 to 1, higher is better.

        Pearson's correlation of the ranks, equal entropies sharing the mean of their ranks

    Entropies are held in single precision before they are ranked. Rows with the same probabilities in another order
    have the same entropy, but sums in double precision differ in the last digit, and 47 votes against 3 would be
    ranked by which class has the 3. NaN where one side has the same entropy everywhere. Gheibi 2026, sec. 4.

    p_model, p_people: (n, k)
    """
    return spearman(entropy(p_model).astype(np.float32), entropy(p_people).astype(np.float32))


def entropy_pearson_of_drawn(p_model: np.ndarray, p_people: np.ndarray) -> Measure:
    """`entropy_pearson` as a function of how often each item was drawn, for `over_items`.  (n, k), (n, k)"""
    return correlation(entropy(p_model), entropy(p_people))


def entropy_spearman_of_drawn(p_model: np.ndarray, p_people: np.ndarray) -> Measure:
    """`entropy_spearman` as a function of how often each item was drawn; ranks are those among the items drawn."""
    return rank_correlation(*(entropy(side).astype(np.float32) for side in (p_model, p_people)))


def pearson(x: np.ndarray, y: np.ndarray) -> float:
    """Pearson's correlation, NaN where x or y is the same everywhere.  x, y: (n,)"""
    return _correlation(np.asarray(x, dtype=np.float64), np.asarray(y, dtype=np.float64))


def spearman(x: np.ndarray, y: np.ndarray) -> float:
    """Spearman's rank correlation, equal values sharing their mean rank; NaN where x or y is the same everywhere.

    x, y: (n,)
    """
    return _correlation(ranks(np.asarray(x)), ranks(np.asarray(y)))


def auroc(score: np.ndarray, positive: np.ndarray) -> float:
    """Chance that a positive item has the higher score than a negative one, equal scores counting half: 0 to 1.

        AUROC = (#{s_i > s_j} + #{s_i = s_j}/2) / (#positive #negative),   i positive, j negative

    1/2 is chance. For example how well the model's entropy finds the items on which people disagree. Both groups are
    sorted and merged, so ties are exact and the cost is that of two sorts.
    Hanley and McNeil (1982), The meaning and use of the area under a ROC curve.

    score: (n,) numbers, positive: (n,) bool or 0/1
    """
    from dissensus.evaluate.sorted_kernels import split_by, wins

    values, marks = np.asarray(score), np.asarray(positive)
    if values.ndim != 1 or marks.shape != values.shape:
        raise ValueError(f"score has shape {values.shape}, positive {marks.shape}; expected (n,) in both")
    if marks.dtype != bool:
        bad = np.flatnonzero((marks != 0) & (marks != 1))
        if bad.size:
            raise ValueError(
                f"item {bad[0]} is marked {marks[bad[0]]}; expected 0 or 1; {bad.size} of {marks.size} are neither: "
                "compare with a threshold first"
            )
        marks = marks.astype(bool)
    if values.dtype not in (np.float32, np.float64):
        values = values.astype(np.float64)
    high, low, unknown = split_by(values, marks)
    if unknown:
        raise ValueError(f"{unknown} of {values.size} scores are NaN: they cannot be put in order")
    if not high.size or not low.size:
        raise ValueError(f"{high.size} items are positive and {low.size} negative; expected some of both")
    high.sort()
    low.sort()
    return float(wins(high, low) / (2 * high.size * low.size))


def ranks(values: np.ndarray) -> np.ndarray:
    """Ranks from 1, equal values sharing their mean.  (n,)"""
    _, group, size = np.unique(values, return_inverse=True, return_counts=True)
    last = np.cumsum(size)
    return (last - (size - 1) / 2)[group]


def _correlation(x: np.ndarray, y: np.ndarray) -> float:
    if x.ndim != 1 or x.shape != y.shape:
        raise ValueError(f"x has shape {x.shape}, y has {y.shape}; expected (n,) in both")
    if x.size < 2:
        raise ValueError(f"a correlation needs two items or more, there are {x.size}")
    x, y = x - x.mean(), y - y.mean()
    # An entropy that is the same for all items leaves rounding dust, not exact zeros.
    if min(np.abs(x).max(), np.abs(y).max()) < 1e-14:
        return float("nan")
    return float(np.clip(x @ y / np.sqrt((x @ x) * (y @ y)), -1.0, 1.0))
