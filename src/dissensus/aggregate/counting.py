"""Counting: the share of votes and the mean of beliefs, with no model of who is right."""

from __future__ import annotations

import numpy as np

from dissensus.labels.beliefs import Beliefs
from dissensus.labels.distributions import Distributions
from dissensus.labels.votes import Votes


def share(votes: Votes) -> Distributions:
    """The share of each item's votes that went to each class: P_multi of Collins (2022), sec. 3.

    p_ik = votes for k of item i / votes of item i
    """
    counts = votes.counts()  # (n, k)
    _check_answered(counts.sum(axis=1), votes.items, "votes")
    return Distributions.from_counts(counts, items=votes.items, classes=votes.classes)


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
