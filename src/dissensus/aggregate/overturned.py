"""Items on which a model of annotators overturns the majority, and to which class."""

from __future__ import annotations

import numpy as np

from dissensus.labels.distributions import Distributions
from dissensus.labels.votes import Votes

ITEMS, ONE_WAY = 10, 0.8  # a departure is one-sided from this many items, with this share of them to one class


def departure(distributions: Distributions, votes: Votes, method: str) -> str | None:
    """Return a sentence on how many items a model moves away from the majority, and to which class; None without any.

    A model that takes everybody's answers for a habit overturns a whole crowd, always to the same class. Votes cannot
    show whether the model or the majority is right.
    """
    label, counts = distributions.probs.argmax(axis=1), votes.counts()
    departs = counts[np.arange(label.size), label] < counts.max(axis=1, initial=0)
    towards = np.bincount(label[departs], minlength=votes.n_classes)
    total, code = int(towards.sum()), int(towards.argmax())
    if total == 0:
        return None
    sentence = f"{method} departs from the majority on {total:,} of {label.size:,} items"
    if total < ITEMS:
        return sentence
    sentence += f", {towards[code] / total:.0%} of them to {votes.classes[code]!r}"
    if towards[code] < ONE_WAY * total:
        return sentence
    named = float(np.mean(votes.choice == code))
    return (
        f"{sentence}, a class with {named:.0%} of the answers; votes alone cannot show whether the model or the "
        "majority is right, so check some of these items against answers you trust"
    )
