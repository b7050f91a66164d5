"""Compiled loops over sorted items: ranks, bins and merges, each a single pass."""

from __future__ import annotations

from collections import namedtuple

import numba
import numpy as np

from dissensus.evaluate.float_bits import single_of_bits
from dissensus.evaluate.kernels import FINE, WHOLE

_LOW = np.uint64(0xFFFFFFFF)
_HALF = np.uint64(32)


# What is summed over each bin (f is confidence), and which column holds it.
BinSums = namedtuple(
    "BinSums", ("mass", "f", "f_squared", "share", "share_squared", "f_share", "credit", "credit_squared", "f_credit")
)
COLUMN = BinSums(*range(len(BinSums._fields)))
COLUMNS = len(COLUMN)


@numba.njit(cache=True, nogil=True, error_model="numpy")
def rank_upper(pairs: np.ndarray) -> None:
    """Replace, in sorted pairs of 32-bit keys, (upper, lower) by (lower, twice the mean rank of upper).  (n,) uint64"""
    n = pairs.size
    start = 0
    while start < n:
        key = pairs[start] >> _HALF
        stop = start + 1
        while stop < n and pairs[stop] >> _HALF == key:
            stop += 1
        twice = np.uint64(start + stop + 1)  # ranks start + 1 .. stop
        for i in range(start, stop):
            pairs[i] = ((pairs[i] & _LOW) << _HALF) | twice
        start = stop


@numba.njit(cache=True, nogil=True, error_model="numpy")
def rank_correlation(pairs: np.ndarray) -> float:
    """Spearman's correlation from sorted pairs (key, twice the rank of the other side); NaN without spread."""
    n = pairs.size
    middle = np.float64(n + 1)  # twice the mean rank
    product, square, other = 0.0, 0.0, 0.0
    start = 0
    while start < n:
        key = pairs[start] >> _HALF
        stop = start
        total = 0.0
        while stop < n and pairs[stop] >> _HALF == key:
            apart = np.float64(pairs[stop] & _LOW) - middle
            total += apart
            other += apart * apart
            stop += 1
        mine = np.float64(start + stop + 1) - middle
        product += mine * total
        square += mine * mine * (stop - start)
        start = stop
    return product / np.sqrt(square * other) if square > 0.0 and other > 0.0 else np.nan


@numba.njit(cache=True, nogil=True, error_model="numpy")
def drawn_rank_correlations(weights: np.ndarray, x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Spearman's correlation of resampled items with their weights, ranked within the resample.

    An item that was drawn w times is w equal ones. Values are given by their place among the different ones, so ranks
    are running sums of weights and nothing is sorted again.

    weights: (b, n) floats, x, y: (n,) places 0, 1, ... -> (b,), NaN where one side has no spread
    """
    b, n = weights.shape
    correlations = np.empty(b)
    rank_x, rank_y = np.empty(x.max() + 1), np.empty(y.max() + 1)
    for row in range(b):
        rank_x[:] = 0.0
        rank_y[:] = 0.0
        for i in range(n):
            rank_x[x[i]] += weights[row, i]
            rank_y[y[i]] += weights[row, i]
        total, square_x = _rank_weights(rank_x)
        _, square_y = _rank_weights(rank_y)
        product = 0.0
        for i in range(n):
            product += weights[row, i] * rank_x[x[i]] * rank_y[y[i]]
        scale = np.sqrt(square_x * square_y)
        correlations[row] = product / scale if scale > 1e-9 * total else np.nan
    return correlations


@numba.njit(cache=True, nogil=True, error_model="numpy")
def _rank_weights(mass: np.ndarray) -> tuple[float, float]:
    """Replace the weight at each place by its mean rank less that of all.  -> weight, sum of squared ranks"""
    total = mass.sum()
    before, square = 0.0, 0.0
    for place in range(mass.size):
        here = mass[place]
        rank = before + 0.5 * (here - total)
        square += here * rank * rank
        mass[place] = rank
        before += here
    return total, square


@numba.njit(cache=True, nogil=True, error_model="numpy")
def sums_of_bins(confidences: np.ndarray, edges: np.ndarray) -> np.ndarray:
    """Sums of BinSums over each bin; items of equal confidence are shared by the bins they lie in.

    The outcomes are people's share, and credit for the majority class.
    confidences: (n,) sorted, packed as by sweep_rows; edges: (b + 1,) -> (b, COLUMNS)
    """
    n = confidences.size
    sums = np.zeros((edges.size - 1, COLUMNS))
    group = np.empty(COLUMNS)
    current, start = 0, 0
    while start < n:
        key = confidences[start] >> _HALF
        f = 1.0 - single_of_bits(_LOW - key)
        shares, squares, credits, credit_squares = 0.0, 0.0, 0.0, 0.0
        stop = start
        while stop < n and confidences[stop] >> _HALF == key:
            payload = confidences[stop] & _LOW
            share = np.float64(payload >> np.uint64(10)) / FINE
            credit = np.float64(payload & np.uint64(1023)) / WHOLE
            shares += share
            squares += share * share
            credits += credit
            credit_squares += credit * credit
            stop += 1
        size = np.float64(stop - start)
        group[COLUMN.mass], group[COLUMN.f], group[COLUMN.f_squared] = size, size * f, size * f * f
        group[COLUMN.share], group[COLUMN.share_squared], group[COLUMN.f_share] = shares, squares, f * shares
        group[COLUMN.credit], group[COLUMN.credit_squared] = credits, credit_squares
        group[COLUMN.f_credit] = f * credits
        place = start
        while place < stop:
            while edges[current + 1] <= place:
                current += 1
            end = min(stop, edges[current + 1])
            part = (end - place) / size
            for column in range(COLUMNS):
                sums[current, column] += part * group[column]
            place = end
        start = stop
    return sums


@numba.njit(cache=True, nogil=True, error_model="numpy")
def sums_on_grid(confidences: np.ndarray, size: int) -> np.ndarray:
    """Items on an even grid over 0 to 1, each shared by its two neighbours: their number, and the sums of f - o.

    confidences: (n,) packed as by sweep_rows -> (3, size): number, f - share of people, f - credit
    """
    grid = np.zeros((3, size))
    for i in range(confidences.size):
        f = 1.0 - single_of_bits(_LOW - (confidences[i] >> _HALF))
        payload = confidences[i] & _LOW
        share = np.float64(payload >> np.uint64(10)) / FINE
        credit = np.float64(payload & np.uint64(1023)) / WHOLE
        scaled = f * (size - 1)
        left = min(int(scaled), size - 2)
        right_part = scaled - left
        grid[0, left] += 1.0 - right_part
        grid[0, left + 1] += right_part
        grid[1, left] += (1.0 - right_part) * (f - share)
        grid[1, left + 1] += right_part * (f - share)
        grid[2, left] += (1.0 - right_part) * (f - credit)
        grid[2, left + 1] += right_part * (f - credit)
    return grid


@numba.njit(cache=True, nogil=True, error_model="numpy")
def split_by(values: np.ndarray, marks: np.ndarray) -> tuple[np.ndarray, np.ndarray, int]:
    """Values with and without the mark, and how many are NaN.  (n,), (n,) bool -> (a,), (n - a,), int"""
    marked = 0
    for i in range(values.size):
        marked += marks[i]
    with_mark, without = np.empty(marked + 1, values.dtype), np.empty(values.size - marked + 1, values.dtype)
    a, b, unknown = 0, 0, 0
    for i in range(values.size):  # both are written and one place moves on: no branch to guess wrong
        value = values[i]
        unknown += value != value
        with_mark[a] = value
        without[b] = value
        a += marks[i]
        b += 1 - marks[i]
    return with_mark[:marked], without[: values.size - marked], unknown


@numba.njit(cache=True, nogil=True, error_model="numpy")
def wins(high: np.ndarray, low: np.ndarray) -> int:
    """Twice the number of pairs where high is above low, equal ones counting once.  Both sorted"""
    total, below, upto = 0, 0, 0
    for i in range(high.size):
        value = high[i]
        while below < low.size and low[below] < value:
            below += 1
        upto = max(upto, below)
        while upto < low.size and low[upto] <= value:
            upto += 1
        total += below + upto
    return total
