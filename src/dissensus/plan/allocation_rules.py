"""Rules for the item to ask about next: the value of one more vote on each item."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np

from dissensus.aggregate.priors.dirichlet_mixture import (
    MixturePosterior,
    expected_kl,
    posterior_mean,
    posterior_variance,
)
from dissensus.labels.distances import entropy
from dissensus.labels.refusals import one_of

BLOCK = 20_000_000  # numbers held at once

Rule = Callable[[MixturePosterior], np.ndarray]  # -> (n,), the largest is asked about next


def expected_drop(posterior: MixturePosterior) -> np.ndarray:
    """The expected drop of the KL from the true distribution to the estimate by one more vote, in nats.  (n,)

        E KL(p || mean) now - E KL(p || mean) after a vote = I(v; v') = sum_cd P_cd ln(P_cd / (P_c P_d)),
        P_cd = sum_j w_j a_jc (a_jd + [c = d]) / (A_j (A_j + 1)),   a = alpha + counts, A its sum

    The expected KL to the posterior mean is the information that the next vote v has about p. Its drop is the mutual
    information of two votes v and v' of the posterior predictive, so nothing has to be simulated. 0 or more; 0 if an
    item is certain.
    """
    n, k = posterior.counts.shape
    j = posterior.alpha.shape[0]
    drop = np.empty(n)
    step = max(1, BLOCK // (k * (j + k)))
    for start in range(0, n, step):
        rows = slice(start, start + step)
        mass, weights = posterior.mass[rows], posterior.weights[rows]
        a = posterior.counts[rows, None, :] + posterior.alpha  # (b, j, k)
        scaled = a * (weights / (mass * (mass + 1)))[:, :, None]
        both = scaled.transpose(0, 2, 1) @ a  # (b, k, k)
        both[:, np.arange(k), np.arange(k)] += scaled.sum(axis=1)
        single = both.sum(axis=2)  # (b, k)
        drop[rows] = (both * np.log(both)).sum(axis=(1, 2)) - 2 * (single * np.log(single)).sum(axis=1)
    return np.maximum(drop, 0.0)


def fewest_votes(posterior: MixturePosterior) -> np.ndarray:
    """Items with fewer votes first, so that all get the same number.  (n,)"""
    return -posterior.counts.sum(axis=1)


def estimated_entropy(posterior: MixturePosterior) -> np.ndarray:
    """The most disputed items first: entropy of the estimate, in nats.  (n,)

    It does not fall if people truly disagree, so such items are asked about forever.
    """
    return entropy(posterior_mean(posterior))


RULES: dict[str, Rule] = {
    "expected-error": expected_drop,
    "entropy": estimated_entropy,
    "uniform": fewest_votes,
}


def find_rule(name: str) -> Rule:
    return RULES[one_of("allocation rule", name, RULES)]


@dataclass(frozen=True)
class Stop:
    """When an item needs no more votes: if it meets `width` and `error`, as far as given, or has `most` votes.

    Parameters
    ----------
    width : maximum width of the intervals for class probabilities; 0.2 is plus or minus ten points
    error : maximum expected KL from the true distribution to the estimate, in nats
    most : maximum number of votes per item
    coverage : of the intervals: 2 z sd of the posterior, z the normal quantile

    Examples
    --------
    >>> Stop(width=0.2, most=10)
    Stop(width=0.2, error=None, most=10, coverage=0.95)
    """

    width: float | None = None
    error: float | None = None
    most: int | None = None
    coverage: float = 0.95

    def __post_init__(self) -> None:
        for name, value in (("width", self.width), ("error", self.error), ("most", self.most)):
            if value is not None and not value > 0:
                raise ValueError(f"stop {name} is {value}; expected a limit above 0, or None for no limit")
        if not 0 < self.coverage < 1:
            raise ValueError(f"coverage is {self.coverage}; expected a share between 0 and 1, such as 0.95")

    def is_reached(self, posterior: MixturePosterior) -> np.ndarray:
        """Which items are done.  (n,) bool"""
        n = posterior.counts.shape[0]
        met = np.full(n, self.width is not None or self.error is not None)
        if self.width is not None:
            met &= interval_width(posterior, self.coverage) <= self.width
        if self.error is not None:
            met &= expected_kl(posterior) <= self.error
        if self.most is not None:
            met |= posterior.counts.sum(axis=1) >= self.most
        return met


NEVER = Stop()  # no limit: the budget alone ends it


def interval_width(posterior: MixturePosterior, coverage: float = 0.95) -> np.ndarray:
    """The width of the widest interval for a class probability of each item, 0 to 1.  (n,)

    max_c 2 z sqrt(Var p_c),   z the normal quantile of (1 + coverage)/2
    """
    z = NormalDist().inv_cdf((1 + coverage) / 2)
    return np.minimum(2 * z * np.sqrt(posterior_variance(posterior).max(axis=1)), 1.0)
