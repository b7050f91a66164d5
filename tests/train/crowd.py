"""A small crowd whose opinions depend on features, for the tests of heads and of their verbs."""

from __future__ import annotations

import numpy as np

from dissensus import Distributions, Votes
from dissensus.train.heads.features import FeatureTable
from dissensus.train.model import softmax

CLASSES = ("a", "b", "c")


def crowd(n=200, d=4, votes=8, seed=0):
    """Features, votes on the same items, and the probabilities the votes were drawn from."""
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(n, d)).astype(np.float32)
    probs = softmax(2 * x @ rng.normal(size=(d, 3)))
    shares = Distributions.from_counts(
        rng.multinomial(votes, probs), items=[f"i{row}" for row in range(n)], classes=CLASSES
    )
    return FeatureTable(x, shares.items), Votes.of_counts(shares), probs
