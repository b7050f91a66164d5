"""Hinges over the ordered pairs of one long row, by sorting: k log k instead of k^2/2.

Imported only by the kernels of embeddings.
"""

from __future__ import annotations

import numba
import numpy as np


@numba.njit(cache=True, nogil=True, error_model="numpy")
def sorted_hinges(far, after, width, pull):  # type: ignore[no-untyped-def]
    """The same sum as `kernels.ordered_hinges` for one row; derivatives are added to `pull`.

    Distances are sorted once. Going through positions from the lowest label up, a Fenwick tree over the sorted
    distances holds count, sum and sum of squares of those with a lower label; the hinges of a position then need its
    values at two places: below 1 + d they are violated, below 1 + d - width by more than the rounded part. A second
    pass, from the highest label down, gives each position the violations in which it is the far one.

    far: (k,) squared distances from the highest label to the lowest;  after: (k,) position from which labels are lower
    """
    size = far.size
    middle = far.mean()  # squares of centred distances keep their digits
    ranked = np.argsort(far)
    value = far[ranked] - middle
    rank = np.empty(size, np.int64)
    for place in range(size):  # as one assignment, `rank[ranked] = …`, it takes numba 4 s to compile
        rank[ranked[place]] = place
    tree = np.zeros((size + 1, 3))
    total = 0.0
    waiting = size - 1
    for p in range(size - 1, -1, -1):
        while waiting >= after[p]:
            centred = far[waiting] - middle
            _add(tree, rank[waiting], centred)
            waiting -= 1
        near = far[p] - middle + 1.0
        count, first, second = _below(tree, np.searchsorted(value, near - width))
        some, its_first, its_second = _below(tree, np.searchsorted(value, near))
        some, its_first, its_second = some - count, its_first - first, its_second - second
        total += count * (near - 0.5 * width) - first
        total += (some * near * near - 2.0 * near * its_first + its_second) / (2.0 * width)
        pull[p] += count + (some * near - its_first) / width
    tree[:] = 0.0
    entered, coming = 0.0, 0
    for q in range(size):
        while coming < size and after[coming] <= q:
            _add(tree, rank[coming], far[coming] - middle)
            entered += 1.0
            coming += 1
        edge = far[q] - middle - 1.0
        below, below_first, _ = _below(tree, np.searchsorted(value, edge))
        rounded, rounded_first, _ = _below(tree, np.searchsorted(value, edge + width))
        pull[q] -= entered - rounded + (rounded_first - below_first - (rounded - below) * edge) / width
    return total


@numba.njit(cache=True, nogil=True, error_model="numpy")
def _add(tree, place, value):  # type: ignore[no-untyped-def]
    i = place + 1
    while i < tree.shape[0]:
        tree[i, 0] += 1.0
        tree[i, 1] += value
        tree[i, 2] += value * value
        i += i & -i


@numba.njit(cache=True, nogil=True, error_model="numpy")
def _below(tree, end):  # type: ignore[no-untyped-def]
    count, first, second = 0.0, 0.0, 0.0
    i = end
    while i > 0:
        count += tree[i, 0]
        first += tree[i, 1]
        second += tree[i, 2]
        i -= i & -i
    return count, first, second
