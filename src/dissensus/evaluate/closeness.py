"""How near the model's whole distribution is to people's, one value per item: (n, k), (n, k) -> (n,).

Plain arrays whose rows sum to 1 go in; the caller takes the mean or the slice.
"""

from __future__ import annotations

import numpy as np

from dissensus.evaluate.choices import chosen
from dissensus.labels import distances


def soft_nll(p_model: np.ndarray, p_people: np.ndarray, *, floor: float = 0.0) -> np.ndarray:
    """Negative log-likelihood of people's answers under the model, in nats: the cross-entropy.  Lower is better

        - sum_c p_c ln q_c,   0 ln 0 = 0      (p people, q model)

    Smallest at q = p, where it is the entropy of p. Infinite where the model excludes a class that people chose;
    `floor` scores max(q_c, floor) instead, which is no longer a distribution, so say so where it is reported.
    Peterson 2019, sec. 5.1; Gheibi 2026, primary metric.

    p_model, p_people: (n, k) -> (n,), 0 to infinity
    """
    model, people = distances.checked_pair(p_model, p_people)
    model = np.maximum(model, floor)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(people > 0, -people * np.log(model), 0.0).sum(axis=1) + 0.0


def kl_to_people(p_model: np.ndarray, p_people: np.ndarray) -> np.ndarray:
    """What is lost by believing the model where people are right, in nats: soft NLL less people's own entropy.

        KL(p || q) = sum_c p_c ln(p_c / q_c)      (p people, q model)

    Infinite where the model excludes a class that people chose. Lower is better. Singh 2025, sec. 3; Gheibi 2026.

    p_model, p_people: (n, k) -> (n,), 0 to infinity
    """
    model, people = distances.checked_pair(p_model, p_people)
    return distances.kl(people, model)


def jensen_shannon(p_model: np.ndarray, p_people: np.ndarray) -> np.ndarray:
    """Jensen-Shannon divergence in nats: like KL, but symmetric and finite.  Lower is better

        JS = KL(p || mid)/2 + KL(q || mid)/2,   mid = (p + q)/2

    Lin (1991), sec. IV. Nie et al. (2020, ChaosNLI) report its square root in bits: sqrt(JS / ln 2).

    p_model, p_people: (n, k) -> (n,), 0 to ln 2
    """
    return distances.jensen_shannon(*distances.checked_pair(p_model, p_people))


def soft_brier(p_model: np.ndarray, p_people: np.ndarray) -> np.ndarray:
    """Squared distance to people's distribution.  Lower is better

        sum_c (q_c - p_c)^2

    Against single votes the expected Brier score is this plus sum_c p_c (1 - p_c), which no model can change.
    Brier (1950), Verification of forecasts expressed in terms of probability; Gheibi 2026 on soft targets.

    p_model, p_people: (n, k) -> (n,), 0 to 2
    """
    model, people = distances.checked_pair(p_model, p_people)
    return ((model - people) ** 2).sum(axis=1)


def cross_entropy_to_hard(p_model: np.ndarray, p_people: np.ndarray) -> np.ndarray:
    """Negative log-probability of people's most frequent class, in nats; equal ones averaged.  Lower is better

        - sum_c top_c ln q_c,   top the classes with most of p, shared evenly

    Peterson 2019, sec. 5.1 (there against the ground truth: hand over its one-hot rows).

    p_model, p_people: (n, k) -> (n,), 0 to infinity
    """
    model, people = distances.checked_pair(p_model, p_people)
    return soft_nll(model, chosen(people))


def soft_accuracy(p_model: np.ndarray, p_people: np.ndarray) -> np.ndarray:
    """Overlap of the two distributions: 1 less the total variation.  Higher is better

        sum_c min(q_c, p_c)

    Equal to accuracy where both are one-hot.

    p_model, p_people: (n, k) -> (n,), 0 to 1
    """
    model, people = distances.checked_pair(p_model, p_people)
    return np.minimum(model, people).sum(axis=1)


def manhattan(p_model: np.ndarray, p_people: np.ndarray) -> np.ndarray:
    """Manhattan distance, the soft score of LeWiDi 2025 for unordered classes.  Lower is better

        sum_c |q_c - p_c|

    Leonardelli et al. (2025), LeWiDi-2025, third edition of the learning with disagreements shared task.

    p_model, p_people: (n, k) -> (n,), 0 to 2
    """
    return distances.manhattan(*distances.checked_pair(p_model, p_people))


def wasserstein(p_model: np.ndarray, p_people: np.ndarray) -> np.ndarray:
    """Wasserstein-1 distance in steps from class to class, the soft score of LeWiDi 2025 for ratings.

        sum_c |Q_c - P_c|,   Q, P cumulative

    Means something only where the classes are in order. Lower is better.
    Leonardelli et al. (2025), LeWiDi-2025.

    p_model, p_people: (n, k) -> (n,), 0 to k - 1
    """
    return distances.wasserstein(*distances.checked_pair(p_model, p_people))


def infinite_items(values: np.ndarray) -> int:
    """How many items have an infinite score: those where the model excludes a class that people chose."""
    return int(np.isinf(values).sum())
