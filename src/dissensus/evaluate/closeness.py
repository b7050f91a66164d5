"""How near the model's whole distribution is to people's, one value per item: (n, k), (n, k) -> (n,).

Plain arrays whose rows sum to 1 go in; the caller takes the mean or the slice.
"""

from __future__ import annotations

import numpy as np

from dissensus.evaluate.choices import top_choice
from dissensus.labels import distances


def soft_nll(p_model: np.ndarray, p_people: np.ndarray, *, floor: float = 0.0) -> np.ndarray:
    """Compute the negative log-likelihood of people's answers under the model, in nats.

        - sum_c p_c ln q_c,   0 ln 0 = 0      (p people, q model)

    This is the cross-entropy. It is smallest at q = p, where it is the entropy of p, and infinite if the model gives
    probability 0 to a class that people chose. Peterson 2019, sec. 5.1; Gheibi 2026, primary metric.

    Parameters
    ----------
    p_model, p_people : (n, k), rows sum to 1
    floor : score max(q_c, floor) instead of q_c, which is no longer a distribution

    Returns
    -------
    (n,), 0 to infinity, lower is better

    Examples
    --------
    >>> soft_nll(np.array([[0.8, 0.2]]), np.array([[0.5, 0.5]])).round(3)
    array([0.916])
    """
    model, people = distances.checked_pair(p_model, p_people)
    model = np.maximum(model, floor)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(people > 0, -people * np.log(model), 0.0).sum(axis=1) + 0.0


def kl_to_people(p_model: np.ndarray, p_people: np.ndarray) -> np.ndarray:
    """Compute the Kullback-Leibler divergence from people to the model, in nats.

        KL(p || q) = sum_c p_c ln(p_c / q_c)      (p people, q model)

    This is soft NLL minus the entropy of people. Infinite if the model gives probability 0 to a class that people
    chose. Singh 2025, sec. 3; Gheibi 2026.

    Parameters
    ----------
    p_model, p_people : (n, k), rows sum to 1

    Returns
    -------
    (n,), 0 to infinity, lower is better

    Examples
    --------
    >>> kl_to_people(np.array([[0.8, 0.2]]), np.array([[0.5, 0.5]])).round(3)
    array([0.223])
    """
    model, people = distances.checked_pair(p_model, p_people)
    return distances.kl(people, model)


def jensen_shannon(p_model: np.ndarray, p_people: np.ndarray) -> np.ndarray:
    """Compute the Jensen-Shannon divergence in nats: like KL, but symmetric and finite.

        JS = KL(p || mid)/2 + KL(q || mid)/2,   mid = (p + q)/2

    Lin (1991), sec. IV. Nie et al. (2020, ChaosNLI) report its square root in bits: sqrt(JS / ln 2).

    Parameters
    ----------
    p_model, p_people : (n, k), rows sum to 1

    Returns
    -------
    (n,), 0 to ln 2, lower is better

    Examples
    --------
    >>> jensen_shannon(np.array([[1.0, 0.0]]), np.array([[0.0, 1.0]])).round(3)
    array([0.693])
    """
    return distances.jensen_shannon(*distances.checked_pair(p_model, p_people))


def soft_brier(p_model: np.ndarray, p_people: np.ndarray) -> np.ndarray:
    """Compute the squared distance to people's distribution.

        sum_c (q_c - p_c)^2

    Against single votes the expected Brier score is this plus sum_c p_c (1 - p_c), which no model can change.
    Brier (1950), Verification of forecasts expressed in terms of probability; Gheibi 2026 on soft targets.

    Parameters
    ----------
    p_model, p_people : (n, k), rows sum to 1

    Returns
    -------
    (n,), 0 to 2, lower is better

    Examples
    --------
    >>> soft_brier(np.array([[0.8, 0.2]]), np.array([[0.5, 0.5]])).round(3)
    array([0.18])
    """
    model, people = distances.checked_pair(p_model, p_people)
    return ((model - people) ** 2).sum(axis=1)


def cross_entropy_to_hard(p_model: np.ndarray, p_people: np.ndarray) -> np.ndarray:
    """Compute the negative log-probability of people's most frequent class, in nats; ties are averaged.

        - sum_c top_c ln q_c,   top the most frequent classes of p, with equal shares

    Peterson 2019, sec. 5.1; there against the ground truth, for which pass its one-hot rows.

    Parameters
    ----------
    p_model, p_people : (n, k), rows sum to 1

    Returns
    -------
    (n,), 0 to infinity, lower is better

    Examples
    --------
    >>> cross_entropy_to_hard(np.array([[0.8, 0.2]]), np.array([[0.7, 0.3]])).round(3)
    array([0.223])
    """
    model, people = distances.checked_pair(p_model, p_people)
    return soft_nll(model, top_choice(people))


def soft_accuracy(p_model: np.ndarray, p_people: np.ndarray) -> np.ndarray:
    """Compute the overlap of the two distributions: 1 minus the total variation distance.

        sum_c min(q_c, p_c)

    Equal to accuracy if both are one-hot.

    Parameters
    ----------
    p_model, p_people : (n, k), rows sum to 1

    Returns
    -------
    (n,), 0 to 1, higher is better

    Examples
    --------
    >>> soft_accuracy(np.array([[0.8, 0.2]]), np.array([[0.5, 0.5]]))
    array([0.7])
    """
    model, people = distances.checked_pair(p_model, p_people)
    return np.minimum(model, people).sum(axis=1)


def manhattan(p_model: np.ndarray, p_people: np.ndarray) -> np.ndarray:
    """Compute the Manhattan distance, the soft score of LeWiDi 2025 for unordered classes.

        sum_c |q_c - p_c|

    Leonardelli et al. (2025), LeWiDi-2025, third edition of the learning with disagreements shared task.

    Parameters
    ----------
    p_model, p_people : (n, k), rows sum to 1

    Returns
    -------
    (n,), 0 to 2, lower is better

    Examples
    --------
    >>> manhattan(np.array([[0.8, 0.2]]), np.array([[0.5, 0.5]])).round(3)
    array([0.6])
    """
    return distances.manhattan(*distances.checked_pair(p_model, p_people))


def wasserstein(p_model: np.ndarray, p_people: np.ndarray) -> np.ndarray:
    """Compute the Wasserstein-1 distance in steps between classes, the soft score of LeWiDi 2025 for ratings.

        sum_c |Q_c - P_c|,   Q, P cumulative

    Meaningful only for ordered classes. Leonardelli et al. (2025), LeWiDi-2025.

    Parameters
    ----------
    p_model, p_people : (n, k), rows sum to 1

    Returns
    -------
    (n,), 0 to k - 1, lower is better

    Examples
    --------
    >>> wasserstein(np.array([[1.0, 0.0, 0.0]]), np.array([[0.0, 0.0, 1.0]]))
    array([2.])
    """
    return distances.wasserstein(*distances.checked_pair(p_model, p_people))


def infinite_items(values: np.ndarray) -> int:
    """Count the items with an infinite score, on which the model gives probability 0 to a class that people chose."""
    return int(np.isinf(values).sum())
