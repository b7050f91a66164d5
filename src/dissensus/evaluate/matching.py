"""Items and classes of two sides matched by name, or refused with the names that do not match."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

import numpy as np

from dissensus.labels.distributions import Distributions
from dissensus.labels.names import positions_of

Missing = Literal["refuse", "leave out"]


def with_classes(predictions: Distributions, classes: tuple[str, ...]) -> Distributions:
    """The same predictions with their columns in the order of `classes`."""
    if predictions.classes == classes:
        return predictions
    only_model = [name for name in predictions.classes if name not in classes]
    only_people = [name for name in classes if name not in predictions.classes]
    if only_model or only_people:
        raise ValueError(
            f"the model's classes are {_listed(predictions.classes)}, people's {_listed(classes)}; only the model has "
            f"{_listed(only_model)}, only people have {_listed(only_people)}: name the classes of both alike"
        )
    order = positions_of(classes, predictions.classes)
    return Distributions(predictions.probs[:, order], predictions.items, classes, predictions.votes)


def matching_rows(
    items: np.ndarray, wanted: np.ndarray, missing: Missing = "refuse"
) -> tuple[np.ndarray, np.ndarray] | tuple[None, None]:
    """Where the wanted items stand among the items, and which of the wanted are there; None where both are the same.

    items: (n,), wanted: (m,) names -> rows (r,) in `items`, kept (r,) in `wanted`
    """
    if missing not in ("refuse", "leave out"):
        raise ValueError(f"no rule {missing!r} for missing items; there are 'refuse' and 'leave out'")
    if np.array_equal(items, wanted):
        return None, None
    rows = positions_of(wanted, items)
    kept = np.flatnonzero(rows >= 0)
    if not kept.size:
        raise ValueError(
            f"the model's items ({_listed(items.tolist())}) and people's ({_listed(wanted.tolist())}) share no name: "
            "if the rows are in the same order, give the predictions those names with items=..."
        )
    without_label = items[positions_of(items, wanted) < 0].tolist()
    without_prediction = wanted[rows < 0].tolist()
    if missing == "refuse" and (without_prediction or without_label):
        raise ValueError(
            f"{len(without_prediction)} items have labels and no prediction ({_listed(without_prediction)}), "
            f"{len(without_label)} a prediction and no labels ({_listed(without_label)}): select the shared items "
            "first, or score those with missing='leave out'"
        )
    return rows[kept], kept


def _listed(names: Sequence[Any]) -> str:
    if not len(names):
        return "none"
    shown = ", ".join(str(name) for name in names[:5])
    return shown if len(names) <= 5 else f"{shown} and {len(names) - 5} more"
