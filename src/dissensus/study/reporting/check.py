"""The size of a study before it runs, as a document."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from dissensus.report.document import Document, Section, Text
from dissensus.report.numbers import format_count, format_duration, format_size
from dissensus.report.tables import Column, Table, Value
from dissensus.study.check_study import StudyCheck
from dissensus.study.estimate import Estimate
from dissensus.study.reporting.words import format_setting


def describe_check(check: StudyCheck) -> Document:
    """Make the document of a valid study: its cells, the time they take, its axes, and tests without power."""
    size = f"The study is valid: {format_count(check.arms, 'arm')}, {format_count(check.cells, 'cell')}."
    data = [(name, counts["items"], counts["classes"]) for name, counts in check.data.items()]
    axes = [(key, len(values), _list_values(key, values)) for key, values in check.axes.items()]
    remarks = [Text(f"{check.power[0].upper()}{check.power[1:]}.")] if check.power else []
    counts: list[tuple[str, Value]] = [("done", check.there), ("failed", check.failed), ("left", check.left)]
    return Document(
        check.name,
        f"{size} {_describe_work(check)}".strip(),
        facts=counts if check.there or check.failed else [],
        sections=[
            Section("", remarks),
            Section("Data", [Table(["data", "items", "classes"], data)]),
            Section("Axes", [Table(["axis", "count", Column("values", wraps=True)], axes)]),
        ],
    )


def _describe_work(check: StudyCheck) -> str:
    if not check.left:
        return "A run has nothing left to do."
    return "" if check.estimate is None else _describe_estimate(check.left, check.estimate)


def _describe_estimate(left: int, estimate: Estimate) -> str:
    by = "" if estimate.workers == 1 else f" in {estimate.workers} processes"
    some = f" of {estimate.models}" if estimate.timed < estimate.models else ""
    cells = f"{format_count(left, 'cell')} {'takes' if left == 1 else 'take'}"
    return (
        f"{cells} about {format_duration(estimate.seconds)}{by} and {format_size(estimate.size)} on disk, estimated by "
        f"timing {estimate.timed}{some} model{'' if estimate.models == 1 else 's'}."
    )


def _list_values(key: str, values: Sequence[Any]) -> str:
    in_a_row = key in ("seed", "fold") and len(values) > 2 and list(values) == [*range(values[0], values[-1] + 1)]
    return f"{values[0]} to {values[-1]}" if in_a_row else ", ".join(map(format_setting, values))
