"""Section 4: counts of CIFAR-10H."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from dissensus.datasets.catalogue import load
from dissensus.datasets.cifar10 import CLASSES
from dissensus.labels.distances import entropy
from dissensus.labels.distributions import Distributions
from dissensus.labels.votes import Votes
from dissensus.papers.paper import Tell

VERSION = 2  # of the code that makes the numbers


def numbers_of(folder: Path, needs: Mapping[str, Path], tell: Tell) -> dict[str, Any]:
    """Counts of images, answers and people, and the distribution of entropy over images."""
    loaded = load("cifar10h")
    people = loaded.labels
    assert isinstance(people, Distributions) and people.votes is not None
    by_class = [entropy(people.probs[loaded.gold == code]) for code in range(10)]
    return {
        "images": people.n_items,
        "votes": int(people.votes.sum()),
        "fewest": int(people.votes.min()),
        "most": int(people.votes.max()),
        "by_class": np.bincount(loaded.gold, minlength=10).tolist(),
        "top_30": {CLASSES[code]: share_of_top(values, 0.3) for code, values in enumerate(by_class)},
    } | _annotators()


def share_of_top(values: np.ndarray, share: float) -> float:
    """The part of a sum that the largest values have: those of this share of the items."""
    return float(np.sort(values)[::-1][: round(share * values.size)].sum() / values.sum())


def _annotators() -> dict[str, Any]:
    """Counts by annotator, also of the few that are left out of the released counts."""
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
