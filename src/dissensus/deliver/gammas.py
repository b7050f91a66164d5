"""Beta and Dirichlet numbers by key: gamma variates in logarithms, so that tiny shapes do not underflow."""

from __future__ import annotations

import numba
import numpy as np

from dissensus.deliver.keyed import _GOLDEN, item_word, mix, unit


@numba.njit(cache=True, nogil=True, error_model="numpy")
def log_gamma(shape: float, state: np.uint64) -> tuple[float, np.uint64]:
    """The logarithm of a Gamma(shape, 1) variate, and the state after the words it took.

        d = shape - 1/3,  v = (1 + x / sqrt(9 d))^3,  x normal;   d v where ln u < x^2/2 + d - d v + d ln v
        below shape 1:  Gamma(shape) = Gamma(shape + 1) u^(1/shape)

    Marsaglia and Tsang (2000), A simple method for generating gamma variables.
    """
    boost = 0.0
    if shape < 1.0:
        state += _GOLDEN
        boost = np.log(unit(mix(state))) / shape
        shape += 1.0
    d = shape - 1.0 / 3.0
    c = 1.0 / np.sqrt(9.0 * d)
    while True:
        state += _GOLDEN
        radius = np.sqrt(-2.0 * np.log(unit(mix(state))))
        state += _GOLDEN
        x = radius * np.cos(2.0 * np.pi * unit(mix(state)))
        state += _GOLDEN
        u = unit(mix(state))
        v = (1.0 + c * x) ** 3
        # The first bound implies the second, and is nearly always met: it saves two logarithms.
        if v > 0.0 and (u < 1.0 - 0.0331 * x**4 or np.log(u) < 0.5 * x * x + d - d * v + d * np.log(v)):
            return np.log(d * v) + boost, state


@numba.njit(cache=True, nogil=True, error_model="numpy")
def beta_weights(start: np.uint64, n: int, alpha: float, items: np.ndarray, whole: bool) -> np.ndarray:
    """A Beta(alpha, alpha) variate for each item, G / (G + G') of two gammas.  -> (r,)"""
    out = np.empty(n if whole else items.size)
    for row in range(out.size):
        state = item_word(start, row if whole else items[row])
        first, state = log_gamma(alpha, state)
        second, state = log_gamma(alpha, state)
        out[row] = 1.0 / (1.0 + np.exp(second - first))
    return out


@numba.njit(cache=True, nogil=True, error_model="numpy")
def posterior_rows(
    start: np.uint64, weights: np.ndarray, alpha: np.ndarray, counts: np.ndarray, items: np.ndarray, whole: bool
) -> np.ndarray:
    """A distribution of each item from its mixture of Dirichlets, Dirichlet(alpha_j + counts_i) with chance weights_ij.

    weights: (n, j); alpha: (j, k); counts: (n, k) -> (r, k) rows sum to 1
    """
    k = alpha.shape[1]
    out = np.empty((weights.shape[0] if whole else items.size, k))
    for row in range(out.shape[0]):
        item = row if whole else items[row]
        state = item_word(start, item)
        left, part = unit(state), 0
        while part < alpha.shape[0] - 1 and left >= weights[item, part]:
            left -= weights[item, part]
            part += 1
        top = -np.inf
        for code in range(k):
            out[row, code], state = log_gamma(alpha[part, code] + counts[item, code], state)
            top = max(top, out[row, code])
        total = 0.0
        for code in range(k):
            out[row, code] = np.exp(out[row, code] - top)
            total += out[row, code]
        for code in range(k):
            out[row, code] /= total
    return out
