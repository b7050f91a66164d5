"""Kinds of items, learned from votes: for every class, Dirichlets of items that are mostly of that class."""

from __future__ import annotations

import numpy as np

from dissensus.aggregate.priors.dirichlet_mixture import VoteTerms, log_evidence, mixture_posterior, vote_terms

LOG_ALPHA = (-9.0, 9.0)  # beyond these a Dirichlet is certain, or its votes are all alike, to four digits


def with_pairs(rows: np.ndarray, times: np.ndarray, share: np.ndarray, agreement: float, pairs: float) -> VoteTerms:
    """Add imagined pairs of votes, of which a share `agreement` beyond chance agree."""
    k = share.size
    first, second = np.triu_indices(k, 1)
    each = np.eye(k, dtype=np.int64)
    same = agreement * share + (1 - agreement) * share**2
    apart = 2 * (1 - agreement) * share[first] * share[second]
    table = np.concatenate([rows, 2 * each, each[first] + each[second]])
    return vote_terms(table, np.concatenate([times, pairs * same, pairs * apart]))


def tie_kinds(terms: VoteTerms, share: np.ndarray, levels: int) -> tuple[np.ndarray, np.ndarray]:
    """Fit Dirichlets alike for all classes: a purity, a size and a weight for each level.  -> (j, k), (j,)"""
    from scipy.optimize import minimize
    from scipy.special import expit

    eye = np.eye(share.size)
    # A wide bell around purity 1/2 and size 1 keeps a level that no item needs within bounds.
    wide = 4.0

    def unpack(place: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        logit, log_size, log_level = place.reshape(3, levels)
        log_level = _normalise(log_level)
        purity, size = expit(logit)[:, None, None], np.exp(log_size)[:, None, None]
        return purity, size, log_level, size * (purity * eye + (1 - purity) * share)  # (levels, k, k)

    def loss(place: np.ndarray) -> tuple[float, np.ndarray]:
        purity, size, log_level, alpha = unpack(place)
        log_weight = (log_level[:, None] + np.log(share)).reshape(-1)
        value, by_alpha, by_weight = log_evidence(terms, alpha.reshape(-1, share.size), log_weight)
        by_alpha = by_alpha.reshape(alpha.shape)
        bell = place[: 2 * levels] / wide
        by_logit = (by_alpha * size * (eye - share) * purity * (1 - purity)).sum(axis=(1, 2))
        by_size = (by_alpha * alpha).sum(axis=(1, 2))
        by_level = by_weight.reshape(levels, -1).sum(axis=1) + 1
        by_level = by_level - np.exp(log_level) * by_level.sum()
        slope = np.concatenate([by_logit - bell[:levels] / wide, by_size - bell[levels:] / wide, by_level])
        return -(value - (bell**2).sum() / 2 + log_level.sum()), -slope

    start = np.concatenate([np.linspace(3.0, 0.5, levels), np.ones(levels), np.zeros(levels)])
    bounds = [(-8.0, 8.0)] * levels + [(-6.0, 8.0)] * levels + [(-12.0, 12.0)] * levels
    optimum = minimize(loss, start, jac=True, method="L-BFGS-B", bounds=bounds, options={"maxiter": 100})
    _, _, log_level, alpha = unpack(optimum.x)
    return alpha.reshape(-1, share.size), (np.exp(log_level)[:, None] * share).reshape(-1)


def free_kinds(
    terms: VoteTerms, tied: np.ndarray, tied_weight: np.ndarray, spread: float, iterations: int
) -> tuple[np.ndarray, np.ndarray, bool]:
    """Fit every Dirichlet on its own, near the tied ones; weights as if one more item per component had been seen."""
    from scipy.optimize import minimize

    j, k = tied.shape
    centre = np.clip(np.log(tied), *LOG_ALPHA)

    def loss(place: np.ndarray) -> tuple[float, np.ndarray]:
        log_alpha, log_weight = place[: j * k].reshape(j, k), _normalise(place[j * k :])
        alpha = np.exp(log_alpha)
        value, by_alpha, by_weight = log_evidence(terms, alpha, log_weight)
        away = (log_alpha - centre) / spread
        by_weight = by_weight + j * tied_weight
        slope = [(by_alpha * alpha - away / spread).reshape(-1), by_weight - np.exp(log_weight) * by_weight.sum()]
        return -(value - (away**2).sum() / 2 + j * tied_weight @ log_weight), -np.concatenate(slope)

    start = np.concatenate([centre.reshape(-1), np.log(tied_weight)])
    bounds = [LOG_ALPHA] * (j * k) + [(-40.0, 10.0)] * j
    optimum = minimize(loss, start, jac=True, method="L-BFGS-B", bounds=bounds, options={"maxiter": iterations})
    log_alpha, log_weight = optimum.x[: j * k].reshape(j, k), _normalise(optimum.x[j * k :])
    return np.exp(log_alpha), np.exp(log_weight), bool(optimum.success)


def free_parameters(
    rows: np.ndarray, times: np.ndarray, alpha: np.ndarray, weights: np.ndarray, spread: float
) -> float:
    """Count the parameters that the votes determine: each ln alpha by its information relative to its prior.

    sum_jc F_jc / (F_jc + 1 / spread^2),   F_jc = sum_i (d ln f(x_i) / d ln alpha_jc)^2
    """
    from scipy.special import psi

    posterior = mixture_posterior(rows, alpha, weights)
    size = alpha.sum(axis=1)
    total = psi(size + rows.sum(axis=1)[:, None]) - psi(size)  # (u, j)
    pull = posterior.weights * np.sqrt(times)[:, None]
    fisher = [
        ((pull * a * (psi(a + rows[:, code, None]) - psi(a) - total)) ** 2).sum(axis=0)
        for code, a in enumerate(alpha.T)
    ]
    return float((np.array(fisher) / (np.array(fisher) + 1 / spread**2)).sum())


def _normalise(log_weight: np.ndarray) -> np.ndarray:
    """Return log weights whose exponentials sum to 1; ten times as fast as scipy's for so few numbers."""
    top = log_weight.max()
    return log_weight - top - np.log(np.exp(log_weight - top).sum())
