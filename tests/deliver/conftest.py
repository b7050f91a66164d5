"""Labels that the tests of deliveries share."""

from __future__ import annotations

import numpy as np
import pytest

from dissensus.aggregate.priors.shrinkage import Shrinkage, shrinkage
from dissensus.labels.votes import Votes

CLASSES = ("cat", "dog", "cow", "owl")


@pytest.fixture(scope="session")
def votes() -> Votes:
    """60 items with 1 to 9 votes each over four classes, listed in no order."""
    rng = np.random.default_rng(0)
    item = np.concatenate([np.arange(60), rng.integers(0, 60, 200)])
    choice = np.minimum(rng.integers(0, 4, 260), item % 4 + 1).astype(np.int32) % 4
    return Votes(item=item, items=np.arange(60) + 100, classes=CLASSES, choice=choice)


@pytest.fixture(scope="session")
def fit(votes) -> Shrinkage:
    """What the votes leave open about each item."""
    return shrinkage(votes)
