"""Numbers of a run: the labels, and section 5; `observe_tuned` has sections 6 and 7."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from dissensus.papers.evidence import Candidate, Evidence, Number, Row, Runs, collect, name_runs
from dissensus.papers.paper import Results, Scale
from dissensus.papers.peterson2019.observe_tuned import attack_rows, mean_by_fold, tuning_rows
from dissensus.papers.peterson2019.shift import HELD
from dissensus.papers.peterson2019.studies import KINDS
from dissensus.papers.study_runs import gaps, runs_of
from dissensus.study.description import StudyFolder
from dissensus.study.summary.cell_table import cell_rows

LABELS = Candidate()
NETWORKS, HEADS = Candidate("networks", "last epoch"), Candidate("heads", "last epoch")  # nearest to the paper first
HOME, FAR = "CIFAR-10", "ImageNet-Far"
# Sets of figure 2, in the order of their distance, by the names of `sets.SHIFTED`; CINIC-10 may have a stand-in.
SETS = {
    HOME: ("cifar10",),
    "CIFAR-10.1 v6": ("v6",),
    "CIFAR-10.1 v4": ("v4",),
    "CINIC-10": ("cinic10", "imagenet"),
    FAR: ("far",),
}
SIGNS = {"accuracy": 1, "cross_entropy": -1}
PERCENT = ("accuracy", "second_best", "confidence_right", "confidence_wrong")
Models = Mapping[str, Any]  # model -> labels learned -> set of images -> score -> values by fold


def observe(results: Results, scale: Scale) -> Evidence:
    """Collect the numbers of all parts that were run."""
    numbers = results.numbers
    rows = [*_labels(numbers["labels"])] if "labels" in numbers else []
    for candidate, shifted, tuned in ((NETWORKS, "scratch-shift", "tuned"), (HEADS, "heads-shift", "tuned-heads")):
        if shifted in numbers:
            rows += generalisation_rows(candidate, numbers[shifted]["models"])
        if tuned in numbers:
            rows += tuning_rows(candidate, numbers[tuned])
    if "rates" in results.folders:
        rows += rate_rows(results.study("rates"))
    if "attacked" in numbers:
        rows += attack_rows(NETWORKS, numbers["attacked"]["networks"])
    return collect(rows)


def _labels(own: Mapping[str, Any]) -> Iterator[Row]:
    """Section 4, and the share of all entropy in the images of each class with the most."""
    values = {
        ("answers", "people"): own["votes"],
        ("answers", "per image"): own["votes"] / own["images"],
        ("answers", "fewest"): own["fewest"],
        ("answers", "most"): own["most"],
        ("images", "all"): own["images"],
        ("images", "fewest of a class"): min(own["by_class"]),
        ("images", "most of a class"): max(own["by_class"]),
        ("seen", "images"): own["images_each"][1],
        ("seen", "of a class"): own["of_a_class_each"][1],
    }
    for (metric, arm), value in values.items():
        yield LABELS, Number(metric, arm), {"all": float(value)}
    top = {name: 100 * share for name, share in own["top_30"].items()}
    yield LABELS, Number("entropy_share", "top 30%"), top
    yield LABELS, Number("entropy_share", "other images"), {name: 100 - share for name, share in top.items()}


def generalisation_rows(candidate: Candidate, models: Models) -> Iterator[Row]:
    """Figures 1 to 3 and section 5.2: means over models by fold, gains, and the least gain of all."""
    sets = _sets(models)
    for kind in KINDS:
        for where, on in sets.items():
            for score in SIGNS:
                yield candidate, Number(score, kind, where), _mean(models, kind, on, score)
        for where in ("", *sets):
            yield candidate, Number("accuracy_home", kind, where), _mean(models, kind, sets[HOME], "accuracy")
        for score in next(iter(models.values()))[kind][HELD]:
            if score not in SIGNS:
                yield candidate, Number(score, kind, HELD), _mean(models, kind, HELD, score)
    yield from _gains(candidate, models, sets)
    again = [entry["people again"] for entry in models.values()]
    yield candidate, Number("distance_agreeing", "people again", HELD), mean_by_fold(again)
    yield from _rates(candidate, models)


def _sets(models: Models) -> dict[str, str]:
    """Sets of figure 2 on which these models were scored, with the name that each has in the results."""
    scored = next(iter(models.values()))["soft"]
    chosen = {where: next((on for on in names if on in scored), None) for where, names in SETS.items()}
    return {where: on for where, on in chosen.items() if on is not None}


def _mean(models: Models, kind: str, on: str, score: str) -> Runs:
    return mean_by_fold([entry[kind][on][score] for entry in models.values()], 100 if score in PERCENT else 1)


def _gains(candidate: Candidate, models: Models, sets: Mapping[str, str]) -> Iterator[Row]:
    """Gains by human labels in points, in percent of the cross-entropy, and the least of all models and sets."""
    for where, on in sets.items():
        hard, soft = (_mean(models, kind, on, "accuracy") for kind in ("hard", "soft"))
        yield candidate, Number("accuracy_gain", "soft", where), gaps(soft, hard)
        hard, soft = (_mean(models, kind, on, "cross_entropy") for kind in ("hard", "soft"))
        cut = {run: 100 * (1 - soft[run] / hard[run]) for run in soft}
        yield candidate, Number("cross_entropy_cut", "soft", where), cut
    second = [_mean(models, kind, HELD, "second_best") for kind in ("soft", "hard")]
    yield candidate, Number("second_best_gain", "soft"), gaps(*second)
    for score, sign in SIGNS.items():
        each = [
            _gain(entry, on, score, sign * (100 if score in PERCENT else 1))
            for entry in models.values()
            for on in sets.values()
        ]
        yield candidate, Number(f"{score}_least_gain", "soft"), name_runs("fold", least_gain(each))
        if score == "accuracy":
            least = name_runs("fold", np.min(each, axis=0))
            yield candidate, Number("accuracy_least_gain", "soft", "in each fold"), least
    each = [_gain(entry, HELD, "second_best", 100) for entry in models.values()]
    yield candidate, Number("second_best_least_gain", "soft"), name_runs("fold", least_gain(each))


def least_gain(each: Sequence[np.ndarray]) -> np.ndarray:
    """Gains by fold of the case with the lowest mean.  several (folds,) -> (folds,)"""
    return min(each, key=lambda gains: float(np.nanmean(gains)))


def _gain(entry: Mapping[str, Any], on: str, score: str, factor: float) -> np.ndarray:
    soft, hard = (np.array(entry[kind][on][score], dtype=np.float64) for kind in ("soft", "hard"))
    return factor * (soft - hard)  # (folds,), NaN if a fold has no such score


def _rates(candidate: Candidate, models: Models) -> Iterator[Row]:
    """Cross-entropy to people of each learning rate, if several were tried."""
    rates = list(next(iter(models.values()))["rates"])
    if len(rates) > 1:
        for kind in KINDS:
            for rate in rates:
                losses = [entry["rates"][rate][kind] for entry in models.values()]
                yield candidate, Number("soft_nll_of_rate", rate, kind), mean_by_fold(losses)


def rate_rows(folder: StudyFolder) -> Iterator[Row]:
    """Cross-entropy to people by optimizer and learning rate: means over networks by fold."""
    models = {(row["optimizer"], row["learning_rate"]) for row in cell_rows(folder)}
    for optimizer, rate in sorted(models):
        arm = f"{rate:g}" if optimizer == "sgd" else f"Adam at {rate:g}"
        for kind in KINDS:
            losses = runs_of(folder, "soft_nll", by=("fold",), optimizer=optimizer, learning_rate=rate, data=kind)
            yield NETWORKS, Number("soft_nll_of_rate", arm, kind), losses
