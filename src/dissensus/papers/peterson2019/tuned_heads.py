"""Section 6 with heads on frozen features: pretrained on classes, and fine-tuned by every method of table 1."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from dissensus.datasets.catalogue import features
from dissensus.datasets.cifar10 import CLASSES
from dissensus.deliver.fixed import soft
from dissensus.files.stored_results import compute_once
from dissensus.labels.distributions import Distributions
from dissensus.papers.paper import Scale, Tell
from dissensus.papers.peterson2019.material import SEED, classes_of
from dissensus.papers.peterson2019.sets import people_of
from dissensus.papers.peterson2019.sizes import HEAD_BATCH, HEAD_SIZES, HeadSizes
from dissensus.papers.peterson2019.studies import HEADS
from dissensus.papers.peterson2019.tuned import rows_of, scores_of
from dissensus.train.heads.config import HeadConfig
from dissensus.train.heads.head import Head
from dissensus.train.heads.training import train_heads
from dissensus.train.splits import split_folds

VERSION = 1  # of the code that makes the numbers
Scores = dict[str, dict[str, dict[str, dict[str, float]]]]  # head -> method -> rate -> score


def numbers_of(scale: Scale, folder: Path, needs: Mapping[str, Path], tell: Tell) -> dict[str, Any]:
    """Table 1 for both heads, in the form that `tuned` has for networks."""
    size, people, known = HEAD_SIZES[scale], people_of(HEAD_SIZES[scale].images), features("cifar10-efficientnet")
    assert isinstance(people.labels, Distributions)
    x = known.values[people.labels.items.astype(int)].astype(np.float32)
    train = features("cifar10-train-efficientnet")
    assert train.gold is not None
    start = pretrain(train.values.astype(np.float32), train.gold, size)
    folds = []
    for fold, (train_rows, held) in enumerate(split_folds(len(x), size.folds, SEED)[: size.tuning_folds]):
        tune = partial(tune_heads, start, x, people.labels.probs, people.gold, train_rows, held, size)
        folds.append(compute_once(folder / "folds", f"fold-{fold}", settings_of(scale) | {"fold": fold}, tune))
        tell((fold + 1) / size.tuning_folds)
    return {"networks": collect_folds(folds), "labels_shown": size.tuning_epochs}


def settings_of(scale: Scale) -> dict[str, Any]:
    return asdict(HEAD_SIZES[scale]) | {"version": VERSION, "seed": SEED, "batch": HEAD_BATCH}


def pretrain(x: np.ndarray, classes: np.ndarray, size: HeadSizes) -> dict[str, Head]:
    """Train each head on classes.  x: (n, d); classes: (n,) codes"""
    configs = [_config(kind, size.epochs, 0.001) for kind in HEADS]
    trained = train_heads(x, soft(classes_of(classes)), configs)
    return {kind: each.head for kind, each in zip(HEADS, trained, strict=True)}


def tune_heads(
    start: Mapping[str, Head],
    x: np.ndarray,
    people: np.ndarray,
    gold: np.ndarray,
    train: np.ndarray,
    held: np.ndarray,
    size: HeadSizes,
) -> Scores:
    """Scores of a fold on its held-out images, before fine-tuning ("pretrained") and after each method.

    x: (n, d) features; people: (n, 10); gold: (n,) codes; train, held: positions
    """
    shares = Distributions(people[train], train, CLASSES)
    deliveries = {name: make(shares, gold[train]) for name, make in rows_of(size.alphas).items()}
    configs = [
        _config(kind, size.tuning_epochs, rate, targets)
        for kind in start
        for targets in deliveries
        for rate in size.tuning_rates
    ]
    layers = [start[config.kind].layers for config in configs]
    trained = train_heads(x[train], deliveries, configs, start=layers)
    scores: Scores = {
        kind: {"pretrained": {"": scores_of(head.probs(x[held]), people[held], gold[held])}}
        for kind, head in start.items()
    }
    for config, each in zip(configs, trained, strict=True):
        guess = each.head.probs(x[held])
        by_rate = scores[config.kind].setdefault(config.targets, {})
        by_rate[f"{config.learning_rate:g}"] = scores_of(guess, people[held], gold[held])
    return scores


def collect_folds(folds: Sequence[Scores]) -> dict[str, Any]:
    """Lists of scores by fold: head -> "pretrained" or "tuned" -> method -> rate -> score -> list."""
    heads: dict[str, Any] = {}
    for kind, methods in folds[0].items():
        lists = {
            method: {
                rate: {score: [fold[kind][method][rate][score] for fold in folds] for score in scores}
                for rate, scores in rates.items()
            }
            for method, rates in methods.items()
        }
        heads[kind] = {"pretrained": lists.pop("pretrained")[""], "tuned": lists}
    return heads


def _config(kind: str, epochs: int, rate: float, targets: str = "soft") -> HeadConfig:
    return HeadConfig(
        kind=kind,
        learning_rate=rate,
        batch=HEAD_BATCH,
        epochs=epochs,
        patience=None,
        keep="last",
        targets=targets,
        seed=SEED,
    )
