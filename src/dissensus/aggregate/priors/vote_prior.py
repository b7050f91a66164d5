"""How people disagree, learned from the votes themselves: a mixture of Dirichlets that items come from."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dissensus.aggregate.priors.dirichlet_mixture import (
    MixturePosterior,
    VoteTerms,
    distinct_rows,
    log_evidence,
    mixture_posterior,
    posterior_mean,
    vote_terms,
)
from dissensus.labels.answers import hold

FIT_ROWS = 20_000  # different rows of counts the prior is fitted on: it has few parameters, more rows only cost time
LOG_ALPHA = (-9.0, 9.0)  # beyond these a Dirichlet is certain, or its votes are all alike, to four digits


@dataclass(frozen=True, eq=False)
class VotePrior:
    """What items look like before they are asked about: a mixture of Dirichlets.

    alpha      (j, k) above 0
    weights    (j,) sums to 1
    converged  whether the fit reached its tolerance within its iterations
    """

    alpha: np.ndarray
    weights: np.ndarray
    converged: bool = True

    def __post_init__(self) -> None:
        for name in ("alpha", "weights"):
            hold(self, name, np.asarray(getattr(self, name), dtype=np.float64))

    def posterior(self, counts: np.ndarray) -> MixturePosterior:
        """What votes leave open about each item.  (n, k)"""
        if np.issubdtype(counts.dtype, np.integer):
            different, which = distinct_rows(counts)
            of_different = mixture_posterior(different, self.alpha, self.weights)
            return MixturePosterior(of_different.weights[which], self.alpha, counts)
        return mixture_posterior(counts, self.alpha, self.weights)

    def estimate(self, counts: np.ndarray) -> np.ndarray:
        """The expected distribution of each item.  (n, k), rows sum to 1"""
        return posterior_mean(self.posterior(counts))


def vote_prior(
    counts: np.ndarray, *, levels: int = 2, spread: float = 1.0, agreement: float = 0.6, pairs: float = 10.0,
    iterations: int = 300,
) -> VotePrior:  # fmt: skip
    """The prior of `shrinkage`, whose docstring describes the model and the options, fitted to a table of votes.

    It maximises the probability of all votes,

        sum_i ln f(votes_i),   f(x) = sum_j weights_j B(alpha_j + x) / B(alpha_j)

    which also holds where doubtful items were asked about again: a rule that only sees votes cancels from it, since
    such votes are missing at random in the sense of Rubin (1976), Inference and missing data.

    counts: (n, k) whole numbers, rows of zeros allowed
    """
    _check_options(levels, spread, agreement, pairs)
    share = (counts.sum(axis=0) + 0.5) / (counts.sum() + 0.5 * counts.shape[1])  # (k,), no class impossible
    terms = _with_pairs(*fitting_rows(counts), share, agreement, pairs)
    tied, tied_weight = _tied(terms, share, levels)
    return VotePrior(*_freed(terms, tied, tied_weight, spread, iterations))


def fitting_rows(counts: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The different rows of counts, (u, k), and how often each occurs, (u,); of evenly spaced items if too many."""
    rows, which = distinct_rows(counts)
    if rows.shape[0] > FIT_ROWS:
        spaced = np.linspace(0, counts.shape[0] - 1, FIT_ROWS).astype(np.int64)
        rows, which = distinct_rows(counts[spaced])
    return rows, np.bincount(which, minlength=rows.shape[0]).astype(np.float64)


def _with_pairs(rows: np.ndarray, times: np.ndarray, share: np.ndarray, agreement: float, pairs: float) -> VoteTerms:
    """The rows with imagined pairs of votes beside them, of which a share `agreement` agree."""
    k = share.size
    first, second = np.triu_indices(k, 1)
    each = np.eye(k, dtype=np.int64)
    apart = share[first] * share[second]
    imagined = np.concatenate([agreement * share, (1 - agreement) * apart / max(apart.sum(), np.finfo(float).tiny)])
    table = np.concatenate([rows, 2 * each, each[first] + each[second]])
    return vote_terms(table, np.concatenate([times, pairs * imagined]))


def _tied(terms: VoteTerms, share: np.ndarray, levels: int) -> tuple[np.ndarray, np.ndarray]:
    """Dirichlets alike for all classes: a purity, a size and a weight for each level.  -> (j, k), (j,)"""
    from scipy.optimize import minimize
    from scipy.special import expit, logsumexp

    eye = np.eye(share.size)
    # A wide bell around purity 1/2 and size 1 keeps a level that no item needs within bounds.
    wide = 4.0

    def unpacked(place: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        logit, log_size, log_level = place.reshape(3, levels)
        log_level = log_level - logsumexp(log_level)
        purity, size = expit(logit)[:, None, None], np.exp(log_size)[:, None, None]
        return purity, size, log_level, size * (purity * eye + (1 - purity) * share)  # (levels, k, k)

    def loss(place: np.ndarray) -> tuple[float, np.ndarray]:
        purity, size, log_level, alpha = unpacked(place)
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
    _, _, log_level, alpha = unpacked(optimum.x)
    return alpha.reshape(-1, share.size), (np.exp(log_level)[:, None] * share).reshape(-1)


def _freed(
    terms: VoteTerms, tied: np.ndarray, tied_weight: np.ndarray, spread: float, iterations: int
) -> tuple[np.ndarray, np.ndarray, bool]:
    """Every Dirichlet for itself, near the tied ones; weights as if one more item per component had been seen."""
    from scipy.optimize import minimize
    from scipy.special import logsumexp

    j, k = tied.shape
    centre = np.clip(np.log(tied), *LOG_ALPHA)

    def loss(place: np.ndarray) -> tuple[float, np.ndarray]:
        log_alpha, log_weight = place[: j * k].reshape(j, k), place[j * k :] - logsumexp(place[j * k :])
        alpha = np.exp(log_alpha)
        value, by_alpha, by_weight = log_evidence(terms, alpha, log_weight)
        away = (log_alpha - centre) / spread
        by_weight = by_weight + j * tied_weight
        slope = [(by_alpha * alpha - away / spread).reshape(-1), by_weight - np.exp(log_weight) * by_weight.sum()]
        return -(value - (away**2).sum() / 2 + j * tied_weight @ log_weight), -np.concatenate(slope)

    start = np.concatenate([centre.reshape(-1), np.log(tied_weight)])
    bounds = [LOG_ALPHA] * (j * k) + [(-40.0, 10.0)] * j
    optimum = minimize(loss, start, jac=True, method="L-BFGS-B", bounds=bounds, options={"maxiter": iterations})
    log_weight = optimum.x[j * k :]
    return np.exp(optimum.x[: j * k]).reshape(j, k), np.exp(log_weight - logsumexp(log_weight)), bool(optimum.success)


def _check_options(levels: int, spread: float, agreement: float, pairs: float) -> None:
    if levels < 1:
        raise ValueError(f"levels is {levels}; expected the number of Dirichlets for each class, 1 or more")
    if not spread > 0:
        raise ValueError(f"spread is {spread}; expected a standard deviation of ln alpha above 0, such as 1")
    if not 0 < agreement < 1:
        raise ValueError(f"agreement is {agreement}; expected the chance that two people agree, between 0 and 1")
    if not pairs > 0:
        raise ValueError(f"pairs is {pairs}; expected how many pairs of votes the agreement is worth, above 0")
