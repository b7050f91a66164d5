"""Sections 7.2 and 7.3 on trained models: other kinds of label, shifted images, and how sure the models are."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from scipy.stats import wasserstein_distance

from dissensus.datasets.catalogue import features, images
from dissensus.files.stored_results import compute_once
from dissensus.labels.content_hash import hash_arrays
from dissensus.labels.distances import entropy
from dissensus.labels.distributions import Distributions
from dissensus.papers.paper import Tell
from dissensus.papers.study_runs import load_model
from dissensus.papers.sucholutsky2023.sets import label_kinds
from dissensus.papers.sucholutsky2023.studies import NETWORKS
from dissensus.study.cells import read_predictions
from dissensus.study.description import read_folder
from dissensus.train.networks.catalogue import parameter_count

Shifts = Mapping[str, tuple[np.ndarray, np.ndarray]]  # inputs and class codes, by the name of the set
NEAR, FAR = "CIFAR-10 training images", "ImageNet at 32 pixels"
VERSION = 1  # of the rows
SMALLEST = 1e-12  # probability, so that a class without any costs much and not without bounds


def head_transfer(part: str, folder: Path, needs: Mapping[str, Path], tell: Tell) -> dict[str, Any]:
    near, far = features("cifar10-train-efficientnet"), features("imagenet32-efficientnet")
    assert near.gold is not None and far.gold is not None
    matched = np.flatnonzero(far.gold >= 0)
    shifts = {
        NEAR: (near.values.astype(np.float32), near.gold),
        FAR: (far.values[matched].astype(np.float32), far.gold[matched]),
    }
    return score_transfer(needs[part], shifts, folder, tell)


def network_transfer(part: str, near: int, folder: Path, needs: Mapping[str, Path], tell: Tell) -> dict[str, Any]:
    """Of the networks of a study.

    near  so many training images; 0: none, since all 50,000 have to be decoded for them
    """
    far = images("imagenet32", "validation", quiet=True)
    codes = far.items["cifar10"].to_numpy()
    matched = np.flatnonzero(codes >= 0)
    shifts = {FAR: (far.pixels[matched], codes[matched].astype(np.int64))}
    if near:
        train = images("cifar10", "train", quiet=True)
        shifts = {NEAR: (train.pixels[:near], train.labels[:near])} | shifts
    return score_transfer(needs[part], shifts, folder, tell)


def score_transfer(study: Path, shifts: Shifts, folder: Path, tell: Tell) -> dict[str, Any]:
    """One row for each cell: its settings, cross-entropy and accuracy on every kind of label and shifted set, entropy.

    Rows are stored one by one, so that a killed run resumes.
    """
    kinds = label_kinds()
    contents = {name: hash_arrays([labels.probs]) for name, labels in kinds.items()}
    sizes = {name: int(gold.size) for name, (_, gold) in shifts.items()}
    rows: list[Any] = []
    records = [record for record in read_folder(study).records if record["status"] == "done"]
    for count, record in enumerate(records):
        cell = record["cell"]
        inputs = {"cell": cell, "labels": contents, "shifts": sizes, "version": VERSION}
        compute = partial(_row, record, study / "cells" / cell, kinds, shifts)
        rows.append(compute_once(folder / "rows", cell, inputs, compute))
        tell((count + 1) / len(records))
    return {
        "rows": rows,
        "shifts": sizes,
        "label entropy": {kind: float(entropy(labels.probs).mean()) for kind, labels in kinds.items()},
    }


def _row(record: Mapping[str, Any], cell: Path, kinds: Mapping[str, Distributions], shifts: Shifts) -> dict[str, Any]:
    predicted = read_predictions(cell)
    at = predicted.items.astype(np.int64)
    learned = record["arm"]["data"]
    of_labels = entropy(kinds[learned].probs[at])
    of_model = entropy(predicted.probs)
    row = {
        "kind": learned,
        "network": record["arm"]["model"],
        "transforms": record["arm"].get("transforms"),
        "seed": record["seed"],
        "fold": record["fold"],
        "items": int(at.size),
        "learning_rate": record["arm"].get("learning_rate"),
        "labels": {kind: _scores(predicted.probs, labels.probs[at]) for kind, labels in kinds.items()},
        "entropy": float(of_model.mean()),
        "entropy of its labels": float(of_labels.mean()),
        "distance of entropies": float(wasserstein_distance(of_model, of_labels)),
    }
    model, truth = load_model(cell / "model.safetensors"), np.eye(predicted.n_classes)
    guesses = {name: np.asarray(model.probs(x), dtype=np.float64) for name, (x, _) in shifts.items()}
    row["shift"] = {name: _scores(guesses[name], truth[gold]) for name, (_, gold) in shifts.items()}
    return row


def _scores(probs: np.ndarray, targets: np.ndarray) -> dict[str, float]:
    """Mean cross-entropy to the targets in nats, and how often the likeliest class is theirs."""
    cross = -(targets * np.log(np.maximum(probs, SMALLEST))).sum(axis=1)
    right = probs.argmax(axis=1) == targets.argmax(axis=1)
    return {"cross-entropy": float(cross.mean()), "accuracy": float(right.mean())}


def parameters(folder: Path, needs: Mapping[str, Path], tell: Tell) -> dict[str, Any]:
    return {name: parameter_count(name) for name in NETWORKS}
