"""The export formats of annotation tools and crowd releases, by name, and how to tell them apart.

    parsed = EXPORTS["label-studio"].parse(records, "export.json", "sentiment")
    parsed.table                                     # one row per answer: item, annotator, label, seconds, ...
    records = EXPORTS["prodigy"].render(parsed.table)

A new format is a module in `tools` that ends with its Export, and one entry below.
"""

from __future__ import annotations

import json
import math
from dataclasses import replace
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from dissensus.files.tables.several import find_joined_name
from dissensus.files.tables.to_labels import METADATA
from dissensus.files.tools import argilla, doccano, label_studio, lewidi, potato, prodigy, tfds_cifar10h, varierr
from dissensus.files.tools.export import Export, Parsed
from dissensus.labels.frames import ROLES

EXPORTS: dict[str, Export] = {
    "label-studio": label_studio.EXPORT,
    "potato": potato.EXPORT,
    "prodigy": prodigy.EXPORT,
    "doccano": doccano.EXPORT,
    "argilla": argilla.EXPORT,
    "lewidi": lewidi.EXPORT,
    "varierr": varierr.EXPORT,
    "tfds-cifar10h": tfds_cifar10h.EXPORT,
}


def recognise(records: Any) -> str | None:
    """The one format these records are in, judged by the first of them; None if none or several fit."""
    by_item = isinstance(records, dict)
    values = list(records.values()) if isinstance(records, dict) else records if isinstance(records, list) else []
    first = next(iter(values), None)
    if not isinstance(first, dict):
        return None
    fitting = [tool.name for tool in EXPORTS.values() if tool.by_item == by_item and tool.recognises(first)]
    return fitting[0] if len(fitting) == 1 else None


def recognise_table(columns: list[str]) -> str | None:
    """The one format whose records the rows of a CSV or TSV file with these columns are; None if there is none."""
    name = recognise([dict.fromkeys(columns)])
    return name if name is not None and EXPORTS[name].in_tables else None


def recognise_rows(table: pa.Table) -> str | None:
    """The one format whose records the rows of a Parquet or Arrow file or a frame are; None if there is none."""
    if METADATA in (table.schema.metadata or {}) or not any(pa.types.is_nested(field.type) for field in table.schema):
        return None  # a table of ours, or one without the lists that records of a tool have
    name = recognise(table.slice(0, 1).to_pylist())
    return name if name is not None and EXPORTS[name].in_columns else None


def parse_export(tool: str, records: Any, source: str, question: str | None) -> Parsed:
    """The answers in a tool's records; a class named "a|b" is one, since the tool itself says what was ticked."""
    answers = EXPORTS[tool].parse(records, source, question)
    labels = answers.table["label"]
    if not pa.types.is_string(labels.type) or find_joined_name(labels.unique().to_pylist()) is None:
        return answers
    lists = pa.array([[label] for label in labels.to_pylist()], pa.list_(pa.string()))
    return replace(answers, table=answers.table.set_column(answers.table.column_names.index("label"), "label", lists))


def records_in(table: pa.Table) -> list[dict[str, Any]]:
    """The rows of a table as JSON would hold them: dates as text, pictures and other bytes as nothing."""
    return [{name: _plain(value) for name, value in row.items()} for row in table.to_pylist()]


def check_exportable(table: pa.Table, kind: str) -> None:
    """Refuse a table of `as_table` that would not read back from this format as the same votes."""
    if EXPORTS[kind].render is None:
        raise ValueError(f"{kind} can be read but not written; write .parquet or .csv")
    meta = json.loads(table.schema.metadata[METADATA])
    if meta["layout"] != "votes":
        raise ValueError(f"{kind} has votes, one row each, and this is a table of {meta['layout']}; write .parquet")
    moved = [role for role in ROLES if meta[role] not in (role, "")]
    if moved:
        raise ValueError(
            f"{kind} calls the {moved[0]} {moved[0]!r}, a name that an extra column or the layout has; rename it"
        )
    mistaken = [role for role in ROLES if meta[role] == "" and role in table.column_names]
    if mistaken:
        raise ValueError(f"{kind} would read the extra column {mistaken[0]!r} as that of each vote; rename it")
    if pc.any(pc.equal(table["label"], "")).as_py():
        raise ValueError(
            f"a class has no name, which {kind} cannot distinguish from no answer; name it, or use .parquet"
        )


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {str(name): _plain(part) for name, part in value.items()}
    if isinstance(value, list):
        return [_plain(part) for part in value]
    if isinstance(value, bytes) or (isinstance(value, float) and math.isnan(value)):
        return None
    return value if value is None or isinstance(value, str | int | float) else str(value)
