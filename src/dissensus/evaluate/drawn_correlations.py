"""Correlations as functions of how often each item was drawn, for `bootstrap.over_items`."""

from __future__ import annotations

from functools import partial

import numpy as np

from dissensus.evaluate.bootstrap import Measure


def correlation(x: np.ndarray, y: np.ndarray) -> Measure:
    """Return Pearson's correlation of two numbers per item, for `over_items`.  x, y: (n,) -> (b, n) -> (b,)

    Not for ranks: use `rank_correlation`, which ranks among the items drawn.
    """
    return partial(_weighted_correlation, _standard(x), _standard(y))


def rank_correlation(x: np.ndarray, y: np.ndarray) -> Measure:
    """Return Spearman's correlation of two numbers per item, for `over_items`; each resample is ranked anew.

    If two columns are ranked nearly alike, fixed ranks of all items make intervals far too narrow. Equal values share
    their mean rank, and so do copies of one item.  x, y: (n,) -> (b, n) -> (b,)
    """
    places = [np.unique(np.asarray(side), return_inverse=True)[1].reshape(-1) for side in (x, y)]
    if places[0].size != places[1].size:
        raise ValueError(f"x has {places[0].size} numbers and y has {places[1].size}; expected (n,) in both")
    return partial(_drawn_rank_correlation, *places)


def _standard(x: np.ndarray) -> np.ndarray:
    """Scale to mean 0 and standard deviation 1; all 0 if the numbers differ by rounding only.  (n,)"""
    apart = x - x.mean()
    spread = apart.std()
    return apart / spread if spread > 1e-14 * np.abs(x).max(initial=0.0) else np.zeros(x.size)


def _weighted_correlation(x: np.ndarray, y: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Correlate with weights; NaN if one side is constant over the items drawn.  (b, n) -> (b,)"""
    total = np.maximum(weights.sum(axis=1), 1.0)
    mean_x, mean_y = weights @ x / total, weights @ y / total
    var_x, var_y = weights @ x**2 / total - mean_x**2, weights @ y**2 / total - mean_y**2
    both = weights @ (x * y) / total - mean_x * mean_y
    scale = np.sqrt(np.maximum(var_x, 0.0) * np.maximum(var_y, 0.0))
    return np.divide(both, scale, out=np.full(both.size, np.nan), where=scale > 1e-9)


def _drawn_rank_correlation(x: np.ndarray, y: np.ndarray, weights: np.ndarray) -> np.ndarray:
    from dissensus.evaluate.sorted_kernels import drawn_rank_correlations

    return drawn_rank_correlations(np.ascontiguousarray(weights, dtype=np.float64), x, y)
