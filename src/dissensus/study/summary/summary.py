"""The results of a study: means with intervals, differences from the baseline, slices, curves, and remarks."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from dissensus.evaluate.metrics import METRICS
from dissensus.evaluate.slices import in_order
from dissensus.labels.as_json import as_json
from dissensus.labels.display import shapes
from dissensus.study.description import StudyFolder
from dissensus.study.summary.arms import Arm, arms_of, shared_settings
from dissensus.study.summary.cell_table import cell_rows
from dissensus.study.summary.paired import ROUNDING, PairedDifference, differences_of, score_of
from dissensus.study.summary.probe_numbers import probe_numbers
from dissensus.study.summary.remarks import remarks_on
from dissensus.study.summary.units import (
    Measured,
    Read,
    Record,
    Units,
    describe_intervals,
    measure,
    repeats,
    units_of,
    without_interval,
)

Table = dict[str, dict[str, Measured]]  # by arm, by metric or other number


@dataclass(frozen=True)
class SlicePart:
    """One part of the test items: their mean number per training, and each arm's scores on them.

    part  its name, after that of the data set where there are several; `scores` then has the arms on that one
    """

    by: str
    part: str
    items: float
    scores: Table


@dataclass(frozen=True, eq=False)
class Curve:
    """A number of the trainings of an arm after each epoch, up to the epoch that all of them reached.

    mean, low, high: (epochs,) mean, least and largest over the trainings
    longest          epochs of the longest training
    """

    arm: str
    mean: np.ndarray
    low: np.ndarray
    high: np.ndarray
    trainings: int
    longest: int

    __repr__ = shapes


@dataclass(frozen=True, eq=False)
class Summary:
    """The results of a study; `remarks` lists everything that is left out, missing, failed or doubtful.

    Attributes
    ----------
    description : of the study, as its folder has it
    units : the repetitions of a mean; `interval_of` describes their intervals
    metrics : that the study shows, in its order
    shared : settings that all arms share
    scores : means by arm and metric; `probes` the same for the numbers of probes
    best : pairs of arm and metric with the best mean among arms on the same data, significant or not
    cells : one flat row each, as by `cell_rows`

    Examples
    --------
    >>> labels = Distributions.from_counts([[2, 1], [0, 3]] * 10)
    >>> data = {"labels": labels, "features": np.tile(np.eye(2), (10, 1))}
    >>> study = study_of({"data": data, "model": {"head": "logistic", "penalty": 1}, "seeds": 2})
    >>> ran = run_study(study, "runs", say=lambda notice: None)
    >>> summary = summarise_study(read_folder("runs"))
    >>> summary.arms[0].name
    'soft · logistic'
    """

    description: dict[str, Any]
    units: Units
    interval_of: str
    metrics: tuple[str, ...]
    arms: tuple[Arm, ...]
    shared: dict[str, Any]
    scores: Table
    best: frozenset[tuple[str, str]]
    differences: tuple[PairedDifference, ...]
    slices: tuple[SlicePart, ...]
    curves: dict[str, list[Curve]]
    probes: Table
    cells: list[dict[str, Any]]
    missing: int
    others: int
    remarks: tuple[str, ...]

    __repr__ = shapes

    @property
    def failures(self) -> list[Record]:
        """Records of the cells that failed."""
        return [record for arm in self.arms for record in arm.records if record["status"] == "failed"]

    def difference(self, arm: str, metric: str) -> PairedDifference | None:
        """The difference of an arm from its baseline; None for a baseline, and if it could not be computed."""
        return next((d for d in self.differences if (d.arm, d.metric) == (arm, metric)), None)

    def as_json(self) -> dict[str, Any]:
        """Plain values for JSON; NaN is None."""
        return {
            "name": self.description["name"],
            "question": self.description["question"],
            "unit": self.units.kind,
            "interval_of": self.interval_of,
            "shared": self.shared,
            "arms": {
                arm.name: {key: value for key, value in arm.settings.items() if key not in self.shared}
                for arm in self.arms
            },
            "scores": as_json(self.scores),
            "best": sorted(map(list, self.best)),
            "differences": as_json(self.differences),
            "slices": [
                {"by": s.by, "part": s.part, "items": s.items, "scores": as_json(s.scores)} for s in self.slices
            ],
            "probes": as_json(self.probes),
            "cells": len(self.cells),
            "missing": self.missing,
            "others": self.others,
            "failures": {record["cell"]: record["error"] for record in self.failures},
            "remarks": list(self.remarks),
        }


def summarise_study(folder: StudyFolder) -> Summary:
    """Summarise the cells of a study.

    A mean is over seeds: the folds of a seed are averaged first, weighted by their test items. An arm is compared with
    the arm that has the baseline's values and the same other settings, paired by seed.

    Parameters
    ----------
    folder : by `read_folder`

    Returns
    -------
    Summary

    Examples
    --------
    >>> labels = Distributions.from_counts([[2, 1], [0, 3]] * 10)
    >>> data = {"labels": labels, "features": np.tile(np.eye(2), (10, 1))}
    >>> study = study_of({"data": data, "model": {"head": "logistic", "penalty": 1}, "seeds": 2})
    >>> ran = run_study(study, "runs", say=lambda notice: None)
    >>> summary = summarise_study(read_folder("runs"))
    >>> round(summary.scores["soft · logistic"]["accuracy"].interval.value, 2)
    1.0
    """
    description = folder.description
    arms, units = arms_of(folder.records), units_of(description)
    metrics = tuple(description["evaluation"]["metrics"])
    scores = {arm.name: {metric: _score(arm, metric, units) for metric in metrics} for arm in arms}
    differences, not_compared = differences_of(arms, metrics, description)
    return Summary(
        description=description,
        units=units,
        interval_of=describe_intervals(units, description),
        metrics=metrics,
        arms=arms,
        shared=shared_settings([arm.settings for arm in arms]),
        scores=scores,
        best=best_of(arms, scores, metrics),
        differences=tuple(differences),
        slices=_slices(arms, units, metrics),
        curves=_curves(arms),
        probes=probe_numbers(arms, units),
        cells=cell_rows(folder),
        missing=folder.missing,
        others=folder.others,
        remarks=(*remarks_on(folder, arms, units, scores, differences), *not_compared),
    )


def _score(arm: Arm, metric: str, units: Units) -> Measured:
    """A mean over units; without an interval if all are the same training."""
    each = measure(arm.done, units, score_of(metric))
    return replace(each, interval=without_interval(each.interval)) if repeats(arm.done) else each


def best_of(arms: Sequence[Arm], scores: Table, metrics: Sequence[str]) -> frozenset[tuple[str, str]]:
    """The arms with the best mean by each metric whose direction is known, among arms on the same data."""
    best = set()
    for metric in metrics:
        better = METRICS[metric].better
        for data in {arm.settings["data"] for arm in arms}:
            means = {name: scores[name][metric].interval.value for name in rivals_of(data, metric, arms, scores)}
            if better != "neither" and len(means) > 1:
                top = (max if better == "higher" else min)(means.values())
                best |= {(name, metric) for name, mean in means.items() if math.isclose(mean, top, rel_tol=ROUNDING)}
    return frozenset(best)


def rivals_of(data: str, metric: str, arms: Sequence[Arm], scores: Table) -> list[str]:
    """The arms on some data whose means are comparable: those with all seeds that any of them has."""
    known = {arm.name: scores[arm.name][metric] for arm in arms if arm.settings["data"] == data}
    known = {name: each for name, each in known.items() if not math.isnan(each.interval.value)}
    seen = {unit for each in known.values() for unit in each.values}
    return [name for name, each in known.items() if each.values.keys() == seen]


def _slices(arms: Sequence[Arm], units: Units, metrics: Sequence[str]) -> tuple[SlicePart, ...]:
    """The parts by each slicing, by number where they are numbers, else in the order in which records have them; those
    of each data set by themselves."""
    names = dict.fromkeys(str(arm.settings["data"]) for arm in arms)
    slices = []
    for data in names:
        own = [arm for arm in arms if str(arm.settings["data"]) == data]
        done = [record for arm in own for record in arm.done]
        parts: dict[str, dict[str, None]] = {}
        for record in done:
            for by, each in record["slices"].items():
                parts.setdefault(by, {}).update(dict.fromkeys(each))
        for by, part in ((by, part) for by, each in parts.items() for part in in_order(each)):
            inside = [record["slices"][by][part] for record in done if part in record["slices"].get(by, {})]
            shown = [metric for metric in metrics if any(metric in each["scores"] for each in inside)]
            scores = {
                arm.name: {metric: measure(arm.done, units, _slice_score(by, part, metric)) for metric in shown}
                for arm in own
            }
            name = f"{data} · {part}" if len(names) > 1 else part
            slices.append(SlicePart(by, name, float(np.mean([each["items"] for each in inside])), scores))
    return tuple(slices)


def _slice_score(by: str, part: str, metric: str) -> Read:
    def read(record: Record) -> tuple[float | None, float] | None:
        inside = record["slices"].get(by, {}).get(part)
        return None if inside is None or metric not in inside["scores"] else (inside["scores"][metric], inside["items"])

    return read


def _curves(arms: Sequence[Arm]) -> dict[str, list[Curve]]:
    """Every list of numbers that trainings recorded epoch by epoch, by its name."""
    names = dict.fromkeys(
        name
        for arm in arms
        for record in arm.done
        for name, values in record["training"].items()
        if isinstance(values, list) and values
    )
    curves: dict[str, list[Curve]] = {}
    for name in names:
        for arm in arms:
            runs = [_numbers(record["training"][name]) for record in arm.done if record["training"].get(name)]
            if runs:
                rows = np.stack([run[: min(map(len, runs))] for run in runs])  # (trainings, epochs)
                curves.setdefault(name, []).append(
                    Curve(
                        arm.name, rows.mean(axis=0), rows.min(axis=0), rows.max(axis=0), len(runs), max(map(len, runs))
                    )
                )
    return curves


def _numbers(values: Sequence[float | None]) -> np.ndarray:
    return np.array([np.nan if value is None else value for value in values], dtype=np.float64)
