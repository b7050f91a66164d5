"""Counting without a model of who is right: shares, majorities, and shares with votes added."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np

from dissensus.labels.distributions import Distributions
from dissensus.labels.doors import takes
from dissensus.labels.refusals import Refusal, Way, one_of
from dissensus.labels.shares import check_answered
from dissensus.labels.shares import mean_belief as mean_belief
from dissensus.labels.shares import share as share
from dissensus.labels.votes import Votes

Ties = Literal["share", "first", "frequent"]


@takes(votes=Votes)
def majority_vote(votes: Votes, ties: Ties = "share") -> Distributions:
    """Put all of each item's mass on the class with most votes.

    Parameters
    ----------
    votes : votes, at least one per item
    ties : if several classes have equally many votes: "share" splits the mass evenly, "first" takes the first of
        `classes`, "frequent" the one with most votes over all items, then the first

    Returns
    -------
    one distribution per item

    Examples
    --------
    >>> from dissensus import Votes
    >>> votes = Votes.of(list("aaabbb"), ["cat", "cat", "dog", "dog", "dog", "cat"], ["ann", "bo", "cy"] * 2)
    >>> majority_vote(votes).probs.tolist()
    [[1.0, 0.0], [0.0, 1.0]]
    """
    one_of("rule for ties", ties, ("share", "first", "frequent"))
    counts = votes.counts()  # (n, k)
    check_answered(votes)
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
    return Distributions(probs, votes.items, votes.classes)


@takes(votes=Votes)
def dirichlet(votes: Votes, prior: float | Sequence[float] | np.ndarray = 0.5) -> Distributions:
    """Compute the share of votes after adding `prior` votes to each class: the posterior mean under Dirichlet(prior).

        p_ik = (votes for k of item i + prior_k) / (votes of item i + sum of prior)

    An item without votes gets the prior's own shares. 0.5 is Jeffreys' prior, 1 Laplace's rule.
    Gelman et al. (2013), Bayesian Data Analysis, sec. 3.4.

    Parameters
    ----------
    votes : votes
    prior : a number above 0 for every class, or k numbers of 0 or more with a sum above 0

    Returns
    -------
    one distribution per item

    Examples
    --------
    >>> from dissensus import Votes
    >>> votes = Votes.of(list("aaabbb"), ["cat", "cat", "dog", "dog", "dog", "cat"], ["ann", "bo", "cy"] * 2)
    >>> dirichlet(votes, prior=1.0).probs.tolist()
    [[0.6, 0.4], [0.4, 0.6]]
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
        raise Refusal(
            "the prior is 0 for every class; expected a number above 0 for one of them at least",
            ways=[Way("choose the method share, which needs a vote for every item")],
        )
    counts = votes.counts()  # (n, k)
    mass = counts + added
    return Distributions(mass / mass.sum(axis=1, keepdims=True), votes.items, votes.classes)
