"""What the models of section 5 say of the images held out, and of sets further and further away."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from dissensus.datasets.dataset import LabelledItems
from dissensus.evaluate.choices import (
    accuracy_to_gold,
    accuracy_to_majority,
    confidence_when_right,
    confidence_when_wrong,
    second_best_accuracy,
)
from dissensus.evaluate.closeness import kl_to_people, soft_nll
from dissensus.files.stored_results import compute_once
from dissensus.labels.distributions import Distributions
from dissensus.labels.names import item_positions
from dissensus.papers.paper import Scale, Tell
from dissensus.papers.peterson2019.sets import Inputs, load_shifted_features, load_shifted_images, people_of
from dissensus.papers.peterson2019.sizes import SIZES
from dissensus.papers.peterson2019.studies import HEAD_IMAGES, KINDS
from dissensus.study.cells import read_predictions
from dissensus.study.description import read_folder

CHOSEN_RATE = 0.1  # the rate that the paper found best for all; the others are judged on the images held out alone
VERSION = 1  # of what is computed here
Load = Callable[[Path], Any]


def of_networks(scale: Scale, folder: Path, needs: Mapping[str, Path], tell: Tell) -> dict[str, Any]:
    """The networks of the part `scratch`."""
    from dissensus.train.network_files import load_network
    from dissensus.train.preparing import choose_device

    device = choose_device(SIZES[scale].training["device"])

    def load(path: Path) -> Any:
        network = load_network(path)
        network.module.to(device)
        return network

    names = {sized.network: name for name, sized in SIZES[scale].networks.items()}
    sets = load_shifted_images(SIZES[scale].shifted)
    return {"models": judge_models(needs["scratch"], folder, load, sets, people_of(SIZES[scale].images), names, tell)}


def of_heads(scale: Scale, folder: Path, needs: Mapping[str, Path], tell: Tell) -> dict[str, Any]:
    """The heads of the part `heads`."""
    from dissensus.train.heads.model_files import load_head

    names = {"linear": "linear head", "mlp": "head with a hidden layer"}
    people = people_of(HEAD_IMAGES[scale])
    return {"models": judge_models(needs["heads"], folder, load_head, load_shifted_features(), people, names, tell)}


def judge_models(
    study: Path,
    folder: Path,
    load: Load,
    sets: Mapping[str, Inputs],
    people: LabelledItems,
    names: Mapping[str, str],
    tell: Tell,
) -> dict[str, Any]:
    """model -> kind of labels -> what it is judged on -> score -> one number for each fold; and for other rates."""
    records = read_folder(study).records
    sizes = {name: len(inputs.classes) for name, inputs in sets.items()}
    folds = sorted({record["fold"] for record in records})
    models: dict[str, Any] = {name: {"rates": {}} for name in names.values()}
    guesses: dict[tuple[str, str, int], Distributions] = {}
    for place, record in enumerate(records):
        arm, fold = record["arm"], record["fold"]
        model, kind, rate = names[arm["model"]], arm["data"], arm["learning_rate"]
        cell = study / "cells" / record["cell"]
        held = read_predictions(cell)
        rates = models[model]["rates"].setdefault(str(rate), {name: [None] * len(folds) for name in KINDS})
        rates[kind][fold] = _on_held_out(held, people)["soft_nll"]
        if rate == CHOSEN_RATE or "hidden" in arm or arm["model"] == "linear":
            guesses[model, kind, fold] = held
            inputs = {"cell": record["cell"], "sets": sizes, "version": VERSION}
            judge = partial(_everywhere, cell, load, sets, held, people)
            scores = compute_once(folder / "scores", record["cell"], inputs, judge)
            for on, values in scores.items():
                for score, value in values.items():
                    models[model].setdefault(kind, {}).setdefault(on, {}).setdefault(score, [None] * len(folds))
                    models[model][kind][on][score][fold] = value
        tell((place + 1) / len(records))
    for model in models:
        models[model]["same choice"] = {kind: [None] * len(folds) for kind in KINDS}
        for fold in folds:
            pair = [guesses[model, kind, fold] for kind in KINDS]
            for kind, value in zip(KINDS, _where_all_choose_alike(pair, people), strict=True):
                models[model]["same choice"][kind][fold] = value
    return models


def _everywhere(
    cell: Path, load: Load, sets: Mapping[str, Inputs], held: Distributions, people: LabelledItems
) -> dict[str, dict[str, float | None]]:
    model = load(cell / "model.safetensors")
    return {"held out": _on_held_out(held, people)} | {
        name: against_classes(model.probs(inputs.x), inputs.classes) for name, inputs in sets.items()
    }


def _on_held_out(held: Distributions, people: LabelledItems) -> dict[str, float | None]:
    """Against the class of the data set, and against people."""
    assert isinstance(people.labels, Distributions)
    rows = item_positions(held.items, people.labels.items)
    guess, truth = held.probs, people.labels.probs[rows]
    scores = {
        "soft_nll": soft_nll,
        "kl": kl_to_people,
        "second_best": second_best_accuracy,
        "confidence_right": confidence_when_right,
        "confidence_wrong": confidence_when_wrong,
    }
    means = {name: _mean(score(guess, truth)) for name, score in scores.items()}
    return against_classes(guess, people.gold[rows]) | means


def _mean(values: np.ndarray) -> float | None:
    """Over the items that have the score; None where none has."""
    known = values[~np.isnan(values)]
    return float(known.mean()) if known.size else None


def against_classes(guess: np.ndarray, classes: np.ndarray) -> dict[str, float | None]:
    """Accuracy and cross-entropy in nats.  guess: (n, k); classes: (n,) codes"""
    codes = np.asarray(classes, dtype=np.int64)
    truth = np.eye(guess.shape[1])[codes]
    return {
        "accuracy": float(accuracy_to_gold(guess, codes).mean()),
        "cross_entropy": float(soft_nll(guess, truth).mean()),
    }


def _where_all_choose_alike(pair: list[Distributions], people: LabelledItems) -> list[float | None]:
    """KL to people of both models where both choose people's most frequent class."""
    assert isinstance(people.labels, Distributions)
    truth = people.labels.probs[item_positions(pair[0].items, people.labels.items)]
    alike = np.all([accuracy_to_majority(guess.probs, truth) > 0 for guess in pair], axis=0)
    if not alike.any():
        return [None, None]
    return [float(kl_to_people(guess.probs[alike], truth[alike]).mean()) for guess in pair]
