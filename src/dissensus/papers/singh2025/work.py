"""The protocol of the paper on one data set, and the numbers that its tables and figures show."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from dissensus.labels.distances import entropy, normalised_entropy
from dissensus.papers.paper import Scale, Tell
from dissensus.papers.singh2025.sets import SETS, FeaturedSet
from dissensus.train.heads.config import HeadConfig
from dissensus.train.singh import TARGETS, ProtocolResult, Split, singh_grid, singh_protocol

SEED = 2025  # of splits
READINGS = ("fixed", "drawn")  # a seed trains anew on the same split, or draws its own; the paper does not say
TOP = 0.1  # the most disputed share of the test items, for figure 5
SIZES: dict[Scale, dict[str, Any]] = {
    "quick": {"seeds": 5, "at_most": 300, "learning_rates": [1e-3], "batches": [16, 32], "epochs": [15]},
    "laptop": {"seeds": 10, "at_most": None},
    "full": {"seeds": 10, "at_most": None},
}


def grid_of(scale: Scale) -> tuple[HeadConfig, ...]:
    """The settings that are tried: all 108, or a few of them."""
    size = SIZES[scale]
    return tuple(
        config
        for config in singh_grid()
        if config.learning_rate in size.get("learning_rates", [config.learning_rate])
        and config.batch in size.get("batches", [config.batch])
        and config.epochs in size.get("epochs", [config.epochs])
    )


def numbers_of(name: str, scale: Scale, folder: Path, needs: Mapping[str, Path], tell: Tell) -> dict[str, Any]:
    """Everything that is read off later: label statistics, chosen settings, scores by seed, curves, entropies."""
    data = SETS[name](folder, SIZES[scale]["at_most"], lambda done, total: tell(0.5 * done / max(total, 1)))
    numbers: dict[str, Any] = {
        "items": int(data.x.shape[0]), "classes": int(data.probs.shape[1]), "encoder": data.encoder,
        "votes": float(data.votes.mean()), "entropy": float(normalised_entropy(data.probs).mean()),
        "entropy_sd": float(normalised_entropy(data.probs).std(ddof=1)),
    }  # fmt: skip
    for place, reading in enumerate(READINGS):

        def progress(done: int, total: int, place: int = place) -> None:
            tell(0.5 + (place + done / total) / 4)

        result = singh_protocol(
            data.x, data.probs, np.random.default_rng(SEED), grid=grid_of(scale),
            seeds=range(1, SIZES[scale]["seeds"] + 1), resplit=reading == "drawn", progress=progress,
        )  # fmt: skip
        numbers[reading] = _read_off(result, data, fixed=reading == "fixed")
    return numbers


def _read_off(result: ProtocolResult, data: FeaturedSet, fixed: bool) -> dict[str, Any]:
    scores = {t: {metric: values.tolist() for metric, values in result.scores[t].items()} for t in TARGETS}
    chosen = {row.pop("targets"): row for row in result.table_2()}
    best = {t: [head.epoch for head in result.heads[t]] for t in TARGETS}
    told: dict[str, Any] = {"scores": scores, "chosen": chosen, "best_epochs": best}
    if fixed:  # all seeds were tested on the same items
        split_rng = np.random.default_rng(SEED).spawn(1)[0]
        test = Split.drawn(data.x.shape[0], split_rng).test
        told["curves"] = {t: _mean_curve(result, t) for t in TARGETS}
        told["top_entropy"] = _entropies(result, data.x[test], data.probs[test])
    return told


def _mean_curve(result: ProtocolResult, targets: str) -> list[float]:
    """Mean validation loss over seeds after each epoch that all of them reached."""
    curves = [head.validation_losses for head in result.heads[targets]]
    shared = min(curve.size for curve in curves)
    return [float(loss) for loss in np.mean([curve[:shared] for curve in curves], axis=0)]


def _entropies(result: ProtocolResult, x: np.ndarray, people: np.ndarray) -> dict[str, Any]:
    """Mean entropy on the most disputed test items: of people, and of each seed's predictions."""
    rows = np.argsort(-entropy(people), kind="stable")[: max(1, round(TOP * people.shape[0]))]
    predicted = {t: [float(entropy(head.head.probs(x[rows])).mean()) for head in result.heads[t]] for t in TARGETS}
    return {"people": float(entropy(people[rows]).mean()), **predicted}
