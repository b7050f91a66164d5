"""Where a model of annotators overturns the majority, and whether it always does so to the same class."""

from __future__ import annotations

import numpy as np

from dissensus.labels.distributions import Distributions
from dissensus.labels.votes import Votes

# From here on a one-sided departure is said: on so many items, on such a share of them, so much of it to one class.
ITEMS, SHARE, ONE_WAY = 10, 0.05, 0.8


def one_sided(distributions: Distributions, votes: Votes, method: str) -> str | None:
    """A sentence where a model departs from the majority on many items, nearly always to one class; None elsewhere.

    A model that takes everybody's answers for a habit turns whole crowds round. Sometimes that is its merit (on the
    crowd set bluebird it gains 13 points of accuracy) and sometimes its fault; votes cannot tell which.
    """
    label = distributions.probs.argmax(axis=1)
    counts = votes.counts()
    departs = counts[np.arange(label.size), label] < counts.max(axis=1, initial=0)
    towards = np.bincount(label[departs], minlength=votes.n_classes)
    total, code = int(towards.sum()), int(towards.argmax())
    if total < ITEMS or total < SHARE * label.size or towards[code] < ONE_WAY * total:
        return None
    named = float(np.mean(votes.choice == code))
    return (
        f"{method} departs from the majority on {total:,} of {label.size:,} items, {towards[code] / total:.0%} of them "
        f"to {votes.classes[code]!r}, which {named:.0%} of the answers name; one of the two misreads this crowd, and "
        "votes alone cannot tell which: compare some of these items with answers you trust"
    )
