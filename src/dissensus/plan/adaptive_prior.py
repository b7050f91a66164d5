"""The prior of every allocation, fitted to unequal numbers of votes per item."""

from __future__ import annotations

import numpy as np
from threadpoolctl import threadpool_limits

from dissensus.aggregate.priors.vote_prior import VotePrior, vote_prior


def fit_prior(counts: np.ndarray) -> VotePrior:
    """Fit `vote_prior(counts)` on one thread.  (n, k)

    An allocation fits it dozens of times to few numbers, and several threads would mostly wait for each other.
    """
    with threadpool_limits(1):
        return vote_prior(counts)
