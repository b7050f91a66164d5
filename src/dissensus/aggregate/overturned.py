"""Where a model of annotators overturns the majority, and whether it always does so to the same class."""

from __future__ import annotations

import numpy as np

from dissensus.labels.distributions import Distributions
from dissensus.labels.votes import Votes

ITEMS, ONE_WAY = 10, 0.8  # from so many items, and such a share of them to one class, a departure is called one-sided


def departure(distributions: Distributions, votes: Votes, method: str) -> str | None:
    """A sentence on how many items a model takes away from the majority, and to which class most; None without any.

    A model that takes everybody's answers for a habit turns a whole crowd round, always to the same class. Sometimes
    that is its merit (on the crowd set bluebird Dawid-Skene gains 13 points of accuracy) and sometimes its fault; votes
    cannot tell which, so the sentence asks for a look.
    """
    label, counts = distributions.probs.argmax(axis=1), votes.counts()
    departs = counts[np.arange(label.size), label] < counts.max(axis=1, initial=0)
    towards = np.bincount(label[departs], minlength=votes.n_classes)
    total, code = int(towards.sum()), int(towards.argmax())
    if total == 0:
        return None
    said = f"{method} departs from the majority on {total:,} of {label.size:,} items"
    if total < ITEMS:
        return said
    said += f", {towards[code] / total:.0%} of them to {votes.classes[code]!r}"
    if towards[code] < ONE_WAY * total:
        return said
    named = float(np.mean(votes.choice == code))
    return (
        f"{said}, which {named:.0%} of the answers name: the majority or the model misreads this crowd, and votes "
        "alone cannot tell which; compare some of these items with answers you trust"
    )
