"""Section 4: what CIFAR-10H is."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from dissensus.datasets.catalogue import load
from dissensus.labels.distances import entropy
from dissensus.labels.distributions import Distributions
from dissensus.labels.votes import Votes
from dissensus.papers.paper import Tell


def numbers_of(folder: Path, needs: Mapping[str, Path], tell: Tell) -> dict[str, Any]:
    """Counts of images, answers and people, and where the uncertainty is."""
    loaded = load("cifar10h")
    people = loaded.labels
    assert isinstance(people, Distributions) and people.votes is not None
    each = np.sort(entropy(people.probs))[::-1]
    reached = np.cumsum(each) / each.sum()
    return {
        "images": people.n_items,
        "votes": int(people.votes.sum()),
        "fewest": int(people.votes.min()),
        "most": int(people.votes.max()),
        "by_class": np.bincount(loaded.gold, minlength=10).tolist(),
        "top_30": float(reached[round(0.3 * each.size) - 1]),
        "share_for_90": float((np.searchsorted(reached, 0.9) + 1) / each.size),
    } | _annotators()


def _annotators() -> dict[str, Any]:
    """Those whose answers could be told apart, with the few that were left out of the counts."""
    everybody = load("cifar10h-annotators-all")
    votes = everybody.labels
    assert isinstance(votes, Votes) and votes.annotator is not None and votes.extra is not None
    assert votes.annotators is not None
    n = len(votes.annotators)
    counted = np.zeros(n, dtype=np.bool_)
    counted[votes.annotator[votes.extra["in_counts"].to_numpy(zero_copy_only=False)]] = True
    seen = np.zeros((n, 10), dtype=np.int64)  # images of each class that each annotator saw
    np.add.at(seen, (votes.annotator, everybody.gold[votes.item]), 1)
    return {
        "annotators": int(counted.size),
        "counted": int(counted.sum()),
        "images_each": [int(seen.sum(axis=1).min()), int(seen.sum(axis=1).max())],
        "of_a_class_each": [int(seen.min()), int(seen.max())],
        "as_said": float((seen == 20).all(axis=1).mean()),
    }
