"""Cross-entropy, calibration, accuracy and loss under attack of every cell, on both evaluation sets."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from dissensus.evaluate.calibration import confidence_and_outcome, rmse_calibration
from dissensus.evaluate.closeness import soft_nll
from dissensus.files.stored_results import compute_once
from dissensus.labels.distributions import Distributions
from dissensus.labels.names import item_positions
from dissensus.papers.collins2022.arms import kind_of
from dissensus.papers.collins2022.images import images
from dissensus.papers.collins2022.labels import Pool, pool
from dissensus.papers.collins2022.studies import SIZES
from dissensus.papers.paper import Scale, Tell
from dissensus.study.cells import read_predictions
from dissensus.study.description import read_folder

EPSILON = 4  # of 255
SETS = ("10h", "10s")
METRICS = ("ce", "calibration", "fgsm")
PGD_KINDS = ("hard", "h aggregated", "s aggregated", "h", "s")  # labels whose networks are attacked by PGD as well
# Images of CIFAR-10H under attack.
ATTACKED: dict[Scale, int | None] = {"quick": 200, "laptop": 1_000, "overnight": 1_000, "full": None}
Scores = dict[str, dict[str, dict[str, dict[str, dict[str, float]]]]]  # kind, model, seed, set, metric


def numbers_of(
    models: str, parts: Sequence[tuple[str, str]], scale: Scale, folder: Path, needs: Mapping[str, Path], tell: Tell
) -> dict[str, Any]:
    """Scores of every cell, by kind of labels, model and seed.

    parts  (part, study) of the cells that are read
    """
    made = pool(SIZES[scale][models]["others"])
    cells = [
        (study, needs[part] / "cells" / record["cell"], record)
        for part, study in parts
        for record in read_folder(needs[part]).records
    ]
    scores: Scores = {}
    for place, (study, cell, record) in enumerate(cells):
        tell(place / len(cells))
        kind = kind_of(study, record["arm"])
        of_model = scores.setdefault(kind, {}).setdefault(record["arm"]["model"], {})
        scored = evaluate_cell(read_predictions(cell), made)
        if models != "heads":
            for method in ("fgsm", "pgd") if kind in PGD_KINDS else ("fgsm",):
                inputs = {"cell": record["cell"], "images": ATTACKED[scale], "epsilon": EPSILON}
                attacked = compute_once(
                    folder / ("attacks" if method == "fgsm" else method),
                    record["cell"],
                    inputs,
                    partial(_attack_cell, cell, made, scale, SIZES[scale][models]["side"], method),
                )
                scored = {name: scored[name] | {method: attacked[name]} for name in scored}
        of_model[str(record["seed"])] = scored
    return {"scores": scores}


def evaluate_cell(predicted: Distributions, made: Pool) -> dict[str, dict[str, float]]:
    """Cross-entropy, calibration and accuracy on each evaluation set.

    Right is the class that people find most probable. Bins hold 100 images, so the 100 of CIFAR-10S are one bin.
    """
    rows = item_positions(predicted.items, made.items)
    people, set_ = made.people[rows], made.set_[rows]
    scores = {}
    for name in SETS:
        inside = set_ == name
        probs, truth = predicted.probs[inside], people[inside]
        confidence, right = confidence_and_outcome(probs, truth, against="majority")
        scores[name] = {
            "ce": float(soft_nll(probs, truth).mean()),
            "calibration": rmse_calibration(confidence, right),
            "accuracy": float(np.mean(right)),
        }
    return scores


def _attack_cell(cell: Path, made: Pool, scale: Scale, side: int, method: str) -> dict[str, float]:
    """Mean cross-entropy to people's labels after an attack, which raises the same loss."""
    from dissensus.probe.robustness import attack  # torch is loaded where it is needed
    from dissensus.train.network_files import load_network

    network = load_network(cell / "model.safetensors")
    pictures = images(side)
    losses = {}
    for name in SETS:
        rows = np.flatnonzero(made.set_ == name)[: ATTACKED[scale] if name == "10h" else None]
        people = Distributions(probs=made.people[rows], items=made.items[rows], classes=made.classes)
        result = attack(network, pictures.select(made.items[rows]), people, method, epsilons=EPSILON, target="soft")
        losses[name] = float(result.after[EPSILON].soft_nll.mean())
    return losses


def choices_of(parts: Mapping[str, str], folder: Path, needs: Mapping[str, Path], tell: Tell) -> dict[str, Any]:
    """Validation losses for each gamma, each beta and each learning rate, in the same order of models and seeds.

    parts  by what they choose: "gamma", "smoothing", "rates"
    """
    made: dict[str, Any] = {}
    for what, part in parts.items():
        losses: dict[str, Any] = {}
        for record in read_folder(needs[part]).records:
            arm, loss = record["arm"], record["scores"]["soft_nll"]
            if what == "rates":
                losses.setdefault(arm["model"], {}).setdefault(f"{arm['learning_rate']:g}", []).append(loss)
            else:
                value = arm["data"].split()[1] if what == "gamma" else _amount(arm["delivery"])
                losses.setdefault(value, []).append(loss)
        made[what] = losses
    return made


def _amount(delivery: str) -> str:
    return f"{float(delivery.partition('=')[2] or 0):g}"
