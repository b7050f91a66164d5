"""The map of disagreement: items by their leading class and by how often two people differ."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from dissensus.elicit.dashboard.disputed import Items, item_row
from dissensus.elicit.survey_run import SurveyRun

CLASSES = 12  # rows of the map; with more classes, those that lead the fewest items share the last row
FEW = 400  # items up to which each has its own mark
NAMED = (12, 4)  # items listed per cell, if there are few items and if there are many


def disagreement_map(run: SurveyRun, items: Items, per_item: int) -> dict[str, Any]:
    """Count items by leading class and by `differ`, in tenths up to an even split, 1 - 1/k.

    The number of answers is not an axis, since draws keep it even. `enough` counts the items of a cell that have all
    the answers they need.
    """
    classes, n = run.survey.question.classes, len(items.unit)
    columns = max(1, math.ceil(round(10 * (1 - 1 / max(len(classes), 1)), 9)))
    led = np.bincount(items.leads, minlength=len(classes))
    most = np.argsort(-led, kind="stable")[: CLASSES - 1 if len(classes) > CLASSES else CLASSES]
    own = np.isin(np.arange(len(classes)), most)
    row = np.where(own[items.leads], items.leads, -1) if n else items.leads
    column = np.minimum((10 * items.differ + 1e-9).astype(np.int64), columns - 1)
    named = NAMED[n > FEW]
    cells = []
    for r, c in sorted(set(zip(row.tolist(), column.tolist(), strict=True))):
        members = np.flatnonzero((row == r) & (column == c))
        cells.append(
            {
                "class": classes[r] if r >= 0 else "",
                "column": c,
                "items": len(members),
                "enough": int((items.answers[members] >= per_item).sum()),
                "rows": [item_row(run, items, i) for i in members[:named].tolist()],
            }
        )
    return {
        "classes": [name for name, shown in zip(classes, own, strict=True) if shown],
        "others": int(len(classes) - own.sum()),
        "columns": columns,
        "cells": cells,
        "items": n,
        "marks": n <= FEW and all(cell["items"] <= named for cell in cells),
        "per_item": per_item,
        "agreed": int((items.differ < 1e-9).sum()),
        "split": int((items.probs.max(axis=1, initial=0.0) <= 0.5).sum()),
    }
