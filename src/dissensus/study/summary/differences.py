"""Two studies side by side: keys of their specs that differ, cells that only one has, and scores that differ."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from dissensus.evaluate.metrics import METRICS
from dissensus.evaluate.statistics import mean_interval
from dissensus.labels.as_json import as_json
from dissensus.study.cells import canonical
from dissensus.study.description import StudyFolder
from dissensus.study.summary.arms import Arm, arms_of
from dissensus.study.summary.paired import score_of
from dissensus.study.summary.units import Measured, measure, units_of

_NOT_SPEC = ("cells", "text")  # of a description: what follows from the rest
ABSENT = "(absent)"


@dataclass(frozen=True)
class ArmDifference:
    """An arm that both studies have by name, by one metric: b - a, paired where they share seeds.

    only_a, only_b  seeds, or folds, that only one of them has a score for
    """

    arm: str
    metric: str
    a: float
    b: float
    difference: Measured
    only_a: tuple[str, ...]
    only_b: tuple[str, ...]


@dataclass(frozen=True)
class StudyDiff:
    """How study b differs from study a.

    spec        keys of the two descriptions that differ, as (in a, in b); "(absent)" where one does not have it
    settings    keys of the settings of cells whose values differ, with the values of each side
    shared      cells with the same settings, done in both
    only_a, only_b   cells that are done in one of them only, as (cell, arm and seed)
    status      cells with the same settings that are done in one and failed in the other, with both
    changed     shared cells with a score that differs: cell, what it is of, metric, a, b
    largest     the largest difference of a score of shared cells by metric; 0 for all is the same bit for bit
    arms        arms of the same name in both, metric by metric
    """

    names: tuple[str, str]
    spec: dict[str, tuple[Any, Any]]
    settings: dict[str, tuple[list[Any], list[Any]]]
    shared: int
    only_a: tuple[tuple[str, str], ...]
    only_b: tuple[tuple[str, str], ...]
    status: tuple[tuple[str, str, str], ...]
    changed: tuple[tuple[str, str, str, float | None, float | None], ...]
    largest: dict[str, float]
    arms: tuple[ArmDifference, ...]

    @property
    def same(self) -> bool:
        """Whether specs, cells and scores are all the same."""
        return not (self.spec or self.settings or self.only_a or self.only_b or self.status or self.changed)

    def as_json(self) -> dict[str, Any]:
        """Plain values for JSON; NaN is None."""
        cells = {"shared": self.shared, "only_a": [c for c, _ in self.only_a], "only_b": [c for c, _ in self.only_b]}
        fields = ("cell", "of", "metric", "a", "b")
        return {
            "a": self.names[0],
            "b": self.names[1],
            "same": self.same,
            "spec": {key: {"a": a, "b": b} for key, (a, b) in self.spec.items()},
            "settings": {key: {"a": a, "b": b} for key, (a, b) in self.settings.items()},
            "cells": cells,
            "status": [{"cell": cell, "a": a, "b": b} for cell, a, b in self.status],
            "changed": [dict(zip(fields, row, strict=True)) for row in self.changed],
            "largest": as_json(self.largest),
            "arms": [
                {
                    "arm": each.arm,
                    "metric": each.metric,
                    "mean_a": as_json(each.a),
                    "mean_b": as_json(each.b),
                    "difference": each.difference.as_json(),
                    "only_a": list(each.only_a),
                    "only_b": list(each.only_b),
                }
                for each in self.arms
            ],
        }


def diff(a: StudyFolder, b: StudyFolder) -> StudyDiff:
    """Compare two studies; `reporting.differences.describe_diff` makes a page of it.

    Cells are the same if their settings are the same. Arms are matched by their settings, else by name, since a study
    with fewer varying settings has shorter names.

    Parameters
    ----------
    a, b : by `read_folder`

    Returns
    -------
    StudyDiff

    Examples
    --------
    >>> labels = Distributions.from_counts([[2, 1], [0, 3]] * 10)
    >>> data = {"labels": labels, "features": np.tile(np.eye(2), (10, 1))}
    >>> study = study_of({"data": data, "model": {"head": "logistic", "penalty": 1}, "seeds": 2})
    >>> ran = run_study(study, "runs", say=lambda notice: None)
    >>> diff(read_folder("runs"), read_folder("runs")).same
    True
    """
    cells_a, cells_b = _by_settings(a), _by_settings(b)
    both = [key for key in cells_a if key in cells_b]
    done = [key for key in both if cells_a[key]["status"] == cells_b[key]["status"] == "done"]
    status = [
        (cells_a[key]["cell"], cells_a[key]["status"], cells_b[key]["status"])
        for key in both
        if cells_a[key]["status"] != cells_b[key]["status"]
    ]
    changed, largest = _changes([(cells_a[key], cells_b[key]) for key in done])
    return StudyDiff(
        names=(a.description["name"], b.description["name"]),
        spec=_spec(a.description, b.description),
        settings=_settings(a, b),
        shared=len(done),
        only_a=_only(cells_a, cells_b),
        only_b=_only(cells_b, cells_a),
        status=tuple(status),
        changed=tuple(changed),
        largest=largest,
        arms=tuple(_arms(a, b)),
    )


def _by_settings(folder: StudyFolder) -> dict[str, dict[str, Any]]:
    return {canonical(record["settings"]): record for record in folder.records}


def _only(mine: Mapping[str, dict[str, Any]], others: Mapping[str, Any]) -> tuple[tuple[str, str], ...]:
    return tuple((record["cell"], _word_record(record)) for key, record in mine.items() if key not in others)


def _word_record(record: Mapping[str, Any]) -> str:
    arm, fold = record["arm"], "" if record["fold"] is None else f", fold {record['fold']}"
    return f"{arm['data']}, {arm['votes']} votes, {arm['delivery']}, {arm['model']}, seed {record['seed']}{fold}"


def _spec(a: Mapping[str, Any], b: Mapping[str, Any]) -> dict[str, tuple[Any, Any]]:
    flat_a, flat_b = (dict(_flat({k: v for k, v in each.items() if k not in _NOT_SPEC})) for each in (a, b))
    keys = dict.fromkeys([*flat_a, *flat_b])
    pairs = {key: (flat_a.get(key, ABSENT), flat_b.get(key, ABSENT)) for key in keys}
    return {key: pair for key, pair in pairs.items() if pair[0] != pair[1]}


def _settings(a: StudyFolder, b: StudyFolder) -> dict[str, tuple[list[Any], list[Any]]]:
    """Values that settings of cells have in one study and not in the other; seeds and folds are seen by cells."""
    sides: list[dict[str, dict[str, Any]]] = []
    for folder in (a, b):
        values: dict[str, dict[str, Any]] = {}
        for record in folder.records:
            for key, value in _flat({k: v for k, v in record["settings"].items() if k not in ("seed", "fold")}):
                values.setdefault(key, {})[json.dumps(value, sort_keys=True)] = value
        sides.append(values)
    keys = dict.fromkeys([*sides[0], *sides[1]])
    pairs = {key: tuple(side.get(key, {}) for side in sides) for key in keys}
    return {
        key: (list(mine.values()), list(theirs.values()))
        for key, (mine, theirs) in pairs.items()
        if mine.keys() != theirs.keys()
    }


def _flat(values: Mapping[str, Any], path: str = "") -> list[tuple[str, Any]]:
    rows: list[tuple[str, Any]] = []
    for key, value in values.items():
        inner = f"{path}.{key}" if path else str(key)
        rows += _flat(value, inner) if isinstance(value, Mapping) and value else [(inner, value)]
    return rows


def _changes(
    pairs: list[tuple[dict[str, Any], dict[str, Any]]],
) -> tuple[list[tuple[str, str, str, float | None, float | None]], dict[str, float]]:
    changed, largest = [], dict.fromkeys(METRICS, 0.0)
    seen = set()
    for mine, theirs in pairs:
        for metric in METRICS:
            a, b = mine["scores"].get(metric), theirs["scores"].get(metric)
            seen |= {metric} if a is not None or b is not None else set()
            if a != b:
                changed.append((mine["cell"], _word_record(mine), metric, a, b))
                apart = float("inf") if a is None or b is None else abs(a - b)
                largest[metric] = max(largest[metric], apart)
    return changed, {metric: value for metric, value in largest.items() if metric in seen}


def _arms(a: StudyFolder, b: StudyFolder) -> list[ArmDifference]:
    metrics = [m for m in a.description["evaluation"]["metrics"] if m in b.description["evaluation"]["metrics"]]
    units_a, units_b = units_of(a.description), units_of(b.description)
    rows = []
    for mine, theirs in _match_arms(arms_of(a.records), arms_of(b.records)):
        for metric in metrics:
            x, y = measure(mine.done, units_a, score_of(metric)), measure(theirs.done, units_b, score_of(metric))
            both = [u for u in x.values if u in y.values] if units_a.kind == units_b.kind else []
            gaps = {unit: y.values[unit] - x.values[unit] for unit in both}
            rows.append(
                ArmDifference(
                    mine.name,
                    metric,
                    x.interval.value,
                    y.interval.value,
                    Measured(gaps, (), mean_interval(list(gaps.values()))),
                    tuple(u for u in x.values if u not in both),
                    tuple(u for u in y.values if u not in both),
                )
            )
    return rows


def _match_arms(mine: tuple[Arm, ...], theirs: tuple[Arm, ...]) -> list[tuple[Arm, Arm]]:
    by_settings = {canonical(arm.settings): arm for arm in theirs}
    by_name = {arm.name: arm for arm in theirs}
    pairs = [(arm, by_settings.get(canonical(arm.settings)) or by_name.get(arm.name)) for arm in mine]
    return [(arm, other) for arm, other in pairs if other is not None]
