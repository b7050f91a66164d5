"""One distribution per item from any labels: shares of votes, means of beliefs, or what is there already."""

from __future__ import annotations

from typing import Literal

import numpy as np

from dissensus.labels.beliefs import Beliefs
from dissensus.labels.distributions import Distributions
from dissensus.labels.doors import ANY_LABELS, takes
from dissensus.labels.refusals import PythonWay, Refusal, Way
from dissensus.labels.votes import Votes

Labels = Votes | Beliefs | Distributions
Unanswered = Literal["refuse", "leave out"]


@takes(labels=ANY_LABELS)
def as_distributions(labels: Labels, *, unanswered: Unanswered = "refuse") -> Distributions:
    """Convert any labels to distributions: shares of votes, means of full beliefs, distributions as they are.

    Partial beliefs are refused, since there are several ways to complete them.

    Parameters
    ----------
    labels : Votes, Beliefs or Distributions
    unanswered : "refuse" or "leave out"
        What to do with items without an answer.

    Returns
    -------
    Distributions

    Examples
    --------
    >>> as_distributions(Votes.of(["a", "a"], ["cat", "dog"])).probs
    array([[0.5, 0.5]])
    """
    if isinstance(labels, Distributions):
        return labels
    if unanswered == "leave out" and not labels.per_item.all():
        labels = labels.select(items=np.flatnonzero(labels.per_item))
    return share(labels) if isinstance(labels, Votes) else mean_belief(labels)


@takes(votes=Votes)
def share(votes: Votes) -> Distributions:
    """Compute the share of each item's votes that went to each class: P_multi of Collins (2022), sec. 3.

        p_ik = votes for k of item i / votes of item i

    Parameters
    ----------
    votes : Votes

    Returns
    -------
    Distributions
        With the number of votes behind each row.

    Examples
    --------
    >>> share(Votes.of(["a", "a", "a", "a"], ["cat", "dog", "cat", "cat"])).probs
    array([[0.75, 0.25]])
    """
    check_answered(votes)
    return Distributions.from_counts(votes.counts(), items=votes.items, classes=votes.classes)


@takes(beliefs=Beliefs)
def mean_belief(beliefs: Beliefs) -> Distributions:
    """Average each item's full beliefs: P_ours of Collins (2022), sec. 3. Complete partial beliefs first.

        p_ik = mean over the answers to item i of the stated probability of k

    Parameters
    ----------
    beliefs : Beliefs

    Returns
    -------
    Distributions

    Examples
    --------
    >>> from dissensus.labels import simulate_truth
    >>> from dissensus.labels.simulate import simulate_beliefs
    >>> truth = simulate_truth(2, 3, np.random.default_rng(0))
    >>> beliefs = simulate_beliefs(truth, per_item=3, annotators=5, rng=np.random.default_rng(0))
    >>> mean_belief(complete(beliefs)).probs.shape
    (2, 3)
    """
    gaps = np.argwhere(np.isnan(beliefs.stated))
    if gaps.size:
        row, code = gaps[0]
        raise Refusal(
            f"belief {row} (item {beliefs.items[beliefs.item[row]]}) says nothing about {beliefs.classes[code]!r}",
            ways=[PythonWay("complete partial beliefs first, for example with complete(beliefs)")],
        )
    check_answered(beliefs)
    return Distributions(beliefs.item_means(), beliefs.items, beliefs.classes)


def check_answered(answers: Votes | Beliefs) -> None:
    """Refuse items that nobody answered: they have no distribution."""
    empty = np.flatnonzero(answers.per_item == 0)
    if empty.size:
        raise Refusal(
            f"item {answers.items[empty[0]]} has no {answers.noun}s, so it has no distribution; {empty.size} of "
            f"{answers.n_items} items have none",
            ways=[
                Way("leave these items out"),
                PythonWay("select the others with select(items=...)"),
                Way("estimate them from the others by shrinkage"),
            ],
        )
