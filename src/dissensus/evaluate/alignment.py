"""Alignment of uncertainty: is the model uncertain about the items on which people disagree?"""

from __future__ import annotations

import numpy as np

from dissensus.evaluate.bootstrap import Measure
from dissensus.evaluate.drawn_correlations import correlation, rank_correlation
from dissensus.labels import distances
from dissensus.labels.distances import entropy


def entropy_of_prediction(p_model: np.ndarray, p_people: np.ndarray) -> np.ndarray:
    """Compute the entropy of the prediction in nats; people are ignored.

        H(q) = - sum_c q_c ln q_c

    Neither high nor low is better.

    Parameters
    ----------
    p_model, p_people : (n, k), rows sum to 1

    Returns
    -------
    (n,), 0 to ln k

    Examples
    --------
    >>> entropy_of_prediction(np.array([[0.5, 0.5]]), np.array([[1.0, 0.0]])).round(3)
    array([0.693])
    """
    return entropy(distances.checked_pair(p_model, p_people)[0])


def entropy_of_people(p_model: np.ndarray, p_people: np.ndarray) -> np.ndarray:
    """Compute the entropy of people's answers in nats, to read the model's entropy against.

        H(p) = - sum_c p_c ln p_c

    The model is ignored.

    Parameters
    ----------
    p_model, p_people : (n, k), rows sum to 1

    Returns
    -------
    (n,), 0 to ln k

    Examples
    --------
    >>> entropy_of_people(np.array([[1.0, 0.0]]), np.array([[0.5, 0.5]])).round(3)
    array([0.693])
    """
    return entropy(distances.checked_pair(p_model, p_people)[1])


def entropy_pearson(p_model: np.ndarray, p_people: np.ndarray) -> float:
    """Compute Pearson's correlation over items of the model's and people's entropy.

    NaN if one side has the same entropy for all items. Singh 2025, table 4.

    Parameters
    ----------
    p_model, p_people : (n, k), rows sum to 1

    Returns
    -------
    -1 to 1, higher is better

    Examples
    --------
    >>> model, people = np.array([[0.9, 0.1], [0.6, 0.4], [1, 0]]), np.array([[0.8, 0.2], [0.5, 0.5], [1, 0]])
    >>> round(entropy_pearson(model, people), 3)
    0.964
    """
    return _correlation(entropy(p_model), entropy(p_people))


def entropy_spearman(p_model: np.ndarray, p_people: np.ndarray) -> float:
    """Compute Spearman's rank correlation over items of the model's and people's entropy.

        Pearson's correlation of the ranks; equal entropies share their mean rank

    Entropies are rounded to single precision before ranking: rows with the same probabilities in another order have
    the same entropy, but their sums differ in the last digit. NaN if one side has the same entropy for all items.
    Gheibi 2026, sec. 4.

    Parameters
    ----------
    p_model, p_people : (n, k), rows sum to 1

    Returns
    -------
    -1 to 1, higher is better

    Examples
    --------
    >>> model, people = np.array([[0.9, 0.1], [0.6, 0.4], [1, 0]]), np.array([[0.8, 0.2], [0.5, 0.5], [1, 0]])
    >>> entropy_spearman(model, people)
    1.0
    """
    return spearman(entropy(p_model).astype(np.float32), entropy(p_people).astype(np.float32))


def entropy_pearson_of_drawn(p_model: np.ndarray, p_people: np.ndarray) -> Measure:
    """Return `entropy_pearson` as a function of how often each item was drawn, for `over_items`.  (n, k), (n, k)"""
    return correlation(entropy(p_model), entropy(p_people))


def entropy_spearman_of_drawn(p_model: np.ndarray, p_people: np.ndarray) -> Measure:
    """Return `entropy_spearman` as a function of how often each item was drawn, with ranks among these items."""
    return rank_correlation(*(entropy(side).astype(np.float32) for side in (p_model, p_people)))


def pearson(x: np.ndarray, y: np.ndarray) -> float:
    """Compute Pearson's correlation; NaN if x or y is constant.  x, y: (n,)"""
    return _correlation(np.asarray(x, dtype=np.float64), np.asarray(y, dtype=np.float64))


def spearman(x: np.ndarray, y: np.ndarray) -> float:
    """Compute Spearman's rank correlation; ties share their mean rank; NaN if x or y is constant.  x, y: (n,)"""
    return _correlation(ranks(np.asarray(x)), ranks(np.asarray(y)))


def auroc(score: np.ndarray, positive: np.ndarray) -> float:
    """Compute the probability that a positive item has a higher score than a negative one, ties counting half.

        AUROC = (#{s_i > s_j} + #{s_i = s_j}/2) / (#positive #negative),   i positive, j negative

    1/2 is chance. Example: how well the model's entropy finds the items on which people disagree. Both groups are
    sorted and merged, so ties are exact. Hanley and McNeil (1982), The meaning and use of the area under a ROC curve.

    Parameters
    ----------
    score : (n,) numbers
    positive : (n,) bool or 0/1

    Returns
    -------
    0 to 1

    Examples
    --------
    >>> auroc(np.array([0.9, 0.4, 0.6]), np.array([True, False, False]))
    1.0
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
    """Rank values from 1; ties share their mean rank.  (n,)"""
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
