"""What a run measured: label statistics, scores by model and seed, validation losses, spread under attack."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from dissensus.papers.collins2022.arms import KINDS
from dissensus.papers.collins2022.scores import METRICS, PGD_KINDS, SETS
from dissensus.papers.collins2022.studies import SIZES, choice_studies, parts_with_scores
from dissensus.papers.evidence import Candidate, Evidence, Number, Row, collect, name_runs
from dissensus.papers.paper import Results, Scale
from dissensus.papers.strength import SHOWN

Scores = Mapping[str, Mapping[str, Mapping[str, Mapping[str, Mapping[str, float]]]]]  # kind, model, seed, set, metric
SCORED = (*METRICS, "accuracy")
CHOICES = {"gamma": "gamma", "smoothing": "beta"}


def observe(results: Results, scale: Scale) -> Evidence:
    """Collect the numbers of all parts that were run; networks decide if they are strong enough, otherwise heads."""
    numbers = results.numbers
    rows = [*label_rows(numbers["labels"])] if "labels" in numbers else []
    for models in reversed(SIZES[scale]):  # networks, as in the paper, before heads
        rows += rows_of_shown(Candidate(models), SIZES[scale][models]["epochs"])
        scores = {
            kind: own
            for part in parts_with_scores(models)
            if part in numbers
            for kind, own in numbers[part]["scores"].items()
        }
        rows += [*score_rows(Candidate(models), scores), *_spread(Candidate(models), scores)]
    if "choices" in numbers:
        rows += choice_rows(Candidate(choice_studies(scale)[0][1]), numbers["choices"])
    return collect(rows)


def label_rows(own: Mapping[str, Any]) -> Iterator[Row]:
    """Numbers of the release: once each, by batch of images, or by image."""
    for metric, arms in own["once"].items():
        for arm, value in arms.items():
            yield Candidate(), Number(metric, arm), {"all": float(value)}
    for metric, arms in own["batches"].items():
        unit = "image" if metric == "automobile" else "batch"
        for arm, values in arms.items():
            yield Candidate(), Number(metric, arm), name_runs(unit, values)


def rows_of_shown(candidate: Candidate, epochs: int) -> Iterator[Row]:
    """Labels per image that kinds shown one at a time have shown by the last epoch: one in each."""
    for name, kind in KINDS.items():
        if kind.arm["delivery"] == "deaggregated":
            for set_ in SETS:
                yield candidate, Number(SHOWN, name, set_), {"all": float(epochs)}


def score_rows(candidate: Candidate, scores: Scores) -> Iterator[Row]:
    """Scores by run, a model with a seed, as in the paper: five seeds of each of three networks."""
    for kind in scores:
        for set_ in SETS:
            for metric in SCORED:
                runs = runs_of(scores, kind, set_, metric)
                if runs:
                    yield candidate, Number(metric, kind, set_), runs


def _spread(candidate: Candidate, scores: Scores) -> Iterator[Row]:
    """Coefficient of variation over runs of the loss under each attack, by kind of labels."""
    for attack in ("fgsm", "pgd"):
        losses = {kind: [*runs_of(scores, kind, "10h", attack).values()] for kind in PGD_KINDS if kind in scores}
        spread = {kind: float(np.std(own, ddof=1) / np.mean(own)) for kind, own in losses.items() if len(own) > 1}
        if spread:
            yield candidate, Number("spread", attack, "10h"), spread


def choice_rows(candidate: Candidate, losses: Mapping[str, Any]) -> Iterator[Row]:
    """Validation losses by tried value; those of learning rates are of one network each."""
    for what, name in CHOICES.items():
        for value, runs in losses[what].items():
            yield candidate, Number("validation_loss", f"{name} {value}"), name_runs("run", runs)
    for network, rates in losses.get("rates", {}).items():
        for value, runs in rates.items():
            yield candidate, Number("validation_loss", f"rate {value}", network), name_runs("run", runs)


def runs_of(scores: Scores, kind: str, set_: str, metric: str) -> dict[str, float]:
    """A score of a kind of labels by model and seed; empty if it was not measured."""
    return {
        f"{model} seed {seed}": sets[set_][metric]
        for model, seeds in scores.get(kind, {}).items()
        for seed, sets in seeds.items()
        if metric in sets[set_]
    }
