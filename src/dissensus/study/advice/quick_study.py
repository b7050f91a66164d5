"""Evidence from a model: a quick cross-validated study of training labels and deliveries compared."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from dissensus.datasets.dataset import LabelledItems
from dissensus.files.notices import to_stderr
from dissensus.labels.as_json import as_json
from dissensus.labels.beliefs import Beliefs
from dissensus.labels.shares import Labels
from dissensus.study.advice.candidates import partial
from dissensus.study.advice.ladder import Ladder, climb
from dissensus.study.data import Say
from dissensus.study.description import read_folder
from dissensus.study.read_spec import study_of
from dissensus.study.run import Report, run_study
from dissensus.study.spec import LabelRecipe
from dissensus.train.heads.features import FeatureTable

FOLDS = 5
METRICS = ("soft_nll", "brier", "accuracy", "entropy_pearson")
QUESTION = "Which labels and which delivery give the best model on held-out items?"


@dataclass(frozen=True)
class QuickStudy:
    """The result of a study of training methods.

    values  the study with the keys of its file, as it was run
    ladder  choice by soft NLL over folds and seeds
    scores  by arm and metric: mean over folds and seeds; None where it does not exist
    failed  why some arms are not in it
    """

    values: Mapping[str, Any]
    ladder: Ladder
    scores: dict[str, dict[str, float | None]]
    failed: dict[str, str]

    def as_json(self) -> dict[str, Any]:
        return {
            "folds": FOLDS,
            "seeds": self.values["seeds"],
            "scores": self.scores,
            "choice": self.ladder.as_json(),
            "failed": self.failed,
        }


def study_values(
    labels: Labels | LabelledItems,
    features: FeatureTable,
    ways: Mapping[str, tuple[LabelRecipe, str]],
    name: str,
    *,
    seeds: int = 3,
) -> dict[str, Any]:
    """The study of some arms with the keys that a file has; labels and features as values.

    Every item is tested once per seed. Partial beliefs are evaluated by first choices, since a completion cannot
    judge completions.
    """
    pairs = {(recipe, delivery) for recipe, delivery in ways.values()}
    recipes = list(dict.fromkeys(recipe for recipe, _ in ways.values()))
    deliveries = list(dict.fromkeys(delivery for _, delivery in ways.values()))
    axes = {key: list(dict.fromkeys(getattr(recipe, key) or "none" for recipe in recipes)) for key in _RECIPE}
    data: dict[str, Any] = {"labels": labels, "features": features}
    answers = labels.labels if isinstance(labels, LabelledItems) else labels
    if isinstance(answers, Beliefs) and partial(answers):
        data["people"] = answers.first_choices()
    return {
        "name": f"advice on {name}",
        "question": QUESTION,
        "seeds": seeds,
        "delivery": deliveries,
        "data": {name: data},
        "labels": {key: values for key, values in axes.items() if values != ["none"]},
        "model": {"head": "linear", "standardise": True, "epochs": 30},
        "split": {"scheme": "k-fold", "folds": FOLDS, "validation": 0.15},
        "evaluate": {"metrics": list(METRICS)},
        "compare": {"baseline": _keys(*next(iter(ways.values()))), "test": "corrected-t", "family": "metric"},
        "skip": _make_skips(axes, deliveries, pairs),
    }


def run_quick_study(
    values: Mapping[str, Any],
    ways: Mapping[str, tuple[LabelRecipe, str]],
    folder: Path,
    *,
    jobs: int | None = None,
    progress: Report = lambda progress: None,
    say: Say = to_stderr,
) -> QuickStudy:
    """Run the study in its folder, or what is missing of it, and choose among its arms."""
    study = study_of(values)
    run_study(study, folder, jobs=jobs, progress=progress, say=say)
    records = read_folder(folder).records
    losses: dict[str, np.ndarray] = {}
    scores: dict[str, dict[str, float | None]] = {}
    failed: dict[str, str] = {}
    fold = np.array([])
    for name, (recipe, delivery) in ways.items():
        wanted = _keys(recipe, delivery)
        own = [record for record in records if all(record["arm"][key] == value for key, value in wanted.items())]
        own.sort(key=lambda record: (record["seed"], record["fold"]))
        broken = [record["error"] for record in own if record["status"] == "failed"]
        if broken or not own:
            failed[name] = broken[0] if broken else "it was not run"
            continue
        losses[name] = np.array([_number(record, "soft_nll", np.inf) for record in own])
        fold = np.array([record["fold"] for record in own])
        columns = {metric: np.array([_number(record, metric, np.nan) for record in own]) for metric in METRICS}
        scores[name] = as_json({metric: column.mean() for metric, column in columns.items()})
    if not losses:
        raise ValueError(f"no arm of the study could be trained; the first says: {next(iter(failed.values()))}")
    return QuickStudy(values, climb(losses, fold, overlap=1 / (FOLDS - 1)), scores, failed)


_RECIPE = ("completion", "aggregation", "transforms")


def _keys(recipe: LabelRecipe, delivery: str) -> dict[str, str]:
    """An arm as a record and a rule name it."""
    return {key: getattr(recipe, key) or "none" for key in _RECIPE} | {"delivery": delivery}


def _make_skips(axes: Mapping[str, list[str]], deliveries: list[str], pairs: set[tuple[LabelRecipe, str]]) -> list[Any]:
    """Rules for what the grid has beyond the arms: by recipe, the deliveries it is not delivered by."""
    rules: list[Any] = []
    for completion in axes["completion"]:
        for aggregation in axes["aggregation"]:
            for transforms in axes["transforms"]:
                named = {"completion": completion, "aggregation": aggregation, "transforms": transforms}
                recipe = LabelRecipe(
                    completion=None if completion == "none" else completion,
                    aggregation=None if aggregation == "none" else aggregation,
                    transforms="" if transforms == "none" else transforms,
                )
                unwanted = [delivery for delivery in deliveries if (recipe, delivery) not in pairs]
                if not unwanted:
                    continue
                rule: dict[str, Any] = {key: named[key] for key in _RECIPE if len(axes[key]) > 1}
                rules.append(rule if len(unwanted) == len(deliveries) else rule | {"delivery": unwanted})
    return rules


def _number(record: Mapping[str, Any], metric: str, missing: float) -> float:
    value = record["scores"].get(metric)
    return missing if value is None else float(value)
