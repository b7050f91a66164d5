"""A small world whose truth is known: 120 items with four features, of which the first three say what people answer."""

from __future__ import annotations

from typing import Any

import numpy as np

from dissensus.labels.votes import Votes
from dissensus.study import Study, study_of
from dissensus.train.heads import FeatureTable

N, CLASSES, ANSWERS = 120, ("cat", "dog", "fox"), 6


def answers(seed: int = 0) -> tuple[Votes, FeatureTable]:
    """Six votes for each item, drawn from a softmax of its features."""
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(N, 4))
    truth = np.exp(2 * x[:, :3])
    truth /= truth.sum(axis=1, keepdims=True)
    names = [f"i{place}" for place in range(N)]
    item = np.repeat(np.arange(N), ANSWERS)
    choice = (rng.random((item.size, 1)) > truth.cumsum(axis=1)[item]).sum(axis=1)
    votes = Votes(
        item=item,
        items=names,
        choice=np.minimum(choice, 2),
        classes=CLASSES,
        annotator=np.tile(np.arange(ANSWERS), N),
        annotators=[f"a{who}" for who in range(ANSWERS)],
    )
    return votes, FeatureTable(x.astype(np.float32), names)


def small_study(**changes: Any) -> Study:
    """Two deliveries to a small head, with two seeds."""
    votes, features = answers()
    values: dict[str, Any] = {
        "name": "small",
        "seeds": 2,
        "delivery": ["soft", "majority"],
        "data": {"world": {"labels": votes, "features": features}},
        "model": {"head": "mlp", "epochs": 3, "hidden": 8},
    }
    return study_of(values | changes)
