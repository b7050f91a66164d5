"""Drawing a class from stored probabilities in constant time: one table, looked up once for each item and epoch."""

from __future__ import annotations

import numba
import numpy as np

from dissensus.deliver.keyed import _LOW, below, item_word


@numba.njit(cache=True, nogil=True, error_model="numpy")
def alias_table(probs: np.ndarray, own: np.ndarray, other: np.ndarray, first: np.ndarray) -> np.ndarray:
    """Walker's table of each row, over the classes it gives mass to; fills `own` and `other`.

        c cells of equal chance; cell s gives class own_s with chance keep_s / 2**32, else class other_s

    Vose (1991), A linear algorithm for generating random numbers with a given distribution.

    probs: (n, k); own, other: (z,) for the z entries above 0; first: (n + 1,) where rows begin -> keep (z,) uint32
    """
    keep = np.empty(own.size, dtype=np.uint32)
    k = probs.shape[1]
    height, small, large = np.empty(k), np.empty(k, dtype=np.int64), np.empty(k, dtype=np.int64)
    for row in range(probs.shape[0]):
        begin, cells, total = first[row], 0, 0.0
        for code in range(k):
            if probs[row, code] > 0:
                height[cells] = probs[row, code]
                own[begin + cells] = code
                total += probs[row, code]
                cells += 1
        n_small = n_large = 0
        for cell in range(cells):
            height[cell] *= cells / total
            if height[cell] < 1.0:
                small[n_small] = cell
                n_small += 1
            else:
                large[n_large] = cell
                n_large += 1
        while n_small > 0 and n_large > 0:
            n_small -= 1
            low, high = small[n_small], large[n_large - 1]
            keep[begin + low] = np.uint32(min(height[low] * 4294967296.0, 4294967295.0))
            other[begin + low] = own[begin + high]
            height[high] -= 1.0 - height[low]
            if height[high] < 1.0:
                n_large -= 1
                small[n_small] = high
                n_small += 1
        for place in range(n_large):  # full cells: both answers are the same class
            keep[begin + large[place]] = np.uint32(0)
            other[begin + large[place]] = own[begin + large[place]]
        for place in range(n_small):  # full but for rounding
            keep[begin + small[place]] = np.uint32(0)
            other[begin + small[place]] = own[begin + small[place]]
    return keep


@numba.njit(cache=True, nogil=True, error_model="numpy")
def any_class(
    start: np.uint64,
    first: np.ndarray,
    keep: np.ndarray,
    own: np.ndarray,
    other: np.ndarray,
    items: np.ndarray,
    whole: bool,
) -> np.ndarray:
    """A class of each item, drawn by its table: the upper half of its word picks the cell, the lower the answer.

    items: (r,), or all where `whole` -> (r,) int64
    """
    out = np.empty(first.size - 1 if whole else items.size, dtype=np.int64)
    for row in range(out.size):
        item = row if whole else items[row]
        begin = first[item]
        word = item_word(start, item)
        cell = begin + below(word, first[item + 1] - begin)
        out[row] = own[cell] if (word & _LOW) < np.uint64(keep[cell]) else other[cell]
    return out
