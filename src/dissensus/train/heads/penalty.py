"""The penalty of the logistic head, chosen on items it was not trained on."""

from __future__ import annotations

import numpy as np

from dissensus.train.heads.head import Head
from dissensus.train.heads.logistic import soft_logistic
from dissensus.train.held_out import scores_of

PENALTIES = tuple(10.0**power for power in range(4, -3, -1))


def choose_penalty(
    x: np.ndarray, probs: np.ndarray, x_held: np.ndarray, truth: np.ndarray
) -> tuple[float, dict[str, float]]:
    """Choose the penalty with the lowest soft NLL on held-out items: powers of ten, then half a power to both sides.

    x: (n, d), probs: (n, k); x_held: (h, d), truth: (h, k) -> the penalty, and the loss of each one tried
    """
    tried: dict[float, float] = {}
    start: tuple[np.ndarray, np.ndarray] | None = None
    for penalty in PENALTIES:
        start = _try(penalty, x, probs, x_held, truth, start, tried)
        if len(tried) > 2 and tried[penalty] > min(tried.values()) * 1.05:
            break
    best = min(tried, key=lambda penalty: tried[penalty])
    for penalty in (best * 10**0.5, best / 10**0.5):
        _try(penalty, x, probs, x_held, truth, start, tried)
    best = min(tried, key=lambda penalty: tried[penalty])
    return best, {f"{penalty:g}": loss for penalty, loss in sorted(tried.items())}


def _try(
    penalty: float,
    x: np.ndarray,
    probs: np.ndarray,
    x_held: np.ndarray,
    truth: np.ndarray,
    start: tuple[np.ndarray, np.ndarray] | None,
    tried: dict[float, float],
) -> tuple[np.ndarray, np.ndarray]:
    solved = soft_logistic(x, probs, np.ones(len(x)), penalty=penalty, tolerance=1e-5, start=start)
    guess = Head((solved.layer,), tuple(map(str, range(probs.shape[1])))).probs(x_held)
    tried[penalty] = scores_of(truth, guess)["soft_nll"]
    return solved.coef, solved.intercept
