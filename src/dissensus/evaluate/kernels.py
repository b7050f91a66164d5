"""Compiled loops over millions of items. Each has a slow neighbour in NumPy that the tests compare it with.

The sweep reads predictions and people once, in blocks of rows that fit into the nearest cache. A block is turned, so
that neighbours in memory are neighbouring items: then every line of the inner loops works on four items at once.
"""

from __future__ import annotations

from collections import namedtuple

import numba
import numpy as np

from dissensus.evaluate.float_bits import bits_of_double, bits_of_single, double_of_bits

WHOLE = 840  # credit for a majority class is held in 840ths: exact for up to 8 equal classes on one side
FINE = (1 << 22) - 1  # shares of people are held in steps of 2.4e-7

_LN2_HIGH, _LN2_LOW = 6.93147180369123816490e-01, 1.90821492927058770002e-10
_SMALLEST = 2.2250738585072014e-308


@numba.njit(cache=True, nogil=True, error_model="numpy", fastmath={"contract"})
def _log(x: float) -> float:
    """Natural logarithm of 2.2e-308 or more, to the last digit or the one before; smaller numbers count as that.

    x = 2^e m with m in [sqrt(1/2), sqrt(2)), and ln m by the series of fdlibm's log: only arithmetic, so that the
    compiler works on several at once, which it cannot do with calls of the library's logarithm.
    """
    bits = bits_of_double(x if x > _SMALLEST else _SMALLEST)
    shifted = bits - 0x3FE6A09E00000000  # the bits of sqrt(1/2)
    exponent = shifted >> 52
    m = double_of_bits(bits - (exponent << 52))
    # Exponents are small, so adding them to the bits of 1.5 * 2^52 converts them.
    e = double_of_bits(exponent + 0x4338000000000000) - 6755399441055744.0
    f = m - 1.0
    s = f / (2.0 + f)
    z = s * s
    series = z * (
        0.6666666666666735130
        + z
        * (
            0.3999999999940941908
            + z
            * (
                0.2857142874366239149
                + z
                * (
                    0.2222219843214978396
                    + z * (0.1818357216161805012 + z * (0.1531383769920937332 + z * 0.1479819860511658591))
                )
            )
        )
    )
    half = 0.5 * f * f
    return e * _LN2_HIGH - ((half - (s * (half + series) + e * _LN2_LOW)) - f)


LANES = 56


# What is held for each item of a block.
Rows = namedtuple(
    "Rows",
    "first_q second_q first_p second_p nll h_q h_p both_log brier apart moved cumulative top_q top_p "
    "top_both voted hard next_q next_p next_both top_next excluded hard_excluded least sum_q",
)
# What is summed over items. A total named as a metric is the sum of that metric; <metric>_items says how many items
# have a value where not all have, <metric>_infinite how many have an infinite one, which is left out of the sum.
Totals = namedtuple(
    "Totals",
    "soft_nll soft_nll_infinite js brier manhattan soft_accuracy wasserstein entropy people_entropy "
    "entropy_squared people_entropy_squared entropy_product cross_entropy_hard "
    "cross_entropy_hard_infinite accuracy vote_accuracy second_best_accuracy second_best_accuracy_items "
    "top_2_accuracy confidence_right confidence_right_items confidence_wrong confidence_wrong_items "
    "bad_rows",
)
# Every row has its place by its name, and the workspace as many as there are names. A name that is missing here is an
# error when the loops are compiled; places written by hand would be a write beyond the end of the array.
ROWS, SUMS = Rows._fields, Totals._fields
ROW = Rows(*(LANES * place for place in range(len(ROWS))))
TOTAL = Totals(*(LANES * (len(ROWS) + place) for place in range(len(SUMS))))
WORKSPACE = LANES * (len(ROWS) + len(SUMS))


@numba.njit(cache=True, nogil=True, error_model="numpy", fastmath={"contract"})
def sweep_rows(
    model: np.ndarray,
    people: np.ndarray,
    entropies: np.ndarray,
    confidences: np.ndarray,
    near: tuple[float, float],
    tolerance: float,
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Sums of every score, and two packed numbers per item, in one pass.

    model, people: (n, k), 0 < n < 2^31, k > 1
    entropies    (n,) uint64, filled: entropy of the model and of people, as bits of single-precision floats
    confidences  (n,) uint64, filled: bits that rise with confidence, share of people in FINE, credit in WHOLE
    near         entropies of the model and of people that are taken off before summing them
    -> (len(SUMS),) sums over items; (k,) sum of min(q, p) and (k,) of q + p, for soft F1
    """
    n, k = model.shape
    q, p = np.zeros(k * LANES), np.zeros(k * LANES)
    logs = np.empty(k * LANES), np.empty(k * LANES), np.empty(k * LANES)
    w = np.zeros(WORKSPACE)
    overlap, mass = np.zeros(k * LANES), np.zeros(k * LANES)
    for start in range(0, n, LANES):
        count = min(LANES, n - start)
        for r in range(count):
            for c in range(k):
                q[c * LANES + r] = model[start + r, c]
                p[c * LANES + r] = people[start + r, c]
        _score_block(q, p, logs[0], logs[1], logs[2], w, k, count, near[0], near[1], tolerance)
        for c in range(k):
            for r in range(c * LANES, c * LANES + count):
                overlap[r] += q[r] if q[r] < p[r] else p[r]
                mass[r] += q[r] + p[r]
        for r in range(count):
            entropies[start + r] = (bits_of_single(w[ROW.h_q + r]) << np.uint64(32)) | bits_of_single(w[ROW.h_p + r])
            share, credit = np.int64(w[ROW.voted + r] * FINE + 0.5), np.int64(w[ROW.top_both + r] * WHOLE + 0.5)
            payload = np.uint64((share << 10) | credit)
            unsure = bits_of_single(1.0 - w[ROW.first_q + r])
            confidences[start + r] = ((np.uint64(0xFFFFFFFF) - unsure) << np.uint64(32)) | payload
    sums = np.zeros(len(SUMS))
    for place in range(len(SUMS)):
        first = LANES * (len(ROWS) + place)
        sums[place] = w[first : first + LANES].sum()
    # Summed by `sum(axis=1)`, these two lines take numba 2 s to compile.
    overlaps, masses = np.zeros(k), np.zeros(k)
    for i in range(k * LANES):
        overlaps[i // LANES] += overlap[i]
        masses[i // LANES] += mass[i]
    return sums, overlaps, masses


@numba.njit(cache=True, nogil=True, error_model="numpy", fastmath={"contract"})
def _score_block(
    q: np.ndarray,
    p: np.ndarray,
    log_q: np.ndarray,
    log_p: np.ndarray,
    log_both: np.ndarray,
    w: np.ndarray,
    k: int,
    count: int,
    near_q: float,
    near_p: float,
    tolerance: float,
) -> None:
    """Every score of up to LANES items, in w, and added to the totals in w.  q, p: (k * LANES,), turned"""
    for place in range(LANES * len(ROWS)):
        w[place] = 0.0
    for r in range(LANES):
        w[ROW.first_q + r] = w[ROW.second_q + r] = w[ROW.first_p + r] = w[ROW.second_p + r] = -1.0
    for c in range(k):
        for r in range(count):
            x, y = q[c * LANES + r], p[c * LANES + r]
            first, second = w[ROW.first_q + r], w[ROW.second_q + r]
            lower = first if first < x else x
            w[ROW.second_q + r] = lower if lower > second else second
            w[ROW.first_q + r] = x if x > first else first
            first, second = w[ROW.first_p + r], w[ROW.second_p + r]
            lower = first if first < y else y
            w[ROW.second_p + r] = lower if lower > second else second
            w[ROW.first_p + r] = y if y > first else first
    # Short loops: the processor then works on several of their rounds at a time, and logarithms take long.
    for i in range(k * LANES):
        log_q[i] = _log(q[i])
    for i in range(k * LANES):
        log_p[i] = _log(p[i])
    for i in range(k * LANES):
        log_both[i] = _log(q[i] + p[i])
    for c in range(k):
        for r in range(count):
            i = c * LANES + r
            x, y, log_x = q[i], p[i], log_q[i]
            top_p = 1.0 if y == w[ROW.first_p + r] else 0.0
            w[ROW.nll + r] -= y * log_x
            w[ROW.h_q + r] -= x * log_x
            w[ROW.h_p + r] -= y * log_p[i]
            w[ROW.both_log + r] += (x + y) * log_both[i]
            w[ROW.hard + r] -= top_p * log_x
            impossible = 1.0 if x == 0.0 else 0.0
            w[ROW.excluded + r] += impossible if y > 0.0 else 0.0
            w[ROW.hard_excluded + r] += impossible * top_p
    for c in range(k):
        inner = 0.0 if c == k - 1 else 1.0
        for r in range(count):
            i = c * LANES + r
            x, y = q[i], p[i]
            difference = x - y
            w[ROW.brier + r] += difference * difference
            w[ROW.apart + r] += abs(difference)
            moved = w[ROW.cumulative + r] + difference
            w[ROW.cumulative + r] = moved
            w[ROW.moved + r] += inner * abs(moved)
            w[ROW.sum_q + r] += x
            least = w[ROW.least + r]
            smaller = x if x < y else y
            w[ROW.least + r] = smaller if smaller < least else least
    for c in range(k):
        for r in range(count):
            i = c * LANES + r
            x, y = q[i], p[i]
            top_q = 1.0 if x == w[ROW.first_q + r] else 0.0
            top_p = 1.0 if y == w[ROW.first_p + r] else 0.0
            next_q = 1.0 if x == w[ROW.second_q + r] else 0.0
            next_p = 1.0 if y == w[ROW.second_p + r] else 0.0
            w[ROW.top_q + r] += top_q
            w[ROW.top_p + r] += top_p
            w[ROW.top_both + r] += top_q * top_p
            w[ROW.voted + r] += top_q * y
            w[ROW.next_q + r] += next_q
            w[ROW.next_p + r] += next_p
            w[ROW.next_both + r] += next_q * next_p
            w[ROW.top_next + r] += top_p * next_q
    for r in range(count):
        sum_q, sum_p = w[ROW.sum_q + r], w[ROW.sum_q + r] - w[ROW.cumulative + r]
        fits_q = 1.0 if abs(sum_q - 1.0) <= tolerance else 0.0
        fits_p = 1.0 if abs(sum_p - 1.0) <= tolerance else 0.0
        fits = fits_q * fits_p if w[ROW.least + r] >= 0.0 else 0.0
        h_q = w[ROW.h_q + r] if w[ROW.h_q + r] > 0.0 else 0.0
        h_p = w[ROW.h_p + r] if w[ROW.h_p + r] > 0.0 else 0.0
        js = 0.5 * (0.6931471805599453 * (sum_q + sum_p) - h_q - h_p - w[ROW.both_log + r])
        ties_q, ties_p, both = w[ROW.top_q + r], w[ROW.top_p + r], w[ROW.top_both + r]
        confidence = w[ROW.first_q + r]
        credit = both / (ties_q * ties_p)
        voted = w[ROW.voted + r] / ties_q
        right = 1.0 if both > 0.0 else 0.0
        second = 1.0 if w[ROW.second_p + r] > 0.0 else 0.0
        two = 2.0 * both / ties_q if ties_q > 1.0 else both + w[ROW.top_next + r] / w[ROW.next_q + r]
        w[TOTAL.soft_nll + r] += w[ROW.nll + r]
        w[TOTAL.js + r] += js if js > 0.0 else 0.0
        w[TOTAL.brier + r] += w[ROW.brier + r]
        w[TOTAL.manhattan + r] += w[ROW.apart + r]
        w[TOTAL.soft_accuracy + r] += 0.5 * (sum_q + sum_p - w[ROW.apart + r])
        w[TOTAL.wasserstein + r] += w[ROW.moved + r]
        from_q, from_p = h_q - near_q, h_p - near_p
        w[TOTAL.entropy + r] += from_q
        w[TOTAL.people_entropy + r] += from_p
        w[TOTAL.entropy_squared + r] += from_q * from_q
        w[TOTAL.people_entropy_squared + r] += from_p * from_p
        w[TOTAL.entropy_product + r] += from_q * from_p
        w[TOTAL.cross_entropy_hard + r] += w[ROW.hard + r] / ties_p
        w[TOTAL.accuracy + r] += credit
        w[TOTAL.vote_accuracy + r] += voted
        w[TOTAL.second_best_accuracy + r] += second * w[ROW.next_both + r] / (w[ROW.next_q + r] * w[ROW.next_p + r])
        w[TOTAL.second_best_accuracy_items + r] += second
        w[TOTAL.top_2_accuracy + r] += two / ties_p
        w[TOTAL.confidence_right + r] += right * confidence
        w[TOTAL.confidence_right_items + r] += right
        w[TOTAL.confidence_wrong + r] += (1.0 - right) * confidence
        w[TOTAL.confidence_wrong_items + r] += 1.0 - right
        w[TOTAL.soft_nll_infinite + r] += 1.0 if w[ROW.excluded + r] > 0.0 else 0.0
        w[TOTAL.cross_entropy_hard_infinite + r] += 1.0 if w[ROW.hard_excluded + r] > 0.0 else 0.0
        w[TOTAL.bad_rows + r] += 1.0 - fits
        w[ROW.h_q + r], w[ROW.h_p + r], w[ROW.top_both + r] = h_q, h_p, credit
        w[ROW.voted + r] = voted if voted < 1.0 else 1.0
        w[ROW.first_q + r] = confidence if confidence < 1.0 else 1.0
