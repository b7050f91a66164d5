"""The prior behind every allocation: learned from votes of which some items got more than others."""

from __future__ import annotations

import numpy as np
from threadpoolctl import threadpool_limits

from dissensus.aggregate.priors.vote_prior import VotePrior, vote_prior


def fit_prior(counts: np.ndarray) -> VotePrior:
    """`vote_prior(counts)` on one thread.  (n, k)

    An allocation fits it dozens of times, each time to few numbers. Several threads of linear algebra then mostly wait
    for each other: on busy cores a replay took ten times as long, for the same result to the last bit.
    """
    with threadpool_limits(1):
        return vote_prior(counts)
