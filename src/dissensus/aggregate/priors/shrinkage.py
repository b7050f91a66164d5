"""Shrinkage: an item's distribution from few votes, with a prior learned from all items."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dissensus.aggregate.fit_card import fit_card
from dissensus.aggregate.priors.dirichlet_mixture import MixturePosterior, leave_one_out, posterior_mean
from dissensus.aggregate.priors.model_worth import model_worth, with_model
from dissensus.aggregate.priors.vote_prior import vote_prior
from dissensus.labels.answers import hold
from dissensus.labels.distributions import Distributions
from dissensus.labels.doors import takes
from dissensus.labels.votes import Votes


@dataclass(frozen=True, eq=False, repr=False)
class Shrinkage:
    """Distributions shrunk towards those of similar items, and the fitted prior.

    distributions   the posterior mean of each item; without a vote (and a model) it is the prior's mean
    posterior       the whole posterior, to sample from and to take expected errors of
    alpha           (j, k) the Dirichlets that items come from; their number depends on the information in the votes
    weights         (j,) the share of items from each, sums to 1
    log_likelihood  mean log-probability of a vote given the other votes of its item, in nats; higher is better.
                    NaN where no vote was cast
    model_votes     how many votes a model's prediction is worth; 0 where none was given, or where it does not help
    temperature     what its predictions are tempered by, above 1 for an overconfident model
    converged       whether the fit reached its tolerance within its iterations
    """

    distributions: Distributions
    posterior: MixturePosterior
    alpha: np.ndarray
    weights: np.ndarray
    log_likelihood: float
    model_votes: float
    temperature: float
    converged: bool

    def __post_init__(self) -> None:
        for name in ("alpha", "weights"):
            hold(self, name, np.asarray(getattr(self, name), dtype=np.float64))

    def __repr__(self) -> str:
        state = "converged" if self.converged else "not converged"
        return (
            f"Shrinkage({self.distributions.n_items} items, {self.distributions.n_classes} classes; "
            f"{self.weights.size} Dirichlets, {state})"
        )

    def _repr_html_(self) -> str:
        facts = [("Dirichlets", f"{self.weights.size}"), ("converged", "yes" if self.converged else "no")]
        return fit_card("Shrinkage", facts, self.distributions)


@takes(votes=(Votes, Distributions), prior=Distributions)
def shrinkage(
    votes: Votes | Distributions,
    prior: Distributions | None = None,
    *,
    levels: int = 2,
    spread: float = 1.0,
    agreement: float = 0.5,
    pairs: float = 10.0,
    iterations: int = 300,
) -> Shrinkage:
    """Estimate each item's distribution from its votes by empirical Bayes.

        p_i ~ sum_j weights_j Dirichlet(alpha_j),   votes_i ~ p_i
        estimate_i = E[p_i | votes_i]

    With enough items each class has its own Dirichlets, so a cat with three votes is shrunk towards cats and gets a
    little of dog. The classes need not be known: the votes decide to which kinds an item may belong. With few items, or
    one vote each, the prior falls back to one Dirichlet for all items, and to 1/k for each class unless the votes are
    clearly less probable under it (see `vote_prior`). docs/aggregate.md compares it with other estimates.

    Parameters
    ----------
    votes : votes, or shares with their number of votes
    prior : a model's predictions for the same items and classes. They count as `model_votes` further votes, spread by
        the tempered probabilities. Both numbers are fitted by how well a vote is predicted from the others of its item;
        a model without a clear benefit gets weight 0. If no item has two votes, it counts at most one
    levels : Dirichlets per class, from clear to doubtful items; 1 for the plain class-conditional prior
    spread : how far the free fit may leave the tied one, in standard deviations of ln alpha
    agreement : assumed agreement of two people beyond chance (kappa, 0 to 1). It decides if every item has a single
        vote: at 0.5 that vote counts as much as the share of the classes
    pairs : number of pairs of votes that this assumption is worth
    iterations : maximum iterations of the fit

    Returns
    -------
    the distributions, the posterior of each item and the fitted prior

    Examples
    --------
    >>> from dissensus import Votes
    >>> votes = Votes.of(list("aaabbb"), ["cat", "cat", "dog", "dog", "dog", "cat"], ["ann", "bo", "cy"] * 2)
    >>> shrinkage(votes).distributions.probs.round(2).tolist()
    [[0.62, 0.38], [0.38, 0.62]]
    """
    counts = votes.counts()  # (n, k)
    fitted = vote_prior(counts, levels=levels, spread=spread, agreement=agreement, pairs=pairs, iterations=iterations)
    alpha, weights = fitted.alpha, fitted.weights
    if prior is None:
        model_votes, temperature = 0.0, 1.0
        posterior = fitted.posterior(counts)
    else:
        log_guess = _log_guess(prior, votes)
        model_votes, temperature = model_worth(counts, log_guess, fitted)
        posterior = fitted.posterior(with_model(counts, log_guess, model_votes, temperature) if model_votes else counts)
    return Shrinkage(
        distributions=Distributions(posterior_mean(posterior), votes.items, votes.classes),
        posterior=posterior,
        alpha=alpha,
        weights=weights,
        log_likelihood=leave_one_out(counts, alpha, weights),
        model_votes=model_votes,
        temperature=temperature,
        converged=fitted.converged,
    )


def _log_guess(prior: Distributions, votes: Votes | Distributions) -> np.ndarray:
    if not np.array_equal(prior.items, votes.items) or prior.classes != tuple(votes.classes):
        raise ValueError(
            f"the prior is about {prior.n_items} items over {list(prior.classes)}, the votes about {votes.n_items} "
            f"items over {list(votes.classes)}; expected the same items and classes in the same order: select the "
            "shared items of both first"
        )
    return np.log(np.maximum(prior.probs, np.finfo(float).tiny))
