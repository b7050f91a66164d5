"""Allocation of further answers to items: ask next where the answer is expected to help most."""

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

ROUNDS = 40  # about as many rounds per budget, each with a new ranking
REFIT = 0.1  # growth of the votes after which the prior is fitted again


@dataclass(frozen=True, eq=False)
class Allocation:
    """Further votes per item, and the error to expect from them.

    votes           (n,) further votes for each item
    items           their names
    estimate        distribution of each item by the prior and the votes so far; not shares of votes, so without `votes`
    error           (n,) expected KL from the true distribution to the current estimate, in nats
    expected_error  the same after the further votes, mean over items; their answers are simulated from the estimates
    done            (n,) bool, items that need no more votes by the stopping rule
    rule            the rule that was used: "uniform" if the gain of another rule was not significant
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
    """Allocate the next answers to items.

    A prior is fitted to all votes so far (`vote_prior`), and a rule ranks the posteriors of the items. If an item gets
    several answers, the later ones are ranked as if the earlier ones had been drawn from its posterior. Ask in portions
    and call this again: real answers contain more than simulated ones. The rules:

        expected-error   the largest expected drop of KL (`expected_drop`); uniform until its gain is significant
        entropy          the largest entropy of the estimate
        uniform          the fewest votes

    Parameters
    ----------
    votes : so far; may include items without votes (`items=` of Votes, or zero counts)
    answers : number of further answers
    rng : draws simulated answers and breaks ties
    rule : "expected-error", "entropy" or "uniform"
    stop : when an item needs no more votes; if all items are done, answers are left over
    start : votes that every item gets before the rule decides
    sure : standard errors by which the gain over uniform asking must exceed 0 (`gain_evidence`); -inf always trusts the
        prior

    Returns
    -------
    Allocation : further `votes` per item, their `order`, the `rule` that was used, and expected errors

    Examples
    --------
    >>> plan = allocate(load("anesthesia").labels, 20, np.random.default_rng(0), stop=Stop(width=0.5))
    >>> plan.rule, int(plan.votes.sum())
    ('uniform', 19)
    """
    if answers < 0 or answers != int(answers):
        raise ValueError(f"answers is {answers}; expected a whole number of 0 or more")
    counts = votes.counts()
    prior = fit_prior(counts)
    posterior = prior.posterior(counts)
    # Tested once: simulated answers come from the prior and would confirm it.
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
    """Spend a number of answers in rounds, each on the items that a rule ranks first.

    Parameters
    ----------
    counts : (n, k) votes so far
    answers : number of further answers
    ask : function of (items, counts so far) that returns the class each of these items gets a vote for
    rng : breaks ties
    rule : "expected-error", "entropy" or "uniform", see `allocate`
    stop : when an item needs no more votes
    start : votes that every item gets before the rule decides
    sure : with a fitted prior, "expected-error" asks uniformly unless its gain is this significant, see `allocate`
    prior : a fixed prior to trust; None fits one to the votes, and again whenever they have grown by a tenth
    most : (n,) maximum number of votes per item; None for no limit
    portion : answers per round; None for a fortieth of the budget
    watch : called with the counts after each round

    Returns
    -------
    (n, k) : the counts afterwards

    Examples
    --------
    >>> answer_first_class = lambda items, counts: np.zeros(items.size, dtype=int)
    >>> spend(np.zeros((3, 2), dtype=int), 6, answer_first_class, np.random.default_rng(0), rule="uniform")
    array([[2, 0],
           [2, 0],
           [2, 0]])
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
    """The prior and the rule for the next rounds; no prior if nothing needs it."""
    if rule == "expected-error" and sure > -np.inf and gain_evidence(counts, rng) < sure:
        rule = "uniform"
    if rule == "uniform" and stop == NEVER:
        return None, fewest_votes
    return fit_prior(counts), find_rule(rule)


def _rank_items(prior: VotePrior, counts: np.ndarray, value: Rule, stop: Stop) -> np.ndarray:
    """The rule's value of each item, -inf if it is done; equal rows are computed once.  (b,)"""
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
