"""Scores of a model against people, one value per item: (n, k) predictions, (n, k) people -> (n,).

Plain arrays whose rows sum to 1 go in; the caller takes the mean or the slice. Where a score is not defined for an
item it is NaN, and the mean is over the others. METRICS has all of them, with those of the model's choice (`choices`).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np

from dissensus.evaluate.choices import (
    accuracy_to_majority,
    chosen,
    confidence_when_right,
    confidence_when_wrong,
    second_best_accuracy,
    top_k_accuracy,
    vote_accuracy,
)
from dissensus.labels import distances


def soft_nll(p_model: np.ndarray, p_people: np.ndarray, *, floor: float = 0.0) -> np.ndarray:
    """Negative log-likelihood of people's answers under the model, in nats: the cross-entropy.  Lower is better

        - sum_c p_c ln q_c,   0 ln 0 = 0      (p people, q model)

    Smallest at q = p, where it is the entropy of p. Infinite where the model excludes a class that people chose;
    `floor` scores max(q_c, floor) instead, which is no longer a distribution, so say so where it is reported.
    Peterson 2019, sec. 5.1; Gheibi 2026, primary metric.

    p_model, p_people: (n, k) -> (n,), 0 to infinity
    """
    model, people = _pair(p_model, p_people)
    model = np.maximum(model, floor)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(people > 0, -people * np.log(model), 0.0).sum(axis=1) + 0.0


def kl_to_people(p_model: np.ndarray, p_people: np.ndarray) -> np.ndarray:
    """What is lost by believing the model where people are right, in nats: soft NLL less people's own entropy.

        KL(p || q) = sum_c p_c ln(p_c / q_c)      (p people, q model)

    Infinite where the model excludes a class that people chose. Lower is better. Singh 2025, sec. 3; Gheibi 2026.

    p_model, p_people: (n, k) -> (n,), 0 to infinity
    """
    model, people = _pair(p_model, p_people)
    return distances.kl(people, model)


def jensen_shannon(p_model: np.ndarray, p_people: np.ndarray) -> np.ndarray:
    """Jensen-Shannon divergence in nats: like KL, but symmetric and finite.  Lower is better

        JS = KL(p || mid)/2 + KL(q || mid)/2,   mid = (p + q)/2

    Lin (1991), sec. IV. Nie et al. (2020, ChaosNLI) report its square root in bits: sqrt(JS / ln 2).

    p_model, p_people: (n, k) -> (n,), 0 to ln 2
    """
    return distances.jensen_shannon(*_pair(p_model, p_people))


def soft_brier(p_model: np.ndarray, p_people: np.ndarray) -> np.ndarray:
    """Squared distance to people's distribution.  Lower is better

        sum_c (q_c - p_c)^2

    Against single votes the expected Brier score is this plus sum_c p_c (1 - p_c), which no model can change.
    Brier (1950), Verification of forecasts expressed in terms of probability; Gheibi 2026 on soft targets.

    p_model, p_people: (n, k) -> (n,), 0 to 2
    """
    model, people = _pair(p_model, p_people)
    return ((model - people) ** 2).sum(axis=1)


def cross_entropy_to_hard(p_model: np.ndarray, p_people: np.ndarray) -> np.ndarray:
    """Negative log-probability of people's most frequent class, in nats; equal ones averaged.  Lower is better

        - sum_c top_c ln q_c,   top the classes with most of p, shared evenly

    Peterson 2019, sec. 5.1 (there against the ground truth: hand over its one-hot rows).

    p_model, p_people: (n, k) -> (n,), 0 to infinity
    """
    model, people = _pair(p_model, p_people)
    return soft_nll(model, chosen(people))


def soft_accuracy(p_model: np.ndarray, p_people: np.ndarray) -> np.ndarray:
    """Overlap of the two distributions: 1 less the total variation.  Higher is better

        sum_c min(q_c, p_c)

    Equal to accuracy where both are one-hot.

    p_model, p_people: (n, k) -> (n,), 0 to 1
    """
    model, people = _pair(p_model, p_people)
    return np.minimum(model, people).sum(axis=1)


def manhattan(p_model: np.ndarray, p_people: np.ndarray) -> np.ndarray:
    """Manhattan distance, the soft score of LeWiDi 2025 for unordered classes.  Lower is better

        sum_c |q_c - p_c|

    Leonardelli et al. (2025), LeWiDi-2025, third edition of the learning with disagreements shared task.

    p_model, p_people: (n, k) -> (n,), 0 to 2
    """
    return distances.manhattan(*_pair(p_model, p_people))


def wasserstein(p_model: np.ndarray, p_people: np.ndarray) -> np.ndarray:
    """Wasserstein-1 distance in steps from class to class, the soft score of LeWiDi 2025 for ratings.

        sum_c |Q_c - P_c|,   Q, P cumulative

    Means something only where the classes are in order. Lower is better.
    Leonardelli et al. (2025), LeWiDi-2025.

    p_model, p_people: (n, k) -> (n,), 0 to k - 1
    """
    return distances.wasserstein(*_pair(p_model, p_people))


def entropy_of_prediction(p_model: np.ndarray, p_people: np.ndarray) -> np.ndarray:
    """How unsure the model is, in nats; people are not looked at. Neither high nor low is better.

        H(q) = - sum_c q_c ln q_c

    p_model: (n, k) -> (n,), 0 to ln k
    """
    return distances.entropy(_pair(p_model, p_people)[0])


@dataclass(frozen=True)
class Metric:
    """A score and what is true of it for any input.

    function          (n, k) model, (n, k) people -> (n,)
    higher_is_better  None where neither is
    proper            in expectation over people's answers best at their true distribution, and only there
    lowest, highest   bounds for k classes
    perfect           the value at q = p where p has no equal probabilities; None where it depends on p
    ordinal           means something only for classes in order, so relabelling changes it
    ceiling           the human ceiling has it too
    """

    function: Callable[[np.ndarray, np.ndarray], np.ndarray]
    meaning: str
    higher_is_better: bool | None
    highest: Callable[[int], float]
    lowest: Callable[[int], float] = lambda k: 0.0
    proper: bool = False
    perfect: float | None = None
    ordinal: bool = False
    ceiling: bool = False


def _one(k: int) -> float:
    return 1.0


METRICS: dict[str, Metric] = {
    "soft_nll": Metric(soft_nll, "soft NLL, nats", False, lambda k: np.inf, proper=True, ceiling=True),
    "kl": Metric(kl_to_people, "KL to people, nats", False, lambda k: np.inf, proper=True, perfect=0.0, ceiling=True),
    "js": Metric(jensen_shannon, "Jensen-Shannon, nats", False, lambda k: float(np.log(2)), perfect=0.0, ceiling=True),
    "brier": Metric(soft_brier, "soft Brier", False, lambda k: 2.0, proper=True, perfect=0.0),
    "cross_entropy_hard": Metric(cross_entropy_to_hard, "cross-entropy to the majority, nats", False, lambda k: np.inf),
    "accuracy": Metric(accuracy_to_majority, "accuracy to the majority", True, _one, perfect=1.0, ceiling=True),
    "vote_accuracy": Metric(vote_accuracy, "share of votes for the prediction", True, _one, ceiling=True),
    "second_best_accuracy": Metric(
        second_best_accuracy, "second choice as people's", True, _one, perfect=1.0, ceiling=True
    ),
    "top_2_accuracy": Metric(partial(top_k_accuracy, k=2), "majority among the first two", True, _one, perfect=1.0),
    "soft_accuracy": Metric(soft_accuracy, "overlap with people", True, _one, perfect=1.0),
    "manhattan": Metric(manhattan, "Manhattan distance", False, lambda k: 2.0, perfect=0.0),
    "wasserstein": Metric(
        wasserstein, "Wasserstein distance, classes in order", False, lambda k: float(k - 1), perfect=0.0, ordinal=True
    ),
    "entropy": Metric(entropy_of_prediction, "entropy of the prediction, nats", None, lambda k: float(np.log(k))),
    "confidence_right": Metric(confidence_when_right, "confidence when right", None, _one, lambda k: 1 / k),
    "confidence_wrong": Metric(confidence_when_wrong, "confidence when wrong", False, _one, lambda k: 1 / k),
}


def infinite_items(values: np.ndarray) -> int:
    """How many items have an infinite score: those where the model excludes a class that people chose."""
    return int(np.isinf(values).sum())


def _pair(p_model: np.ndarray, p_people: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    return distances._pair(p_model, p_people)
