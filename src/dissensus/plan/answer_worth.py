"""What fuller answers are worth in votes, learned with caution from the votes of others about the same items."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dissensus.aggregate.priors.dirichlet_mixture import posterior_mean
from dissensus.aggregate.priors.vote_prior import VotePrior

VOTES = np.exp2(np.arange(-6, 7, 1.5))  # what an answer may be worth, beside nothing: a 64th of a vote to 64
TEMPERATURES = np.exp2(np.arange(-1.5, 2, 0.5))


@dataclass(frozen=True)
class Worth:
    """What an answer of one kind counts for: a number of votes, spread by its probabilities raised to 1/temperature."""

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
    """What answers are worth by how probable they make the votes of other people about the same items.

        score(w, T) = sum_i ln P(votes_i | answers about i, worth w votes at temperature T)
        P(w, T | votes) ~ exp(score) P(w, T),   P(w = 0) = 1/2,   ln w ~ N(0, 2^2) and ln T ~ N(0, 1/4) otherwise

    The votes of an item are Polya's urn, in which its answers lie already. Before any vote tells, an answer is as
    likely to be worth nothing as to be worth something, and the median of its worth is taken: 0 until votes speak for
    more. A worth of 0 stays within reach however many answers there are.

    item, probs: (m,), (m, k) the answers;  votes, other: (n, k) votes, and what further kinds of answer are worth
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
                other[with_votes] + _sum_by_item(place[item[here]], one.mass(probs[here]), with_votes.size),
                prior,
            )
            for one in tried
        ]
    )
    return _median(tried, score + _log_prior(tried, nothing=0.5))


def worth_by_answers(item: np.ndarray, probs: np.ndarray, n: int, prior: VotePrior) -> Worth:
    """What answers are worth by how well they predict each other, where nobody voted.

        score(w, T) = sum_j sum_c probs_jc ln P(c | the other answers about the same item)

    Every answer speaks for its probabilities, not for its likeliest class alone: people who state the truth are then
    predicted best by the truth. Without votes to compare with, an answer is not taken to be worth nothing.

    item, probs: (m,), (m, k) answers about n items
    """
    tried = [Worth(w, t) for w in VOTES.tolist() for t in TEMPERATURES.tolist()]
    several = np.bincount(item, minlength=n)[item] > 1
    score = np.zeros(len(tried))
    for at, one in enumerate(tried if several.any() else []):
        own = one.mass(probs)
        # What is left after taking an answer away may round to below 0.
        others = np.maximum(_sum_by_item(item, own, n)[item] - own, 0.0)[several]
        score[at] = (probs[several] * np.log(posterior_mean(prior.posterior(others)))).sum()
    return _median(tried, score + _log_prior(tried, nothing=0.0))


def _urn(votes: np.ndarray, mass: np.ndarray, prior: VotePrior) -> float:
    """ln P(votes | mass), summed over items: the votes of each in some order, drawn from the updated mixture."""
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
    """ln P(w, T), with a chance of `nothing` that w is 0.  one for each tried"""
    votes, log_t = np.array([one.votes for one in tried]), np.log([one.temperature for one in tried])
    some = votes > 0
    bell = np.where(some, np.exp(-(np.log(np.where(some, votes, 1.0)) ** 2) / 8 - 2 * log_t**2), 0.0)
    with np.errstate(divide="ignore"):
        return np.log(np.where(some, (1 - nothing) * bell / bell.sum(), nothing))


def _median(tried: list[Worth], log_chance: np.ndarray) -> Worth:
    """The median of the votes, and the mean of the log temperature at that many."""
    chance = np.exp(log_chance - log_chance.max())
    votes = np.array([one.votes for one in tried])
    order = np.argsort(votes, kind="stable")
    reached = np.cumsum(chance[order]) / chance.sum()
    median = votes[order][int(np.argmax(reached >= 0.5 - 1e-12))]
    log_t = np.log([one.temperature for one in tried])
    return Worth(float(median), float(np.exp(np.average(log_t, weights=np.where(votes == median, chance, 0.0)))))


def _sum_by_item(item: np.ndarray, mass: np.ndarray, n: int) -> np.ndarray:
    """(m,), (m, k) -> (n, k)"""
    total = np.zeros((n, mass.shape[1]))
    np.add.at(total, item, mass)
    return total
