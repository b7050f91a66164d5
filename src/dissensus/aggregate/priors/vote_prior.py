"""The prior over items, learned from their votes: a mixture of Dirichlets."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dissensus.aggregate.priors.dirichlet_mixture import (
    MixturePosterior,
    component_evidence,
    distinct_rows,
    mixture_posterior,
    posterior_mean,
)
from dissensus.aggregate.priors.kinds import free_kinds, free_parameters, tie_kinds, with_pairs
from dissensus.labels.answers import hold
from dissensus.labels.sampling import evenly_spaced

FIT_ROWS = 20_000  # different rows of counts the prior is fitted on: it has few parameters, more rows only cost time
KAPPAS = (np.arange(10) + 0.5) / 10  # agreement beyond chance, averaged over
LEAST = 1e-9  # the weight below which a Dirichlet makes no difference
FIXED_CHANCE = 0.99  # of smoothing with 1/k, before any vote
EVEN_ITEMS = 40  # imagined items of evenly spread classes, from which the shares of the classes start


@dataclass(frozen=True, eq=False)
class VotePrior:
    """A prior over items: a mixture of Dirichlets.

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
        """Return the posterior of each item.  (n, k)"""
        if np.issubdtype(counts.dtype, np.integer):
            different, which = distinct_rows(counts)
            of_different = mixture_posterior(different, self.alpha, self.weights)
            return MixturePosterior(of_different.weights[which], self.alpha, counts)
        return mixture_posterior(counts, self.alpha, self.weights)

    def estimate(self, counts: np.ndarray) -> np.ndarray:
        """Return the expected distribution of each item.  (n, k), rows sum to 1"""
        return posterior_mean(self.posterior(counts))


def vote_prior(
    counts: np.ndarray,
    *,
    levels: int = 2,
    spread: float = 1.0,
    agreement: float = 0.5,
    pairs: float = 10.0,
    iterations: int = 300,
) -> VotePrior:
    """Fit the prior of `shrinkage`, whose docstring describes the options, to a table of votes.

    Five models of items, from the one that learns nothing to the one that learns most:

    fixed   Dirichlet(1/k, ..., 1/k): the share smoothed with 1/k
    even    Dirichlet(size / k, ..., size / k), size = 1 / kappa - 1. kappa is the agreement beyond chance, with the
            hyperprior Beta(pairs agreement, pairs (1 - agreement)), and is averaged over on a grid
    alike   Dirichlet(size share), the same with the share of each class
    tied    Dirichlets of each class c, alpha_lc = size_l (purity_l e_c + (1 - purity_l) share) at level l, fitted to
            all votes and to imagined pairs of that agreement
    free    the same, each for itself: ln alpha ~ Normal(ln tied, spread^2)

    In the share each item counts once, and 40 further items are spread evenly. The components of all five are one
    mixture. A model's weight in it is Akaike's, by its probability of all votes:

        weight ~ chance exp(sum_i ln f(votes_i) - parameters),   f(x) = sum_j weights_j B(alpha_j + x) / B(alpha_j)

    with a chance of 0.99 beforehand for the fixed one and equal chances for the others; k - 1 parameters for the
    shares, 3 levels - 1 more for the tied ones, and for the free ones as many as the votes set free. Another model
    counts as much as the fixed one where it makes all votes 200 to 400 times as probable, its parameters deducted: ten
    items with few votes rarely do that unless people nearly always agree, and thousands of items distinguish kinds. If
    no item has two votes, kinds cannot be distinguished, and only the first three models remain. The fixed one has a
    kappa of 1/2: where another agreement is assumed, its odds fall as the hyperprior does from that agreement to 1/2.

    The probability of all votes also holds where doubtful items were asked about again: a rule that only sees votes
    cancels from it, since such votes are missing at random in the sense of Rubin (1976), Inference and missing data.
    Burnham and Anderson (2002), Model selection and multimodel inference, sec. 2.9, for the weights.

    counts: (n, k) whole numbers, rows of zeros allowed
    """
    _check_options(levels, spread, agreement, pairs)
    k, cast = counts.shape[1], counts.sum(axis=1)
    n = int((cast > 0).sum())
    share = (counts / np.maximum(cast, 1)[:, None]).sum(axis=0) + EVEN_ITEMS / k
    share = share / (n + EVEN_ITEMS)  # (k,)
    rows, times = rows_to_fit(counts)
    models = [VotePrior(np.full((1, k), 1 / k), np.ones(1))]
    models += [_alike(rows, times, mean, agreement, pairs) for mean in (np.full(k, 1 / k), share)]
    parameters = [0.0, 0.0, k - 1.0]
    if (cast > 1).any():
        terms = with_pairs(rows, times, share, agreement, pairs)
        tied = VotePrior(*tie_kinds(terms, share, levels))
        free = VotePrior(*free_kinds(terms, tied.alpha, tied.weights, spread, iterations))
        models += [tied, free]
        parameters += [k + 3.0 * levels - 2]
        parameters += [parameters[-1] + free_parameters(rows, times, free.alpha, free.weights, spread)]
    score = np.array([_evidence(model, rows, times) for model in models]) - parameters
    score[0] += np.log(FIXED_CHANCE / (1 - FIXED_CHANCE) * (len(models) - 1))
    score[0] += _log_beta(np.array(0.5), agreement, pairs) - _log_beta(np.array(agreement), agreement, pairs)
    return _average(models, score)


def rows_to_fit(counts: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the different rows of counts, (u, k), and how often each occurs, (u,); of some items if too many."""
    rows, which = distinct_rows(counts)
    if rows.shape[0] > FIT_ROWS:
        rows, which = distinct_rows(counts[evenly_spaced(counts.shape[0], FIT_ROWS)])
    return rows, np.bincount(which, minlength=rows.shape[0]).astype(np.float64)


def _alike(rows: np.ndarray, times: np.ndarray, mean: np.ndarray, agreement: float, pairs: float) -> VotePrior:
    """One Dirichlet for all items, whose kappa is averaged over: a grid of kappas with their posterior as weights.

    Where one kappa of the grid has most of the weight, a finer grid around it takes its place.
    """
    from scipy.special import softmax

    kappa = KAPPAS
    while True:
        alpha = (1 / kappa - 1)[:, None] * mean  # (g, k)
        weights = softmax(_log_beta(kappa, agreement, pairs) + times @ component_evidence(rows, alpha))
        top, step = kappa[weights.argmax()], kappa[1] - kappa[0]
        if weights.max() < 0.5 or step < 1e-3:
            break
        kappa = np.linspace(max(top - step, KAPPAS[0]), min(top + step, KAPPAS[-1]), KAPPAS.size)
    some = weights > LEAST
    return VotePrior(alpha[some], weights[some] / weights[some].sum())


def _log_beta(kappa: np.ndarray, agreement: float, pairs: float) -> np.ndarray:
    """Compute ln of the hyperprior of kappa, up to a constant."""
    return (pairs * agreement - 1) * np.log(kappa) + (pairs * (1 - agreement) - 1) * np.log1p(-kappa)


def _evidence(model: VotePrior, rows: np.ndarray, times: np.ndarray) -> float:
    """Compute ln of the probability of all votes."""
    from scipy.special import logsumexp

    return float(times @ logsumexp(component_evidence(rows, model.alpha) + np.log(model.weights), axis=1))


def _average(models: list[VotePrior], score: np.ndarray) -> VotePrior:
    """Put the components of all models into one mixture, without those that make no difference."""
    from scipy.special import softmax

    alpha = np.concatenate([model.alpha for model in models])
    weights = np.concatenate([w * model.weights for w, model in zip(softmax(score), models, strict=True)])
    some = weights > LEAST
    return VotePrior(alpha[some], weights[some] / weights[some].sum(), all(model.converged for model in models))


def _check_options(levels: int, spread: float, agreement: float, pairs: float) -> None:
    if levels < 1:
        raise ValueError(f"levels is {levels}; expected the number of Dirichlets for each class, 1 or more")
    if not spread > 0:
        raise ValueError(f"spread is {spread}; expected a standard deviation of ln alpha above 0, such as 1")
    if not 0 < agreement < 1:
        raise ValueError(f"agreement is {agreement}; expected how far two people agree beyond chance, between 0 and 1")
    if not pairs > 0:
        raise ValueError(f"pairs is {pairs}; expected how many pairs of votes the agreement is worth, above 0")
