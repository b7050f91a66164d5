"""Section 7.1 and 7.2: what the labels are like, and how much they say about which images are alike."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

from dissensus.datasets.catalogue import features, load
from dissensus.labels.beliefs import Beliefs
from dissensus.labels.distances import entropy
from dissensus.labels.distributions import Distributions
from dissensus.labels.sampling import resample
from dissensus.labels.transforms import sparsify
from dissensus.papers.paper import Scale, Tell
from dissensus.papers.sucholutsky2023.own_data import has, read_similarity
from dissensus.papers.sucholutsky2023.sets import FILL, label_kinds, sparse_labels
from dissensus.plan.real_labels import informativeness

FEATURES = "cifar10-resnet50"
FEW_VOTES = (1, 2, 5, 10, 20)  # votes drawn for each image: labels with more and more errors
SIZES: dict[Scale, dict[str, int]] = {
    "quick": {"images": 60, "starts": 2},
    "laptop": {"images": 200, "starts": 5},
    "overnight": {"images": 200, "starts": 5},
    "full": {"images": 200, "starts": 10},
}


def label_numbers(folder: Path, needs: Mapping[str, Path], tell: Tell) -> dict[str, Any]:
    """How many judgments there are, how soft each kind is, and how much mass votes leave to other classes."""
    stated, kinds = load("cifar10s").labels, label_kinds()
    assert isinstance(stated, Beliefs)
    each = kinds["H"].votes
    assert each is not None
    dense = {"entropy of two dense classes": _entropy(sparsify(kinds["DS"], FILL))} if "DS" in kinds else {}
    return dense | {
        "votes": int(each.sum()),
        "votes of an image": [int(each.min()), float(each.mean()), int(each.max())],
        "responses": int(stated.item.size),
        "images with sparse labels": int(stated.n_items),
        "entropy of sparse labels": _entropy(sparse_labels()),
        "mass of other classes": float(1 - kinds["H"].probs.max(axis=1).mean()),
        "mass of other classes, all kinds": {name: float(1 - d.probs.max(axis=1).mean()) for name, d in kinds.items()},
        "entropy": {name: _entropy(labels) for name, labels in kinds.items()},
    }


def compare_information(scale: Scale, folder: Path, needs: Mapping[str, Path], tell: Tell) -> dict[str, Any]:
    """Measures of section 7.2 for each kind of label of the same images, for several starts of the embedding."""
    rows, alike, judged_by = _load_similarity(SIZES[scale]["images"])
    kinds = {name: labels.select(rows) for name, labels in label_kinds().items()}
    return measures(kinds, alike, SIZES[scale]["starts"], tell) | {"images": int(rows.size), "judged by": judged_by}


def measures(kinds: Mapping[str, Distributions], alike: np.ndarray, starts: int, tell: Tell) -> dict[str, Any]:
    """By kind and start; and of votes that were drawn from CIFAR-10H, the fewer the more wrong.

    alike: (n, n) similarity of the images
    """
    few = {f"{votes} votes": votes for votes in FEW_VOTES}
    work = [(name, start) for name in (*kinds, *few) for start in range(starts)]
    found: dict[str, dict[str, Any]] = {}
    for place, (name, start) in enumerate(work):
        rng, drawing = np.random.default_rng([2023, start]).spawn(2)
        labels = resample(kinds["H"], few[name], drawing) if name in few else kinds[name]
        found.setdefault(name, {})[f"start {start}"] = asdict(informativeness(labels, rng, alike))
        tell((place + 1) / len(work))
    return {"kinds": {name: found[name] for name in kinds}, "few votes": {name: found[name] for name in few}}


def _entropy(labels: Distributions) -> float:
    return float(entropy(labels.probs).mean())


def _load_similarity(images: int) -> tuple[np.ndarray, np.ndarray, str]:
    """Images and how alike they are: by people where a user has their judgments, by a network otherwise."""
    if has("similarity.npz"):
        rows, alike = read_similarity()
        return rows, alike, "people"
    sparse = sparse_labels().items.astype(np.int64)
    votes = label_kinds()["H"].probs[sparse]
    rows = sparse[np.argsort(-entropy(votes), kind="stable")[:images]]
    values = features(FEATURES).values[rows].astype(np.float64)
    values /= np.linalg.norm(values, axis=1, keepdims=True)
    return rows, values @ values.T, "the cosine of ResNet-50 features"
