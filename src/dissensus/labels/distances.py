"""How spread out a distribution is, and how far two lie apart: (n, k), (n, k) -> one value per item.

Every function takes plain arrays whose rows sum to 1 and returns (n,); the caller takes the mean or the slice.
Classes without mass are fine everywhere. Distances are 0 for equal rows; larger is further apart.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np


def entropy(p: np.ndarray) -> np.ndarray:
    """Compute the Shannon entropy in nats: 0 if all agree, ln k if every class is equally likely.

        H(p) = - sum_c p_c ln p_c,   0 ln 0 = 0

    Unchanged by renaming classes. Shannon (1948), A mathematical theory of communication, sec. 6.

    Parameters
    ----------
    p : (n, k), rows sum to 1

    Returns
    -------
    (n,), one value per item

    Examples
    --------
    >>> entropy(np.array([[1.0, 0.0], [0.5, 0.5]])).round(3)
    array([0.   , 0.693])
    """
    # A float32 softmax can round a certain row to just above 1, whose entropy would come out below 0.
    return np.maximum(-_p_log_ratio(checked_rows(p, "p"), 1.0).sum(axis=1), 0.0)


def normalised_entropy(p: np.ndarray) -> np.ndarray:
    """Entropy as a fraction of its maximum, so that sets with different numbers of classes compare: 0 to 1.

        H(p) / ln k,   and 0 for a single class, where nothing can be uncertain

    p: (n, k) rows sum to 1 -> (n,)
    """
    spread = entropy(p)  # (n,)
    classes = np.shape(p)[1]
    return spread / np.log(classes) if classes > 1 else np.zeros_like(spread)


def kl(p: np.ndarray, q: np.ndarray) -> np.ndarray:
    """Compute the Kullback-Leibler divergence in nats: the cost of using q when p is right, 0 to infinity.

        KL(p || q) = sum_c p_c ln(p_c / q_c),   0 ln(0 / q) = 0

    Not symmetric. Infinite if q gives no mass to a class that p does: smooth q first if a finite number is
    needed. Kullback and Leibler (1951), On information and sufficiency; Singh 2025 scores models with
    p the people and q the model.

    Parameters
    ----------
    p, q : (n, k), rows sum to 1

    Returns
    -------
    (n,), one value per item

    Examples
    --------
    >>> kl(np.array([[0.5, 0.5]]), np.array([[0.75, 0.25]])).round(3)
    array([0.144])
    """
    p, q = checked_pair(p, q)
    return np.maximum(_p_log_ratio(p, q).sum(axis=1), 0.0)  # rounding can leave -1e-17 for almost equal rows


def jensen_shannon(p: np.ndarray, q: np.ndarray) -> np.ndarray:
    """Compute the Jensen-Shannon divergence in nats: finite and symmetric where KL is neither, 0 to ln 2.

        JS(p, q) = KL(p || mid)/2 + KL(q || mid)/2,   mid = (p + q)/2

    ln 2 if the rows share no class. The divergence, not its square root (the metric).
    Lin (1991), Divergence measures based on the Shannon entropy, sec. IV.

    Parameters
    ----------
    p, q : (n, k), rows sum to 1

    Returns
    -------
    (n,), one value per item

    Examples
    --------
    >>> jensen_shannon(np.array([[1.0, 0.0]]), np.array([[0.0, 1.0]])).round(3)
    array([0.693])
    """
    p, q = checked_pair(p, q)
    # Both sides of each ratio are doubled: halving the smallest float would give mid = 0 and an infinite term.
    both = p + q  # (n, k)
    return np.maximum((_p_log_ratio(2 * p, both) + _p_log_ratio(2 * q, both)).sum(axis=1) / 4, 0.0)


def total_variation(p: np.ndarray, q: np.ndarray) -> np.ndarray:
    """Compute the total variation: the share of probability that must move to turn p into q, 0 to 1.

        TV(p, q) = sum_c |p_c - q_c| / 2

    Symmetric; 1 if the rows share no class. Levin and Peres (2017), Markov chains and mixing times, sec. 4.1.

    Parameters
    ----------
    p, q : (n, k), rows sum to 1

    Returns
    -------
    (n,), one value per item

    Examples
    --------
    >>> total_variation(np.array([[0.5, 0.5]]), np.array([[0.75, 0.25]]))
    array([0.25])
    """
    return manhattan(p, q) / 2


def manhattan(p: np.ndarray, q: np.ndarray) -> np.ndarray:
    """Manhattan distance, twice the total variation.  0 to 2

        L1(p, q) = sum_c |p_c - q_c|

    p, q: (n, k) rows sum to 1 -> (n,)
    """
    p, q = checked_pair(p, q)
    return np.abs(p - q).sum(axis=1)


def cosine(p: np.ndarray, q: np.ndarray) -> np.ndarray:
    """Cosine distance between rows seen as directions.  0 to 1

        1 - p.q / (|p| |q|)  =  |p/|p| - q/|q||^2 / 2

    The right-hand form is computed: it is exactly 0 for equal rows and keeps its digits for near ones.
    Symmetric; 1 where the rows share no class.

    p, q: (n, k) rows sum to 1 -> (n,)
    """
    p, q = checked_pair(p, q)
    apart = p / np.linalg.norm(p, axis=1, keepdims=True) - q / np.linalg.norm(q, axis=1, keepdims=True)  # (n, k)
    return (apart**2).sum(axis=1) / 2


def wasserstein(p: np.ndarray, q: np.ndarray) -> np.ndarray:
    """Wasserstein-1 (earth mover's) distance over ordered classes, in steps from class to class.  0 to k - 1

        W(p, q) = sum_c |P_c - Q_c|,   P, Q the cumulative sums

    The class code is the place on the line, so it means something only for ordered classes (ratings), and
    renaming classes changes it. Symmetric. Vallender (1974), Calculation of the Wasserstein distance.

    p, q: (n, k) rows sum to 1 -> (n,)
    """
    p, q = checked_pair(p, q)
    # The last cumulative sums are both 1; leaving them out keeps rounding out of the result.
    return np.abs(np.cumsum(p - q, axis=1)[:, :-1]).sum(axis=1)


def wasserstein_of_values(p: np.ndarray, q: np.ndarray) -> np.ndarray:
    """Wasserstein distance between the *values* of two rows: how differently peaked they are, whatever the classes.

        mean over j of |p_(j) - q_(j)|,   p_(1) <= ... <= p_(k) the sorted row

    0 to 2 (k - 1) / k^2, in probability. This is what scipy.stats.wasserstein_distance(p_row, q_row) returns when
    two probability vectors are handed over as samples, and the reading behind Collins 2022 (sec. 4.3): the released
    labels average 0.027 this way, 0.52 over class codes, and the paper reports 0.028. It is 0 for rows that are
    certain of different classes, so it does not measure agreement. Symmetric.

    p, q: (n, k) rows sum to 1 -> (n,)
    """
    p, q = checked_pair(p, q)
    return np.abs(np.sort(p, axis=1) - np.sort(q, axis=1)).mean(axis=1)


DISTANCES: dict[str, Callable[[np.ndarray, np.ndarray], np.ndarray]] = {
    "kl": kl,
    "jensen_shannon": jensen_shannon,
    "total_variation": total_variation,
    "manhattan": manhattan,
    "cosine": cosine,
    "wasserstein": wasserstein,
    "wasserstein_of_values": wasserstein_of_values,
}


def _p_log_ratio(p: np.ndarray, q: np.ndarray | float) -> np.ndarray:
    """p ln(p / q), 0 where p is 0, infinite where only q is 0.  (n, k)

    scipy.special has it as rel_entr, but importing that took twice as long as all the rest of the package.
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(p > 0, p * (np.log(p) - np.log(q)), 0.0)


def checked_rows(p: np.ndarray, name: str) -> np.ndarray:
    array = np.asarray(p, dtype=np.float64)
    if array.ndim != 2 or array.shape[1] == 0:
        raise ValueError(
            f"{name} has shape {array.shape}, expected (n, k): one row per item, one column per class; "
            f"write {name}[None, :] for a single row"
        )
    return array


def checked_pair(p: np.ndarray, q: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    left, right = checked_rows(p, "p"), checked_rows(q, "q")
    if left.shape != right.shape:
        raise ValueError(
            f"p has {left.shape[0]} rows over {left.shape[1]} classes, q has {right.shape[0]} rows over "
            f"{right.shape[1]}; expected the same items and classes in both: select those they share first"
        )
    return left, right
