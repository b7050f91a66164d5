"""The worth of fuller answers in votes, estimated cautiously from the votes of others on the same items."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dissensus.aggregate.priors.dirichlet_mixture import posterior_mean
from dissensus.aggregate.priors.vote_prior import VotePrior

VOTES = np.exp2(np.arange(-6, 7, 1.5))  # worths that are tried, apart from 0: a 64th of a vote to 64
TEMPERATURES = np.exp2(np.arange(-1.5, 2, 0.5))


@dataclass(frozen=True)
class Worth:
    """The weight of an answer: a number of votes, spread by its probabilities raised to 1/temperature."""

    votes: float = 1.0
    temperature: float = 1.0

    def mass(self, probs: np.ndarray) -> np.ndarray:
        """(m, k) -> (m, k), rows sum to `votes`"""
        raised = np.maximum(probs, 1e-6) ** (1 / self.temperature)
        spread = self.votes * raised / raised.sum(axis=1, keepdims=True)
        return np.where(probs == 1, self.votes, np.where((probs == 1).any(axis=1, keepdims=True), 0.0, spread))


def worth_by_votes(
    item: np.ndarray, probs: np.ndarray, votes: np.ndarray, other: np.ndarray, prior: VotePrior
) -> Worth:
    """Estimate the worth of answers from the probability that they give to other people's votes on the same items.

        score(w, T) = sum_i ln P(votes_i | answers about i, worth w votes at temperature T)
        P(w, T | votes) ~ exp(score) P(w, T),   P(w = 0) = 1/2,   ln w ~ N(0, 2^2) and ln T ~ N(0, 1/4) otherwise

    The votes of an item are draws from Polya's urn, which contains its answers at the start. The prior gives a worth of
    0 the probability 1/2, and the median of the posterior is returned: 0 until votes support more.

    item, probs: (m,), (m, k) the answers;  votes, other: (n, k) votes, and the mass of other kinds of answer
    """
    tried = [Worth(0.0, 1.0), *(Worth(w, t) for w in VOTES.tolist() for t in TEMPERATURES.tolist())]
    with_votes = np.flatnonzero((np.bincount(item, minlength=votes.shape[0]) > 0) & (votes.sum(axis=1) > 0))
    place = np.full(votes.shape[0], -1)
    place[with_votes] = np.arange(with_votes.size)
    here = place[item] >= 0
    score = np.array(
        [
            _urn(
                votes[with_votes],
                other[with_votes] + _sum_by_item(place[item[here]], worth.mass(probs[here]), with_votes.size),
                prior,
            )
            for worth in tried
        ]
    )
    return _median(tried, score + _log_prior(tried, nothing=0.5))


def worth_by_answers(item: np.ndarray, probs: np.ndarray, n: int, prior: VotePrior) -> Worth:
    """Estimate the worth of answers without votes, from how well they predict each other.

        score(w, T) = sum_j sum_c probs_jc ln P(c | the other answers about the same item)

    Answers are scored by all their probabilities and not by the most likely class, a proper score. Without votes to
    compare with, a worth of 0 is excluded.

    item, probs: (m,), (m, k) answers about n items
    """
    tried = [Worth(w, t) for w in VOTES.tolist() for t in TEMPERATURES.tolist()]
    several = np.bincount(item, minlength=n)[item] > 1
    score = np.zeros(len(tried))
    for at, worth in enumerate(tried if several.any() else []):
        own = worth.mass(probs)
        # The difference may round to below 0.
        others = np.maximum(_sum_by_item(item, own, n)[item] - own, 0.0)[several]
        score[at] = (probs[several] * np.log(posterior_mean(prior.posterior(others)))).sum()
    return _median(tried, score + _log_prior(tried, nothing=0.0))


def _urn(votes: np.ndarray, mass: np.ndarray, prior: VotePrior) -> float:
    """ln P(votes | mass), summed over items, for votes in some order drawn from the updated mixture."""
    from scipy.special import gammaln, logsumexp

    posterior = prior.posterior(mass)
    with np.errstate(divide="ignore"):
        each = np.log(posterior.weights)  # (n, j)
    whole = posterior.mass
    each = each + gammaln(whole) - gammaln(whole + votes.sum(axis=1)[:, None])
    for code in range(votes.shape[1]):
        before = mass[:, code, None] + posterior.alpha[:, code]
        each += gammaln(before + votes[:, code, None]) - gammaln(before)
    return float(logsumexp(each, axis=1).sum())


def _log_prior(tried: list[Worth], nothing: float) -> np.ndarray:
    """ln P(w, T), with the probability `nothing` that w is 0, for each that is tried."""
    votes, log_t = np.array([worth.votes for worth in tried]), np.log([worth.temperature for worth in tried])
    some = votes > 0
    bell = np.where(some, np.exp(-(np.log(np.where(some, votes, 1.0)) ** 2) / 8 - 2 * log_t**2), 0.0)
    with np.errstate(divide="ignore"):
        return np.log(np.where(some, (1 - nothing) * bell / bell.sum(), nothing))


def _median(tried: list[Worth], log_chance: np.ndarray) -> Worth:
    """The median of the votes, and the mean of the log temperature at that many."""
    chance = np.exp(log_chance - log_chance.max())
    votes = np.array([worth.votes for worth in tried])
    order = np.argsort(votes, kind="stable")
    reached = np.cumsum(chance[order]) / chance.sum()
    median = votes[order][int(np.argmax(reached >= 0.5 - 1e-12))]
    log_t = np.log([worth.temperature for worth in tried])
    return Worth(float(median), float(np.exp(np.average(log_t, weights=np.where(votes == median, chance, 0.0)))))


def _sum_by_item(item: np.ndarray, mass: np.ndarray, n: int) -> np.ndarray:
    """(m,), (m, k) -> (n, k)"""
    total = np.zeros((n, mass.shape[1]))
    np.add.at(total, item, mass)
    return total
