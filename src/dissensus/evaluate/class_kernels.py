"""A compiled loop over the classes of millions of items: sums above each of a few thresholds.

It is separate from the sweep over rows: in one function, the compiler would work on a single item at a time.
"""

from __future__ import annotations

import numba
import numpy as np

LANES = 64


@numba.njit(cache=True, nogil=True, error_model="numpy")
def sums_above(model: np.ndarray, people: np.ndarray, thresholds: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Sums of 1, q and p over the items whose q is above each threshold, class by class; of q, p, p^2 over all items.

    model, people: (n, k), thresholds: (k, t), -1 or more -> (k, t, 3), (k, 3)
    """
    n, k = model.shape
    q, p = np.zeros(k * LANES), np.zeros(k * LANES)
    above, totals = np.zeros((k, thresholds.shape[1], 3)), np.zeros((k, 3))
    for start in range(0, n, LANES):
        count = min(LANES, n - start)
        if count < LANES:
            q[:], p[:] = -2.0, 0.0  # below every threshold; taken off the sum of q at the end
        for r in range(count):
            for c in range(k):
                q[c * LANES + r] = model[start + r, c]
                p[c * LANES + r] = people[start + r, c]
        _add_block(q, p, thresholds, above, totals)
    for c in range(k):  # as one line, `totals[:, 0] += …`, it takes numba 2 s to compile
        totals[c, 0] += 2.0 * ((LANES - n % LANES) % LANES)
    return above, totals


# Sums in any order: only then does the compiler add several items at once.
@numba.njit(cache=True, nogil=True, error_model="numpy", fastmath={"contract", "nsz", "reassoc"})
def _add_block(q: np.ndarray, p: np.ndarray, thresholds: np.ndarray, above: np.ndarray, totals: np.ndarray) -> None:
    """Add LANES items, turned so that neighbours in memory are items.  q, p: (k * LANES,)"""
    for c in range(thresholds.shape[0]):
        total_q, total_p, squares = 0.0, 0.0, 0.0
        for i in range(c * LANES, c * LANES + LANES):
            total_q += q[i]
            total_p += p[i]
            squares += p[i] * p[i]
        totals[c, 0] += total_q
        totals[c, 1] += total_p
        totals[c, 2] += squares
        for place in range(thresholds.shape[1]):
            threshold = thresholds[c, place]
            items, sum_q, sum_p = 0.0, 0.0, 0.0
            for r in range(LANES):
                x = q[c * LANES + r]
                inside = 1.0 if x > threshold else 0.0
                items += inside
                sum_q += inside * x
                sum_p += inside * p[c * LANES + r]
            above[c, place, 0] += items
            above[c, place, 1] += sum_q
            above[c, place, 2] += sum_p
