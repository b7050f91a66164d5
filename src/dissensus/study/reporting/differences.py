"""Two studies side by side, as a document."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from typing import Any

from dissensus.report.document import Document, Section
from dissensus.report.numbers import format_count
from dissensus.report.tables import Column, Table
from dissensus.study.summary.differences import ABSENT, ArmDifference, StudyDiff

SHOWN = 20  # rows of a long table
FEW = 6  # seeds that are named in a cell
_SIDES = (Column("a", wraps=True), Column("b", wraps=True))


def describe_diff(result: StudyDiff) -> Document:
    """Make the document of two studies: whether they are the same, and everything that differs."""
    arms = () if result.same else result.arms
    tables = {
        "Spec": Table(["key", *_SIDES], [(key, _text(a), _text(b)) for key, (a, b) in result.spec.items()]),
        "Settings of cells": Table(
            ["setting", *_SIDES], [(key, _list_values(a), _list_values(b)) for key, (a, b) in result.settings.items()]
        ),
        "Cells only in a": Table(["cell", "arm and seed"], result.only_a, shown=SHOWN),
        "Cells only in b": Table(["cell", "arm and seed"], result.only_b, shown=SHOWN),
        "Cells that failed in one study": Table(["cell", *_SIDES], result.status, shown=SHOWN),
        "Scores that differ": Table(
            ["arm and seed", "metric", *_SIDES],
            [(words, metric, _text(a), _text(b)) for _, words, metric, a, b in result.changed],
            shown=SHOWN,
        ),
        "Arms in both, b - a": Table(
            ["arm", "metric", Column("a", ".4f"), Column("b", ".4f"), Column("b - a", "+.4f"), "n", ""],
            [_make_row(each) for each in arms],
            shown=SHOWN,
        ),
    }
    return Document(
        "Comparison of two studies",
        _answer(result),
        facts=[("a", result.names[0]), ("b", result.names[1]), ("cells in both", result.shared)],
        sections=[Section(title, [table]) for title, table in tables.items() if table.lines],
    )


def _answer(result: StudyDiff) -> str:
    cells = f"{format_count(result.shared, 'cell')} {'has' if result.shared == 1 else 'have'} the same settings"
    if result.same:
        return f"The studies are the same: {cells} and scores."
    if not result.shared:
        return "The studies differ: no cell with the same settings is done in both."
    if not result.changed:
        return f"The studies differ, but not in their scores: {cells} and identical scores."
    metric, most = max(result.largest.items(), key=lambda pair: pair[1])
    count = len({cell for cell, *_ in result.changed})
    largest = f"by {most:.3g}" if math.isfinite(most) else "which only one study has"
    return f"The studies differ: {cells}, and {count} of them have different scores (most of all {metric}, {largest})."


def _make_row(each: ArmDifference) -> Sequence[Any]:
    gap = each.difference
    if gap.n:
        only = (*each.only_a, *each.only_b)
        more = f" and {len(only) - FEW} more" if len(only) > FEW else ""
        remark = f"without {', '.join(only[:FEW])}{more}" if only else ""
    else:
        finite = math.isfinite(each.a) and math.isfinite(each.b)
        remark = "no seeds in common" if finite else "no finite mean in both"
    return each.arm, each.metric, each.a, each.b, gap.interval, gap.n, remark


def _list_values(values: list[Any]) -> str:
    return ", ".join(map(_text, values)) or ABSENT


def _text(value: Any) -> str:
    text = value if value == ABSENT else json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 60 else f"{text[:57]}…"
