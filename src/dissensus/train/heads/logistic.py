"""Logistic regression on label distributions, solved to its one optimum."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from dissensus.labels.display import shapes
from dissensus.train.heads.config import Layer
from dissensus.train.model import log_softmax


@dataclass(frozen=True)
class SoftLogistic:
    """A fitted linear head.

    coef        (k, d), or (1, d) for two classes: the weights of the second against the first
    intercept   (k,) or (1,)
    loss        the mean cross-entropy with its penalty at the optimum, in nats
    iterations  steps of the solver
    converged   whether the solver converged
    """

    coef: np.ndarray
    intercept: np.ndarray
    loss: float
    iterations: int
    converged: bool

    __repr__ = shapes

    @property
    def layer(self) -> Layer:
        """The same weights as the one layer of a head: (k, d), also for two classes, of which the first has zeros."""
        if len(self.coef) > 1:
            return Layer(self.coef, self.intercept)
        zero = np.zeros_like(self.coef), np.zeros_like(self.intercept)
        return Layer(np.concatenate([zero[0], self.coef]), np.concatenate([zero[1], self.intercept]))


def soft_logistic(
    x: Any,
    probs: np.ndarray,
    weights: np.ndarray,
    *,
    penalty: float = 1.0,
    intercept: bool = True,
    tolerance: float = 1e-6,
    most_iterations: int = 1000,
    start: tuple[np.ndarray, np.ndarray] | None = None,
) -> SoftLogistic:
    """Fit the linear head with the lowest penalised cross-entropy to label distributions, by L-BFGS.

        minimise   sum_i w_i H(p_i, softmax(W x_i + b)) + penalty |W|^2 / 2,     divided by sum_i w_i

    Two classes are one vector of weights against zero, as in scikit-learn's LogisticRegression, so one-hot rows give
    its optimum with C = 1 / penalty. The intercept has no penalty, so centring the features while solving does not
    change the optimum.

    Parameters
    ----------
    x : (n, d), dense or sparse
    probs : (n, k), rows sum to 1
    weights : (n,), weight of each item
    penalty : L2 penalty of the weights
    intercept : whether to fit b
    tolerance : largest slope at which the solver stops
    most_iterations : maximum number of steps
    start : coef and intercept to start from

    Returns
    -------
    SoftLogistic, with `coef`, `intercept`, `loss`, `iterations` and `converged`

    Examples
    --------
    >>> x, probs = np.array([[0.0], [1.0]]), np.array([[0.9, 0.1], [0.2, 0.8]])
    >>> fitted = soft_logistic(x, probs, np.ones(2), penalty=0.1)
    >>> fitted.coef.round(2), fitted.converged
    (array([[1.61]]), True)
    """
    from scipy.optimize import minimize
    from scipy.sparse import issparse

    sparse = issparse(x)
    d, k = x.shape[1], probs.shape[1]
    rows = 1 if k == 2 else k
    middle = np.zeros(d)
    x = x if sparse else np.asarray(x, dtype=np.float64)
    if intercept and not sparse:
        middle = np.average(x, axis=0, weights=weights)
        x = x - middle
    share = weights / weights.sum()
    shrink = penalty / weights.sum()

    def loss_and_slope(flat: np.ndarray) -> tuple[float, np.ndarray]:
        w, b = flat[: rows * d].reshape(rows, d), flat[rows * d :]
        logits = x @ w.T + (b if intercept else 0.0)  # (n, rows)
        if rows == 1:  # the first of two classes has logit zero
            logits = np.concatenate([np.zeros_like(logits), logits], axis=1)
        log_probs = log_softmax(logits)  # (n, k)
        gap = share[:, None] * (np.exp(log_probs) - probs)  # (n, k)
        gap = gap[:, -rows:]  # for two classes the weights are those of the second
        slope_w = ((x.T @ gap).T if sparse else gap.T @ x) + shrink * w
        loss = -float(share @ (probs * log_probs).sum(axis=1)) + shrink * float((w * w).sum()) / 2
        return loss, np.concatenate([slope_w.ravel(), gap.sum(axis=0) if intercept else np.zeros(rows)])

    first = np.zeros(rows * d + rows)
    if start is not None:
        first = np.concatenate([start[0].ravel(), start[1] + start[0] @ middle])
    solved = minimize(
        loss_and_slope,
        first,
        jac=True,
        method="L-BFGS-B",
        options={
            "maxiter": most_iterations,
            "gtol": tolerance,
            "ftol": 64 * np.finfo(float).eps,
            "maxls": 50,
            "maxcor": 20,
            "maxfun": 50 * most_iterations,
        },
    )
    w, b = solved.x[: rows * d].reshape(rows, d), solved.x[rows * d :]
    if rows > 1:
        b = b - b.mean() if intercept else b  # a constant added to all logits changes nothing
    return SoftLogistic(w, b - w @ middle, float(solved.fun), int(solved.nit), bool(solved.status == 0))
