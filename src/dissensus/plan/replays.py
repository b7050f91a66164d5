"""Allocation replayed on collected votes: the error that a rule would have reached, and the best possible one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from dissensus.aggregate.priors.vote_prior import VotePrior
from dissensus.labels.answers import hold
from dissensus.labels.display import shapes
from dissensus.labels.distances import kl
from dissensus.labels.doors import takes
from dissensus.labels.refusals import PythonWay, Refusal
from dissensus.labels.votes import Votes
from dissensus.plan.adaptive_prior import fit_prior
from dissensus.plan.allocation import spend
from dissensus.plan.allocation_gain import SURE
from dissensus.plan.allocation_rules import NEVER, Stop

PORTIONS = 40  # a round asks about a fortieth of the items
PRICES = 60  # halvings of the price of a vote, to match the budget of an oracle


@dataclass(frozen=True, eq=False)
class ReplayCurve:
    """The error of the estimates by the number of answers spent.

    spent    (b,) answers (or seconds) per item, mean over items, rising
    error    (b,) mean KL from each item's full distribution to its estimate, in nats
    deepest  (b,) most votes that any item had
    """

    spent: np.ndarray
    error: np.ndarray
    deepest: np.ndarray

    __repr__ = shapes

    def __post_init__(self) -> None:
        for name in ("spent", "error", "deepest"):
            hold(self, name, np.asarray(getattr(self, name), dtype=np.float64))

    def reaches(self, error: float) -> float:
        """The spending that reaches this error, inf if it is never reached; ln error is interpolated linearly."""
        below = np.flatnonzero(self.error <= error)
        if not below.size:
            return float("inf")
        at = int(below[0])
        if at == 0:
            return float(self.spent[0])
        high, low = np.log(self.error[at - 1]), np.log(self.error[at])
        part = (high - np.log(error)) / (high - low)
        return float(self.spent[at - 1] + part * (self.spent[at] - self.spent[at - 1]))


def shrink_counts(counts: np.ndarray) -> np.ndarray:
    """Estimate distributions with a prior fitted to these votes.  (n, k)"""
    return fit_prior(counts).estimate(counts)


def smooth_share(constant: float) -> Callable[[np.ndarray], np.ndarray]:
    """Return an estimator: the share of votes with a constant added for each class."""

    def estimate(counts: np.ndarray) -> np.ndarray:
        mass = counts + constant
        return np.asarray(mass / mass.sum(axis=1, keepdims=True))

    return estimate


@takes(votes=Votes)
def replay(
    votes: Votes,
    per_item: Sequence[float],
    rng: np.random.Generator,
    *,
    rule: str = "expected-error",
    stop: Stop = NEVER,
    start: int = 1,
    sure: float = SURE,
    estimate: Callable[[np.ndarray], np.ndarray] = shrink_counts,
) -> ReplayCurve:
    """Replay collected votes in a random order, on the items that a rule chooses.

    The votes of each item are shuffled and used one by one, without replacement. The truth is the share of all of them;
    the rule never sees it.

    Parameters
    ----------
    votes : collected before
    per_item : budgets at which the error is computed, in votes per item, rising
    rng : shuffles votes and breaks ties
    rule, stop, start, sure : as in `allocate`
    estimate : function from counts (n, k) to distributions (n, k)

    Returns
    -------
    ReplayCurve : `spent` and `error`, mean KL from the truth to the estimate in nats

    Examples
    --------
    >>> curve = replay(load("anesthesia").labels, [2, 4, 6], np.random.default_rng(0))
    >>> curve.spent
    array([2., 4., 6.])
    """
    budgets = _budgets(per_item, votes)
    order_rng, tie_rng = rng.spawn(2)
    sequence, size = vote_sequences(votes, order_rng)
    truth = votes.counts() / size[:, None]
    counts = np.zeros(truth.shape, dtype=np.int64)
    error, deepest = [], []

    def ask(asked: np.ndarray, counted: np.ndarray) -> np.ndarray:
        return np.asarray(sequence[asked, counted[asked].sum(axis=1)])

    for more in np.diff(budgets, prepend=0).tolist():
        counts = spend(
            counts,
            more,
            ask,
            tie_rng,
            rule=rule,
            stop=stop,
            start=start,
            sure=sure,
            most=size,
            portion=max(1, size.size // PORTIONS),
        )
        error.append(kl(truth, estimate(counts)).mean())
        deepest.append(counts.sum(axis=1).max())
    return ReplayCurve(budgets / size.size, np.array(error), np.array(deepest))


@takes(votes=Votes)
def oracle(
    votes: Votes, per_item: Sequence[float], rng: np.random.Generator, *, orders: int = 32, clairvoyant: bool = False
) -> ReplayCurve:
    """Compute the error of an allocation that knows the truth: a bound for rules.

        votes_i = argmin_m  E KL(truth_i || estimate from m votes) + price m,   price set by the budget

    The oracle knows each item's distribution and its mean error after m votes over `orders` random orders. The error is
    computed on an eighth as many held-out orders. Its prior is fitted to all votes.
    clairvoyant: the oracle also knows the next votes and stops where the estimate is best; no rule can be better with
    this estimator.
    """
    budgets = _budgets(per_item, votes)
    prior = fit_prior(votes.counts())
    most = int(votes.per_item.max(initial=0))
    depths = np.arange(most + 1) if clairvoyant else _depths(most)
    choice_rng, error_rng = rng.spawn(2)
    chosen_by = _mean_errors(votes, prior, depths, choice_rng, 1 if clairvoyant else orders)  # (n, depths)
    error = chosen_by if clairvoyant else _mean_errors(votes, prior, depths, error_rng, max(1, orders // 8))
    rows = np.arange(chosen_by.shape[0])
    chosen = [_spend_budget(chosen_by, depths, budget) for budget in budgets.tolist()]
    return ReplayCurve(
        spent=np.array([depths[place].mean() for place in chosen]),
        error=np.array([error[rows, place].mean() for place in chosen]),
        deepest=np.array([depths[place].max() for place in chosen]),
    )


def vote_sequences(votes: Votes, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Shuffle each item's votes, with -1 after the last, and count them.  (n, most), (n,)"""
    size = votes.per_item
    empty = np.flatnonzero(size == 0)
    if empty.size:
        raise Refusal(
            f"item {votes.items[empty[0]]} has no votes; {empty.size} of {size.size} items have none",
            ways=[PythonWay("leave these items out with votes.select")],
        )
    by_item = np.lexsort((rng.random(votes.item.size), votes.item))
    place = np.arange(votes.item.size) - np.repeat(np.cumsum(size) - size, size)
    sequence = np.full((size.size, int(size.max(initial=0))), -1, dtype=np.int64)
    sequence[votes.item[by_item], place] = votes.choice[by_item]
    return sequence, np.asarray(size)


def _depths(most: int) -> np.ndarray:
    """Numbers of votes at which errors are computed: all up to 8, then in steps of a fifth, up to most."""
    depths = [*range(min(most, 8) + 1)]
    while depths[-1] < most:
        depths.append(min(most, depths[-1] + depths[-1] // 5 + 1))
    return np.array(depths)


def _mean_errors(
    votes: Votes, prior: VotePrior, depths: np.ndarray, rng: np.random.Generator, orders: int
) -> np.ndarray:
    """KL from the truth at each depth, mean over random orders; inf beyond an item's last vote.  (n, depths)"""
    truth = votes.counts() / votes.per_item[:, None]
    total = np.zeros((truth.shape[0], depths.size))
    for stream in rng.spawn(orders):
        sequence, size = vote_sequences(votes, stream)
        counts = np.zeros(truth.shape, dtype=np.int64)
        for at, depth in enumerate(depths.tolist()):
            for m in range(0 if at == 0 else int(depths[at - 1]), depth):
                going = np.flatnonzero(size > m)
                counts[going, sequence[going, m]] += 1
            there = size >= depth
            total[there, at] += kl(truth[there], prior.estimate(counts[there])) / orders
            total[~there, at] = np.inf
    return total


def _spend_budget(errors: np.ndarray, depths: np.ndarray, budget: float) -> np.ndarray:
    """The position of each item's depth that minimises the sum of errors within the budget.  (n, d) -> (n,)"""
    free, dear = 0.0, float(np.where(np.isfinite(errors), errors, 0.0).max(initial=0.0)) + 1.0
    best = np.zeros(errors.shape[0], dtype=np.int64)
    for _ in range(PRICES):
        price = (free + dear) / 2
        at = np.argmin(errors + price * depths, axis=1)
        if depths[at].sum() <= budget:
            best, dear = at, price
        else:
            free = price
    return best


def _budgets(per_item: Sequence[float], votes: Votes) -> np.ndarray:
    """Total votes from votes per item.  (b,) int64"""
    wanted = np.asarray(per_item, dtype=np.float64)
    most = votes.n_answers / max(votes.n_items, 1)
    if wanted.ndim != 1 or not wanted.size or (wanted <= 0).any() or (np.diff(wanted) <= 0).any():
        raise ValueError(f"budgets are {list(per_item)} votes per item; expected rising numbers above 0")
    if wanted[-1] > most:
        raise ValueError(
            f"the largest budget is {wanted[-1]:g} votes per item; expected at most {most:.4g}, the number collected"
        )
    return np.round(wanted * votes.n_items).astype(np.int64)
