"""A cell's predictions against people: every metric, over all items and over each slice."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from dissensus.evaluate.metrics import METRICS
from dissensus.evaluate.scores import confidence_columns, item_values, metrics_of
from dissensus.evaluate.slices import Slices, column_slices, entropy_bins, high_disagreement
from dissensus.study.data import StudyData
from dissensus.study.spec import SLICES, Evaluation


def scored(probs: np.ndarray, data: StudyData, test: np.ndarray, evaluation: Evaluation) -> dict[str, Any]:
    """What a record holds of a cell's predictions: `scores`, `slices` by what and by part, `columns` that these are by.

    A score that does not exist is None, as is an infinite one: JSON has no such numbers. How many items had an infinite
    soft NLL is among the scores.

    probs: (n, k) for the items at the positions `test`, (n,)
    """
    people, gold = data.people.probs[test], data.gold[test]
    values = item_values(probs, people, gold)
    scores = {name: float(np.nanmean(column)) for name, column in values.items() if not np.isnan(column).all()}
    scores |= {name: float(metric.function(probs, people)) for name, metric in metrics_of("set", gold)}
    for name, metric in metrics_of("confidence", gold):
        scores[name] = float(metric.function(*confidence_columns(probs, people, gold, metric.against)))
    return {
        "scores": {name: _finite(scores[name]) for name in METRICS if name in scores}
        | {"infinite_items": int(np.isinf(values["soft_nll"]).sum())},
        "slices": {name: _sliced(values, slices_by(name, data, test)) for name in evaluation.slices},
        "columns": columns_of(evaluation.slices, data),
    }


def columns_of(slices: Sequence[str], data: StudyData) -> dict[str, str]:
    """What tells the columns that slices are by from others of the same name: a cell's name knows nothing of them."""
    return {name: data.checksums[f"column {name}"] for name in slices if name not in SLICES and name in data.columns}


def slices_by(name: str, data: StudyData, test: np.ndarray) -> Slices:
    """The parts of the items judged on, by one of SLICES or a column of the data."""
    people = data.people.probs[test]
    if name == "disagreement":
        return high_disagreement(people)
    if name == "entropy":
        return entropy_bins(people)
    # Over all items first: which values there are must not hang on which items a seed has drawn.
    whole = column_slices(_values_by(name, data), name)
    return replace(whole, code=whole.code[test])


def _values_by(name: str, data: StudyData) -> Any:
    """A value for each item of the data, None where it has none."""
    if name in ("majority", "gold"):
        codes = data.people.probs.argmax(axis=1) if name == "majority" else data.gold
        if (codes < 0).all():
            raise ValueError(f"no item of {data.name} has gold, so there are no slices by it; leave it out")
        return [None if code < 0 else data.people.classes[code] for code in codes.tolist()]
    if name not in data.columns:
        raise ValueError(
            f"{data.name} has no column {name!r} to divide its items by; expected some of "
            f"{', '.join([*SLICES, *data.columns])}"
        )
    return data.columns[name]


def _sliced(values: dict[str, np.ndarray], slices: Slices) -> dict[str, dict[str, Any]]:
    parts: dict[str, dict[str, Any]] = {}
    for code, part in enumerate(slices.names):
        inside = slices.code == code
        if inside.any():
            means = {
                name: _finite(float(np.nanmean(column[inside])))
                for name, column in values.items()
                if not np.isnan(column[inside]).all()
            }
            parts[part] = {"items": int(inside.sum()), "scores": means}
    return parts


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None
