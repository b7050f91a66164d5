"""The number of votes that a model's prediction is worth."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from dissensus.labels.sampling import evenly_spaced

if TYPE_CHECKING:
    from collections.abc import Callable

    from dissensus.aggregate.priors.vote_prior import VotePrior

MODEL_ITEMS = 2_000  # items by which a prediction is weighed: two numbers need no more
REACH = 5.0  # of ln votes and ln temperature, to both sides


def with_model(counts: np.ndarray, log_guess: np.ndarray, votes: float, temperature: float) -> np.ndarray:
    """Add votes in proportion to the tempered prediction.  (n, k)"""
    from scipy.special import softmax

    return counts + votes * softmax(log_guess / temperature, axis=1)


def model_worth(counts: np.ndarray, log_guess: np.ndarray, prior: VotePrior) -> tuple[float, float]:
    """Estimate how many votes a prediction is worth, and its temperature; 0 and 1 without a clear benefit.

    Each vote is predicted from the prior, the model and the other votes of its item:

        gain_i = sum_v x_iv [ln P(v | x_i - e_v, model) - ln P(v | x_i - e_v)]

    Votes and temperature maximise the sum of gains over items with two votes or more, under wide priors around one vote
    and temperature 1. The model is used if that sum exceeds the number of fitted parameters, and twice its own standard
    error.

    Items with one vote show how well a model predicts votes, but not how it compares with a further vote. If all items
    are such, only the temperature is fitted, as if the prediction were one vote; its weight is then the part of the
    log-loss of a vote that it removes, 0 to 1 vote. Without any votes it is one vote.

    counts, log_guess: (n, k)
    """
    cast = counts.sum(axis=1)
    several = bool((cast > 1).any())
    usable = np.flatnonzero(cast > 1 if several else cast > 0)
    if not usable.size:
        return 1.0, 1.0
    usable = usable[evenly_spaced(usable.size, MODEL_ITEMS)]
    item, code = np.nonzero(counts[usable])
    here = usable[item]
    each = np.arange(item.size)
    others = counts[here].astype(np.float64)
    others[each, code] -= 1
    times = counts[here, code]

    def foreseen(known: np.ndarray) -> np.ndarray:
        """ln of the probability of the votes of each item, each from the others.  (u,)"""
        return np.bincount(item, weights=times * np.log(prior.estimate(known)[each, code]))

    alone = foreseen(others)

    def gains(place: np.ndarray) -> np.ndarray:
        votes, temperature = _numbers(place)
        return foreseen(with_model(others, log_guess[here], votes, temperature)) - alone

    best = _maximise(lambda place: float(gains(place).sum() - (place**2).sum() / 8), 2 if several else 1)
    gain = gains(best)
    total, noise = float(gain.sum()), float(np.sqrt(((gain - gain.mean()) ** 2).sum()))
    if total <= max(best.size, 2 * noise):
        return 0.0, 1.0
    votes, temperature = _numbers(best)
    return (votes if several else total / -float(alone.sum())), temperature


def _numbers(place: np.ndarray) -> tuple[float, float]:
    """Return votes and temperature; one vote if only ln temperature is given."""
    held = np.exp(np.clip(place, -REACH, REACH))
    return (float(held[0]) if held.size == 2 else 1.0), float(held[-1])


def _maximise(height: Callable[[np.ndarray], float], parameters: int) -> np.ndarray:
    from scipy.optimize import minimize

    corners = np.concatenate([np.zeros((1, parameters)), np.eye(parameters)])
    options = {"xatol": 0.02, "fatol": 0.01, "maxiter": 80, "initial_simplex": corners}
    return np.asarray(minimize(lambda place: -height(place), corners[0], method="Nelder-Mead", options=options).x)
