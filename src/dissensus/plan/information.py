"""The information in each kind of label: comparisons "a is closer to b than to c" that it answers, as formulas.

Items and class centroids are n + k points in a hidden space. Every set of three points allows three questions of
the form "is a closer to b than to c?", one bit each. A label answers some of them.
Sucholutsky 2023, sec. 3. All functions take numbers or arrays that broadcast, and return float64.
"""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from dissensus.labels.refusals import one_of
from dissensus.plan.label_kinds import LABEL_KINDS, LabelKind

Regime = Literal["many-shot", "one-shot", "less-than-one-shot"]


def total_queries(n: ArrayLike, k: ArrayLike = 0) -> np.ndarray:
    """The number of questions about n items and k centroids: 3 C(n + k, 3)."""
    points = _counts(n, "items", least=0) + _counts(k, "classes", least=0)
    return points * (points - 1) * (points - 2) / 2


def hard_constraints(n: ArrayLike, k: ArrayLike) -> np.ndarray:
    """Questions answered by naming the nearest class of each item, classes equally frequent.

        T_hard(n, k) = n (k - 1) + n^2 (1 - 1/k)

    An item is closer to its class than to the k - 1 others; a centroid is closer to each of its n/k items than to
    each of the n - n/k others. Exact where k divides n. Otherwise, and for classes of unequal size, the second term
    is an upper bound: sum_c m_c (n - m_c) over class sizes m_c is largest when all are n/k. A single item over two
    classes would have 3/2, but even a soft label has one comparison there, which is returned.
    """
    n, k = _items_and_classes(n, k)
    return np.minimum(n * (k - 1) + n**2 * (1 - 1 / k), np.where(k > 1, soft_constraints(n, k), np.inf))


def soft_constraints(n: ArrayLike, k: ArrayLike) -> np.ndarray:
    """Questions answered by a distinct number for each class and item.

        T_soft(n, k) = n k (k - 1)/2 + k n (n - 1)/2 = k n (k + n - 2)/2

    An item orders all classes (its row), a class orders all items (its column).
    """
    n, k = _items_and_classes(n, k)
    return k * n * (k + n - 2) / 2


def sparse_constraints(n: ArrayLike, k: ArrayLike, k_hat: ArrayLike, *, scaled: bool = True) -> np.ndarray:
    """Questions answered by each item's k_hat largest classes, the others left at 0; classes equally often kept.

        T_sparse = n [k_hat (k_hat - 1)/2 + k_hat (k - k_hat)]  +  sum over classes c of m_c (m_c - 1)/2 + m_c (n - m_c)

    Of a row's pairs of classes, two kept ones are ordered by their numbers and a kept one precedes each dropped one;
    two dropped ones are both 0 and answer nothing. A column with m_c kept items reads the same. The n k_hat kept
    numbers are dealt to the k classes as evenly as they can be: m_c is n k_hat / k, rounded up for some and down for
    the others. k_hat = k is a soft label.

    scaled  rows sum to 1, as `labels.transforms.sparsify` leaves them. A single kept class then has all the mass and
            its items are tied: k_hat = 1 is a hard label. Otherwise it keeps its number, as a typicality rating does
    """
    n, k = _items_and_classes(n, k)
    k_hat = _check_kept(k_hat, k)
    fewer, with_more = np.divmod(n * k_hat, k)
    columns = with_more * _count_ordered_pairs(fewer + 1, n) + (k - with_more) * _count_ordered_pairs(fewer, n)
    rows = n * (k_hat * (k_hat - 1) / 2 + k_hat * (k - k_hat))
    return np.where(_is_tied(k, k_hat, scaled), hard_constraints(n, k), rows + columns)


def top_class_constraints(
    n: ArrayLike, k: ArrayLike, k_hat: ArrayLike, *, scaled: bool = True, unasked_as_zero: bool = True
) -> np.ndarray:
    """Questions answered by numbers for the same k_hat classes for every item.

        T_top = n [k_hat (k_hat - 1)/2 + k_hat (k - k_hat)]  +  k_hat n (n - 1)/2

    The kept columns order all items, the others are 0 throughout and order none. T_soft at k_hat = k.

    scaled           as in `sparse_constraints`: a single kept class then orders no items
    unasked_as_zero  the paper's learner follows the label as given: within a row each kept class comes before
                     each dropped one, though nobody was asked, and wrongly where the dropped one is nearer. False
                     counts only what people said: n k_hat (k_hat - 1)/2 in the rows
    """
    n, k = _items_and_classes(n, k)
    k_hat = _check_kept(k_hat, k)
    before_dropped = k_hat * (k - k_hat) if unasked_as_zero else 0.0
    columns = np.where(_is_tied(k, k_hat, scaled), 0.0, k_hat * n * (n - 1) / 2)
    return n * (k_hat * (k_hat - 1) / 2 + before_dropped) + columns


def pairwise_constraints(n: ArrayLike) -> np.ndarray:
    """Questions answered by a distinct similarity for each of the n (n - 1)/2 pairs of items.

        T_pairs(n) = n (n - 1)(n - 2)/2 = 3 C(n, 3)

    Each item orders all others: all that can be asked about the items, and nothing about classes.
    """
    return total_queries(n)


def constraints_of(
    kind: LabelKind, n: ArrayLike, k: ArrayLike, k_hat: ArrayLike = 1, *, flip_rate: float = 0.0
) -> np.ndarray:
    """Count the comparisons that labels of one kind answer correctly.

    The formulas are those of `hard_constraints` and its neighbours in `dissensus.plan.information`.

    Parameters
    ----------
    kind : one of `LABEL_KINDS`
    n, k : items and classes; numbers or arrays that broadcast
    k_hat : classes with a number, for sparse and top-class labels
    flip_rate : share of wrong answers, which are subtracted

    Returns
    -------
    array : as many comparisons as each label matrix answers

    Examples
    --------
    >>> [float(constraints_of(kind, 80, 20)) for kind in ("hard", "soft")]
    [7600.0, 78400.0]
    """
    formulas = {
        "hard": lambda: hard_constraints(n, k),
        "sparse": lambda: sparse_constraints(n, k, k_hat),
        "top-class": lambda: top_class_constraints(n, k, k_hat),
        "soft": lambda: soft_constraints(n, k),
        "pairwise": lambda: pairwise_constraints(n),
    }
    return noisy_constraints(formulas[one_of("kind of label", kind, LABEL_KINDS)](), flip_rate)


def noisy_constraints(constraints: ArrayLike, flip_rate: ArrayLike) -> np.ndarray:
    """The expected number of correct answers if each is flipped with probability flip_rate.

        (1 - epsilon) T

    Sucholutsky 2023, sec. 3, "Signal-to-noise ratio".
    """
    return (1 - _rates(flip_rate)) * np.asarray(constraints, dtype=np.float64)


def answers_for(kind: LabelKind, items: ArrayLike) -> np.ndarray:
    """The number of answers that label these items once: one per item, or one per pair of items."""
    items = np.asarray(items, dtype=np.float64)
    return items * (items - 1) / 2 if kind == "pairwise" else items


def items_for(kind: LabelKind, answers: ArrayLike, n: int) -> np.ndarray:
    """The number of items, of n, that this many answers label: the inverse of `answers_for`, rounded down."""
    answers = np.asarray(answers, dtype=np.float64)
    items = (1 + np.sqrt(1 + 8 * answers)) / 2 if kind == "pairwise" else answers
    return np.minimum(n, np.floor(items + 1e-9)).astype(np.int64)


def information_ratio(constraints: ArrayLike, n: ArrayLike, k: ArrayLike) -> np.ndarray:
    """Divide answered comparisons by the number of all comparisons.

        IR(n, k) = T / (3 C(n + k, 3)),   0 to 1

    Sucholutsky 2023, sec. 3.

    Parameters
    ----------
    constraints : answered comparisons T
    n, k : items and classes, together 3 or more

    Returns
    -------
    array : 0 to 1, higher is more informative

    Examples
    --------
    >>> information_ratio(constraints_of("soft", 80, 20), 80, 20).round(3)
    np.float64(0.162)
    """
    total = total_queries(n, k)
    if np.any(total == 0):
        raise ValueError(
            f"{np.asarray(n).tolist()} items and {np.asarray(k).tolist()} classes have no three points to compare; "
            "expected n + k of 3 or more"
        )
    return np.asarray(constraints, dtype=np.float64) / total


def regime(n: int, k: int) -> Regime:
    """Name the regime of a set: fewer items than classes, about one item per class, or many.

        less-than-one-shot: n < k;   one-shot: k <= n < 2k;   many-shot: n >= 2k

    Sucholutsky 2023 states the limits n << k, n = k and n >> k; the borders between them are ours.

    Parameters
    ----------
    n, k : items and classes

    Returns
    -------
    str : "less-than-one-shot", "one-shot" or "many-shot"

    Examples
    --------
    >>> regime(80, 20)
    'many-shot'
    """
    items, classes = (float(value) for value in _items_and_classes(n, k))
    if items < classes:
        return "less-than-one-shot"
    return "one-shot" if items < 2 * classes else "many-shot"


def _items_and_classes(n: ArrayLike, k: ArrayLike) -> tuple[np.ndarray, np.ndarray]:
    return _counts(n, "items", least=1), _counts(k, "classes", least=1)


def _counts(values: ArrayLike, name: str, least: int) -> np.ndarray:
    array = np.asarray(values, dtype=np.float64)
    bad = ~((array >= least) & (array == np.floor(array)) & np.isfinite(array))
    if bad.any():
        raise ValueError(f"there are {array[bad].flat[0]:g} {name}; expected whole numbers of {least} or more")
    return array


def _check_kept(k_hat: ArrayLike, k: np.ndarray) -> np.ndarray:
    kept = _counts(k_hat, "kept classes (k_hat)", least=1)
    if np.any(kept > k):
        over, of = (array[kept > k].flat[0] for array in np.broadcast_arrays(kept, k))
        raise ValueError(f"k_hat is {over:g} of {of:g} classes; expected 1 to k")
    return kept


def _count_ordered_pairs(m: np.ndarray, n: np.ndarray) -> np.ndarray:
    """Pairs of a column's n items that it orders if m of them have a number and the others 0."""
    return np.asarray(m * (m - 1) / 2 + m * (n - m))


def _is_tied(k: np.ndarray, k_hat: np.ndarray, scaled: bool) -> np.ndarray:
    return scaled & (k_hat == 1) & (k > 1)


def _rates(flip_rate: ArrayLike) -> np.ndarray:
    rate = np.asarray(flip_rate, dtype=np.float64)
    bad = ~((rate >= 0) & (rate <= 1))
    if bad.any():
        raise ValueError(f"the flip rate is {rate[bad].flat[0]:g}; expected the share of wrong answers, from 0 to 1")
    return rate
