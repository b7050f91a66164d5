"""Compiled loops over millions of items. Each has a slow neighbour in NumPy that the tests compare it with.

The sweep reads predictions and people once, in blocks of rows that fit into the nearest cache. A block is turned, so
that neighbours in memory are neighbouring items: then every line of the inner loops works on four items at once.
"""

from __future__ import annotations

import numba
import numpy as np

from dissensus.evaluate.float_bits import bits_of_double, bits_of_single, double_of_bits

SUMS = (
    "soft_nll", "js", "brier", "manhattan", "soft_accuracy", "wasserstein", "entropy", "people_entropy",
    "entropy_squared", "people_squared", "entropy_product", "cross_entropy_hard", "accuracy", "vote_accuracy",
    "second_best", "second_items", "top_2_accuracy", "confidence_right", "right_items", "confidence_wrong",
    "infinite_items", "infinite_hard", "bad_rows",
)  # fmt: skip
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


# Where each row of the workspace begins. Constants, so that the compiler sees that rows do not overlap.
LANES = 56
(
    _FIRST_Q, _SECOND_Q, _FIRST_P, _SECOND_P, _NLL, _H_Q, _H_P, _BOTH_LOG, _BRIER, _APART, _MOVED, _CUMULATIVE,
    _TOP_Q, _TOP_P, _TOP_BOTH, _VOTED, _HARD, _NEXT_Q, _NEXT_P, _NEXT_BOTH, _TOP_NEXT, _EXCLUDED, _HARD_EXCLUDED,
    _LEAST, _SUM_Q, _TOTALS,
) = (LANES * place for place in range(26))  # fmt: skip
WORKSPACE = LANES * (25 + len(SUMS))


@numba.njit(cache=True, nogil=True, error_model="numpy", fastmath={"contract"})
def sweep_rows(
    model: np.ndarray,
    people: np.ndarray,
    entropies: np.ndarray,
    confidences: np.ndarray,
    near: tuple[float, float],
    tolerance: float,
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Sums of every score, and two packed numbers an item, in one pass.

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
            entropies[start + r] = (bits_of_single(w[_H_Q + r]) << np.uint64(32)) | bits_of_single(w[_H_P + r])
            payload = np.uint64((np.int64(w[_VOTED + r] * FINE + 0.5) << 10) | np.int64(w[_TOP_BOTH + r] * WHOLE + 0.5))
            unsure = bits_of_single(1.0 - w[_FIRST_Q + r])
            confidences[start + r] = ((np.uint64(0xFFFFFFFF) - unsure) << np.uint64(32)) | payload
    sums = np.zeros(len(SUMS))
    for place in range(len(SUMS)):
        sums[place] = w[_TOTALS + place * LANES : _TOTALS + (place + 1) * LANES].sum()
    return sums, overlap.reshape(k, LANES).sum(axis=1), mass.reshape(k, LANES).sum(axis=1)


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
    for place in range(_FIRST_Q, _NLL):
        w[place] = -1.0
    for place in range(_NLL, _TOTALS):
        w[place] = 0.0
    for c in range(k):
        for r in range(count):
            x, y = q[c * LANES + r], p[c * LANES + r]
            first, second = w[_FIRST_Q + r], w[_SECOND_Q + r]
            lower = first if first < x else x
            w[_SECOND_Q + r] = lower if lower > second else second
            w[_FIRST_Q + r] = x if x > first else first
            first, second = w[_FIRST_P + r], w[_SECOND_P + r]
            lower = first if first < y else y
            w[_SECOND_P + r] = lower if lower > second else second
            w[_FIRST_P + r] = y if y > first else first
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
            top_p = 1.0 if y == w[_FIRST_P + r] else 0.0
            w[_NLL + r] -= y * log_x
            w[_H_Q + r] -= x * log_x
            w[_H_P + r] -= y * log_p[i]
            w[_BOTH_LOG + r] += (x + y) * log_both[i]
            w[_HARD + r] -= top_p * log_x
            impossible = 1.0 if x == 0.0 else 0.0
            w[_EXCLUDED + r] += impossible if y > 0.0 else 0.0
            w[_HARD_EXCLUDED + r] += impossible * top_p
    for c in range(k):
        inner = 0.0 if c == k - 1 else 1.0
        for r in range(count):
            i = c * LANES + r
            x, y = q[i], p[i]
            difference = x - y
            w[_BRIER + r] += difference * difference
            w[_APART + r] += abs(difference)
            moved = w[_CUMULATIVE + r] + difference
            w[_CUMULATIVE + r] = moved
            w[_MOVED + r] += inner * abs(moved)
            w[_SUM_Q + r] += x
            least = w[_LEAST + r]
            smaller = x if x < y else y
            w[_LEAST + r] = smaller if smaller < least else least
    for c in range(k):
        for r in range(count):
            i = c * LANES + r
            x, y = q[i], p[i]
            top_q = 1.0 if x == w[_FIRST_Q + r] else 0.0
            top_p = 1.0 if y == w[_FIRST_P + r] else 0.0
            next_q = 1.0 if x == w[_SECOND_Q + r] else 0.0
            next_p = 1.0 if y == w[_SECOND_P + r] else 0.0
            w[_TOP_Q + r] += top_q
            w[_TOP_P + r] += top_p
            w[_TOP_BOTH + r] += top_q * top_p
            w[_VOTED + r] += top_q * y
            w[_NEXT_Q + r] += next_q
            w[_NEXT_P + r] += next_p
            w[_NEXT_BOTH + r] += next_q * next_p
            w[_TOP_NEXT + r] += top_p * next_q
    for r in range(count):
        sum_q, sum_p = w[_SUM_Q + r], w[_SUM_Q + r] - w[_CUMULATIVE + r]
        fits_q = 1.0 if abs(sum_q - 1.0) <= tolerance else 0.0
        fits_p = 1.0 if abs(sum_p - 1.0) <= tolerance else 0.0
        fits = fits_q * fits_p if w[_LEAST + r] >= 0.0 else 0.0
        h_q = w[_H_Q + r] if w[_H_Q + r] > 0.0 else 0.0
        h_p = w[_H_P + r] if w[_H_P + r] > 0.0 else 0.0
        js = 0.5 * (0.6931471805599453 * (sum_q + sum_p) - h_q - h_p - w[_BOTH_LOG + r])
        ties_q, ties_p, both = w[_TOP_Q + r], w[_TOP_P + r], w[_TOP_BOTH + r]
        confidence = w[_FIRST_Q + r]
        credit = both / (ties_q * ties_p)
        voted = w[_VOTED + r] / ties_q
        right = 1.0 if both > 0.0 else 0.0
        second = 1.0 if w[_SECOND_P + r] > 0.0 else 0.0
        two = 2.0 * both / ties_q if ties_q > 1.0 else both + w[_TOP_NEXT + r] / w[_NEXT_Q + r]
        w[_TOTALS + r] += w[_NLL + r]
        w[_TOTALS + 1 * LANES + r] += js if js > 0.0 else 0.0
        w[_TOTALS + 2 * LANES + r] += w[_BRIER + r]
        w[_TOTALS + 3 * LANES + r] += w[_APART + r]
        w[_TOTALS + 4 * LANES + r] += 0.5 * (sum_q + sum_p - w[_APART + r])
        w[_TOTALS + 5 * LANES + r] += w[_MOVED + r]
        from_q, from_p = h_q - near_q, h_p - near_p
        w[_TOTALS + 6 * LANES + r] += from_q
        w[_TOTALS + 7 * LANES + r] += from_p
        w[_TOTALS + 8 * LANES + r] += from_q * from_q
        w[_TOTALS + 9 * LANES + r] += from_p * from_p
        w[_TOTALS + 10 * LANES + r] += from_q * from_p
        w[_TOTALS + 11 * LANES + r] += w[_HARD + r] / ties_p
        w[_TOTALS + 12 * LANES + r] += credit
        w[_TOTALS + 13 * LANES + r] += voted
        w[_TOTALS + 14 * LANES + r] += second * w[_NEXT_BOTH + r] / (w[_NEXT_Q + r] * w[_NEXT_P + r])
        w[_TOTALS + 15 * LANES + r] += second
        w[_TOTALS + 16 * LANES + r] += two / ties_p
        w[_TOTALS + 17 * LANES + r] += right * confidence
        w[_TOTALS + 18 * LANES + r] += right
        w[_TOTALS + 19 * LANES + r] += (1.0 - right) * confidence
        w[_TOTALS + 20 * LANES + r] += 1.0 if w[_EXCLUDED + r] > 0.0 else 0.0
        w[_TOTALS + 21 * LANES + r] += 1.0 if w[_HARD_EXCLUDED + r] > 0.0 else 0.0
        w[_TOTALS + 22 * LANES + r] += 1.0 - fits
        w[_H_Q + r], w[_H_P + r], w[_TOP_BOTH + r] = h_q, h_p, credit
        w[_VOTED + r] = voted if voted < 1.0 else 1.0
        w[_FIRST_Q + r] = confidence if confidence < 1.0 else 1.0
