"""Scores of the models of section 5 on held-out images and on sets further and further away."""

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
from dissensus.papers.peterson2019.sets import DRAW, Inputs, load_shifted_features, load_shifted_images, people_of
from dissensus.papers.peterson2019.sizes import HEAD_SIZES, SIZES
from dissensus.papers.peterson2019.studies import KINDS
from dissensus.study.cells import read_predictions
from dissensus.study.description import read_folder

HELD = "held out"
CHOSEN_RATE = 0.1  # the paper's best rate; the other rates are scored on held-out images only
VERSION = 2  # of the code that makes the numbers
Load = Callable[[Path], Any]


def of_networks(scale: Scale, folder: Path, needs: Mapping[str, Path], tell: Tell) -> dict[str, Any]:
    from dissensus.train.network_files import load_network
    from dissensus.train.preparing import choose_device

    device = choose_device(SIZES[scale].training["device"])

    def load(path: Path) -> Any:
        network = load_network(path)
        network.module.to(device)
        return network

    names = {sized.key: name for name, sized in SIZES[scale].networks.items()}
    sets = load_shifted_images(SIZES[scale].shifted)
    return {"models": judge_models(needs["scratch"], folder, load, sets, people_of(SIZES[scale].images), names, tell)}


def of_heads(scale: Scale, folder: Path, needs: Mapping[str, Path], tell: Tell) -> dict[str, Any]:
    from dissensus.train.heads.model_files import load_head

    names: dict[tuple[str, int | None], str] = {
        ("linear", None): "linear head",
        ("mlp", None): "head with a hidden layer",
    }
    people = people_of(HEAD_SIZES[scale].images)
    return {"models": judge_models(needs["heads"], folder, load_head, load_shifted_features(), people, names, tell)}


def judge_models(
    study: Path,
    folder: Path,
    load: Load,
    sets: Mapping[str, Inputs],
    people: LabelledItems,
    names: Mapping[tuple[str, int | None], str],
    tell: Tell,
) -> dict[str, Any]:
    """model -> labels learned -> set of images -> score -> one number per fold; and the losses of all rates.

    names  of models, by the name that a cell has and its width
    """
    records = read_folder(study).records
    tried = {record["arm"]["learning_rate"] for record in records}
    chosen = CHOSEN_RATE if CHOSEN_RATE in tried else max(tried)
    sizes = {name: len(inputs.classes) for name, inputs in sets.items()}
    folds = sorted({record["fold"] for record in records})
    models: dict[str, Any] = {name: {"rates": {}} for name in names.values()}
    guesses: dict[tuple[str, str, int], Distributions] = {}
    for place, record in enumerate(records):
        arm, fold = record["arm"], record["fold"]
        model, kind, rate = names[arm["model"], arm.get("width")], arm["data"], arm["learning_rate"]
        cell = study / "cells" / record["cell"]
        held = read_predictions(cell)
        rates = models[model]["rates"].setdefault(str(rate), {name: [None] * len(folds) for name in KINDS})
        rates[kind][fold] = _on_held_out(held, people)["soft_nll"]
        if rate == chosen:
            guesses[model, kind, fold] = held
            inputs = {"cell": record["cell"], "sets": sizes, "version": VERSION}
            judge = partial(_everywhere, cell, load, sets, held, people)
            scores = compute_once(folder / "scores", record["cell"], inputs, judge)
            for on, values in scores.items():
                for score, value in values.items():
                    models[model].setdefault(kind, {}).setdefault(on, {}).setdefault(score, [None] * len(folds))
                    models[model][kind][on][score][fold] = value
        tell((place + 1) / len(records))
    for model, entry in models.items():
        pairs = [[guesses[model, kind, fold] for kind in KINDS] for fold in folds]
        alike = [compare_agreeing(pair, people) for pair in pairs]
        for kind in KINDS:
            entry[kind][HELD] |= {score: [fold[kind][score] for fold in alike] for score in alike[0][kind]}
        entry["people again"] = [fold["people again"]["distance_agreeing"] for fold in alike]
    return models


def _everywhere(
    cell: Path, load: Load, sets: Mapping[str, Inputs], held: Distributions, people: LabelledItems
) -> dict[str, dict[str, float | None]]:
    model = load(cell / "model.safetensors")
    return {HELD: _on_held_out(held, people)} | {
        name: against_classes(model.probs(inputs.x), inputs.classes) for name, inputs in sets.items()
    }


def _on_held_out(held: Distributions, people: LabelledItems) -> dict[str, float | None]:
    """Compare with the class of the data set and with people."""
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
    """Mean over the items that have the score; None if none has."""
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


def compare_agreeing(pair: list[Distributions], people: LabelledItems) -> dict[str, dict[str, float | None]]:
    """Distances to people on images where a model chooses people's most frequent class.

    kl_agreeing        KL to people where all models of the pair choose that class
    distance_agreeing  half of the absolute differences over the other classes, where the model chooses that class; of
                       "people again", those of as many answers drawn from people's shares, on the images of "hard"
    """
    assert isinstance(people.labels, Distributions) and people.labels.votes is not None
    rows = item_positions(pair[0].items, people.labels.items)
    truth, votes = people.labels.probs[rows], people.labels.votes[rows]
    agree = {kind: accuracy_to_majority(guess.probs, truth) > 0 for kind, guess in zip(KINDS, pair, strict=True)}
    both = np.logical_and(*agree.values())
    scores = {
        kind: {
            "kl_agreeing": _mean(kl_to_people(guess.probs[both], truth[both])),
            "distance_agreeing": _mean(_rest_distance(guess.probs, truth)[agree[kind]]),
        }
        for kind, guess in zip(KINDS, pair, strict=True)
    }
    drawn = np.random.default_rng(DRAW).multinomial(votes.astype(np.int64), truth) / votes[:, None]  # (n, k)
    return scores | {"people again": {"distance_agreeing": _mean(_rest_distance(drawn, truth)[agree["hard"]])}}


def _rest_distance(guess: np.ndarray, truth: np.ndarray) -> np.ndarray:
    """Half of the absolute differences over all classes but people's most frequent one.  (n, k) -> (n,)"""
    apart = np.abs(guess - truth)
    return (apart.sum(axis=1) - apart[np.arange(len(truth)), truth.argmax(axis=1)]) / 2
