"""Counting: shares, majorities and means of beliefs, with no model of who is right."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np

from dissensus.labels.beliefs import Beliefs
from dissensus.labels.distributions import Distributions
from dissensus.labels.votes import Votes

Ties = Literal["share", "first", "frequent"]


def share(votes: Votes) -> Distributions:
    """The share of each item's votes that went to each class: P_multi of Collins (2022), sec. 3.

    p_ik = votes for k of item i / votes of item i
    """
    counts = votes.counts()  # (n, k)
    _check_answered(counts.sum(axis=1), votes.items, "votes")
    return Distributions.from_counts(counts, items=votes.items, classes=votes.classes)


def majority(votes: Votes, ties: Ties = "share") -> Distributions:
    """All of each item's mass on the class with most votes.

    ties  what happens where several classes have equally many votes:
          share     they share the mass evenly
          first     the one named first in `classes` gets it
          frequent  the one with most votes over all items gets it, then the one named first
    """
    if ties not in ("share", "first", "frequent"):
        raise ValueError(f"no rule {ties!r} for ties; there are share, first and frequent")
    counts = votes.counts()  # (n, k)
    per_item = counts.sum(axis=1)
    _check_answered(per_item, votes.items, "votes")
    if ties == "share":
        won = (counts == counts.max(axis=1, keepdims=True)).astype(np.float64)
        probs = won / won.sum(axis=1, keepdims=True)
    else:
        winner = counts.argmax(axis=1)  # the first of those tied
        if ties == "frequent":
            order = np.argsort(-counts.sum(axis=0), kind="stable")
            winner = order[counts[:, order].argmax(axis=1)]
        probs = np.zeros(counts.shape)
        probs[np.arange(votes.n_items), winner] = 1.0
    return Distributions(probs, votes.items, votes.classes, per_item)


def dirichlet(votes: Votes, prior: float | Sequence[float] | np.ndarray = 0.5) -> Distributions:
    """The share of votes after adding `prior` votes to each class: the posterior mean under Dirichlet(prior).

        p_ik = (votes for k of item i + prior_k) / (votes of item i + sum of prior)

    An item without votes gets the prior's own shares. 0.5 is Jeffreys' prior, 1 Laplace's rule.
    Gelman et al. (2013), Bayesian Data Analysis, sec. 3.4.

    prior: a number above 0 for every class, or k numbers of 0 or more with a sum above 0
    """
    added = np.asarray(prior, dtype=np.float64)
    if added.shape not in ((), (votes.n_classes,)):
        raise ValueError(
            f"prior has shape {added.shape}; expected one number, or one for each of {votes.n_classes} classes"
        )
    added = np.broadcast_to(added, (votes.n_classes,))
    bad = np.flatnonzero(~((added >= 0) & (added < np.inf)))
    if bad.size:
        raise ValueError(
            f"the prior of class {votes.classes[bad[0]]!r} is {added[bad[0]]:g}; expected a finite number of 0 or more"
        )
    if not added.any():
        raise ValueError("the prior adds nothing to any class; that is share(votes), which needs a vote for every item")
    counts = votes.counts()  # (n, k)
    mass = counts + added
    return Distributions(mass / mass.sum(axis=1, keepdims=True), votes.items, votes.classes, counts.sum(axis=1))


def mean_belief(beliefs: Beliefs) -> Distributions:
    """The mean of each item's full beliefs: P_ours of Collins (2022), sec. 3. Complete partial beliefs first.

    p_ik = mean over the answers to item i of the stated probability of k
    """
    gaps = np.argwhere(np.isnan(beliefs.stated))
    if gaps.size:
        row, code = gaps[0]
        raise ValueError(
            f"belief {row} (item {beliefs.items[beliefs.item[row]]}) says nothing about {beliefs.classes[code]!r}; "
            "complete partial beliefs first, for example with complete(beliefs)"
        )
    answers = beliefs.per_item
    _check_answered(answers, beliefs.items, "beliefs")
    return Distributions(beliefs.item_means(), beliefs.items, beliefs.classes, answers)


def _check_answered(answers: np.ndarray, items: np.ndarray, noun: str) -> None:
    empty = np.flatnonzero(answers == 0)
    if empty.size:
        raise ValueError(
            f"item {items[empty[0]]} has no {noun}, so it has no distribution; {empty.size} of {items.size} items have "
            "none: leave them out with select(items=...)"
        )
