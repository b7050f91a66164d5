"""Spending a budget of answers over items: ask next where the answer is expected to help most."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from dissensus.aggregate.priors.dirichlet_mixture import distinct_rows, expected_kl
from dissensus.aggregate.priors.vote_prior import VotePrior
from dissensus.labels.answers import hold
from dissensus.labels.display import shapes
from dissensus.labels.distributions import Distributions
from dissensus.labels.doors import takes
from dissensus.labels.votes import Votes
from dissensus.plan.adaptive_prior import fit_prior
from dissensus.plan.allocation_gain import SURE, gain_evidence
from dissensus.plan.allocation_rules import NEVER, Rule, Stop, fewest_votes, find_rule

ROUNDS = 40  # a budget is spent in about as many rounds, after each of which the items are ranked anew
REFIT = 0.1  # the prior is fitted anew when the votes have grown by this share


@dataclass(frozen=True, eq=False)
class Allocation:
    """Which items to ask about next, and what to expect from it.

    votes           (n,) further votes for each item
    items           their names
    estimate        each item's distribution by the prior and the votes so far; no shares of votes, so without `votes`
    error           (n,) expected KL from the true distribution to the estimate now, in nats
    expected_error  the same after the further votes, mean over items; their answers are imagined from the estimates
    done            (n,) bool, items that need no more by the stopping rule
    rule            the rule that divided them: "uniform" where the gain of another was not sure
    """

    votes: np.ndarray
    items: np.ndarray
    estimate: Distributions
    error: np.ndarray
    expected_error: float
    done: np.ndarray
    rule: str

    __repr__ = shapes

    def __post_init__(self) -> None:
        for name in ("votes", "error", "done"):
            hold(self, name, np.asarray(getattr(self, name)))

    @property
    def order(self) -> np.ndarray:
        """Names of the items to ask about, those with most votes first; items that get none are left out."""
        rank = np.argsort(-self.votes, kind="stable")
        return np.asarray(self.items[rank[self.votes[rank] > 0]])


@takes(votes=(Votes, Distributions))
def allocate(
    votes: Votes | Distributions,
    answers: int,
    rng: np.random.Generator,
    *,
    rule: str = "expected-error",
    stop: Stop = NEVER,
    start: int = 1,
    sure: float = SURE,
) -> Allocation:
    """Divide the next answers over items.

    The prior is learned from all votes so far (see `vote_prior`), each item's posterior follows, and the rule ranks
    them. Where an item gets several answers, the later ones are ranked as if the earlier ones had come out as the
    posterior expects: imagined answers, drawn with rng. Ask in portions and call this again, since what people really
    say is worth more than what was imagined. The rules:

        expected-error   the largest expected drop of KL (see `expected_drop`); uniform until its gain is sure
        entropy          the largest entropy of the estimate
        uniform          the fewest votes

    votes    votes so far; items without any may be among them (`items=` of Votes, or zero counts)
    answers  how many more there will be, 0 for none
    stop     when an item needs no more; where all are done, answers are left over
    start    votes that every item gets before the rule decides
    sure     how many standard errors the gain over uniform asking must be above 0 (see `gain_evidence`); -inf trusts
             the prior from the first vote on
    """
    if answers < 0 or answers != int(answers):
        raise ValueError(f"there are {answers} answers to spend; expected a whole number of 0 or more")
    counts = votes.counts()
    prior = fit_prior(counts)
    posterior = prior.posterior(counts)
    # Looked at once: imagined answers come from the prior, and would prove it right.
    if rule == "expected-error" and sure > -np.inf and gain_evidence(counts, rng) < sure:
        rule = "uniform"

    def imagine(asked: np.ndarray, counted: np.ndarray) -> np.ndarray:
        likely = np.cumsum(prior.estimate(counted[asked]), axis=1)
        return (rng.random((asked.size, 1)) > likely[:, :-1]).sum(axis=1)

    after = spend(counts, int(answers), imagine, rng, rule=rule, stop=stop, start=start, prior=prior)
    return Allocation(
        votes=(after - counts).sum(axis=1),
        items=votes.items,
        estimate=Distributions(prior.estimate(counts), votes.items, votes.classes),
        error=expected_kl(posterior),
        expected_error=float(expected_kl(prior.posterior(after)).mean()) if counts.shape[0] else 0.0,
        done=stop.is_reached(posterior),
        rule=rule,
    )


def spend(
    counts: np.ndarray,
    answers: int,
    ask: Callable[[np.ndarray, np.ndarray], np.ndarray],
    rng: np.random.Generator,
    *,
    rule: str = "expected-error",
    stop: Stop = NEVER,
    start: int = 1,
    sure: float = SURE,
    prior: VotePrior | None = None,
    most: np.ndarray | None = None,
    portion: int | None = None,
    watch: Callable[[np.ndarray], None] | None = None,
) -> np.ndarray:
    """Ask in rounds, each time about the items that the rule ranks first; the counts afterwards.  (n, k)

    counts   (n, k) votes so far
    ask      (items, counts so far) -> the class each of those items gets a vote for
    prior    held fixed and trusted; None fits it to the votes, and again whenever they have grown by a tenth
    sure     with a fitted prior, "expected-error" asks uniformly unless its gain is this sure, see `allocate`
    most     (n,) the most votes each item can get; None for no limit
    portion  answers per round; None for a fortieth of the budget
    watch    called with the counts after each round
    rng      breaks ties
    """
    value = find_rule(rule)
    now = counts.astype(np.int64)  # a copy
    total = now.sum(axis=1)
    limit = np.full(total.size, np.iinfo(np.int64).max) if most is None else np.asarray(most)
    portion = max(1, answers // ROUNDS) if portion is None else portion
    left, fitted, learned = answers, prior, -np.inf
    rank = np.zeros(total.size)
    stale = np.arange(total.size)
    while left > 0:
        if prior is None and total.sum() >= learned * (1 + REFIT):
            fitted, value, learned = *_learn_prior(now, rule, stop, rng, sure), float(total.sum())
            stale = np.arange(total.size)
        rank[stale] = -total[stale] if fitted is None else _rank_items(fitted, now[stale], value, stop)
        first = np.where(total < start, np.inf, rank)
        first[total >= limit] = -np.inf
        asked = _largest(first, min(portion, left), rng)
        if not asked.size:
            break
        now[asked, ask(asked, now)] += 1
        total[asked] += 1
        left -= asked.size
        stale = asked
        if watch is not None:
            watch(now)
    return now


def _learn_prior(
    counts: np.ndarray, rule: str, stop: Stop, rng: np.random.Generator, sure: float
) -> tuple[VotePrior | None, Rule]:
    """The prior and the rule to go on with, until there are more votes; no prior where nothing needs it."""
    if rule == "expected-error" and sure > -np.inf and gain_evidence(counts, rng) < sure:
        rule = "uniform"
    if rule == "uniform" and stop == NEVER:
        return None, fewest_votes
    return fit_prior(counts), find_rule(rule)


def _rank_items(prior: VotePrior, counts: np.ndarray, value: Rule, stop: Stop) -> np.ndarray:
    """The rule's value of each item, -inf where it is done; equal rows are looked at once.  (b,)"""
    different, which = distinct_rows(counts)
    posterior = prior.posterior(different)
    return np.where(stop.is_reached(posterior), -np.inf, value(posterior))[which]


def _largest(first: np.ndarray, count: int, rng: np.random.Generator) -> np.ndarray:
    """The `count` largest that are not -inf, ties at random.  -> at most count positions"""
    able = np.flatnonzero(first > -np.inf)
    if able.size > count:
        mixed = rng.permutation(able)
        able = mixed[np.argpartition(-first[mixed], count - 1)[:count]]
    return able
