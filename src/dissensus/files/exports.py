"""The export formats of annotation tools and crowd releases, by name, and how to tell them apart.

    parsed = EXPORTS["label-studio"].parse(records, "export.json", question="sentiment")
    parsed.table                                     # one row per answer: item, annotator, label, seconds, ...
    records = EXPORTS["prodigy"].render(parsed.table)

A reader takes parsed JSON, whatever it is, and either returns the long table or raises a ValueError that names the
source, the record, the value and the way out. What is no vote (skipped, unanswered) is left out with a notice.
What a writer wrote, its reader reads back to the same rows, grouped by item where the format groups them.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

import pyarrow as pa
import pyarrow.compute as pc

from dissensus.files.tables.reading import METADATA
from dissensus.files.tables.writing import ROLES
from dissensus.files.tools.crowd_releases import (
    is_lewidi,
    is_tfds_cifar10h,
    parse_lewidi,
    parse_tfds_cifar10h,
    render_lewidi,
    render_tfds_cifar10h,
)
from dissensus.files.tools.jsonl_tools import (
    is_doccano,
    is_prodigy,
    parse_doccano,
    parse_prodigy,
    render_doccano,
    render_prodigy,
)
from dissensus.files.tools.label_studio import is_label_studio, parse_label_studio, render_label_studio
from dissensus.files.tools.potato import is_potato, parse_potato, render_potato
from dissensus.files.tools.records import Parsed

__all__ = ["EXPORTS", "Export", "Parsed", "check_exportable", "recognise"]


@dataclass(frozen=True)
class Export:
    """A format: parse(records, source, question=None), render(table), and the file its records stand in."""

    parse: Callable[..., Parsed]
    render: Callable[[pa.Table], list[dict[str, Any]] | dict[str, Any]]
    container: Literal["json", "jsonl"]


EXPORTS = {
    "label-studio": Export(parse_label_studio, render_label_studio, "json"),
    "potato": Export(parse_potato, render_potato, "jsonl"),
    "prodigy": Export(parse_prodigy, render_prodigy, "jsonl"),
    "doccano": Export(parse_doccano, render_doccano, "jsonl"),
    "lewidi": Export(parse_lewidi, render_lewidi, "json"),
    "tfds-cifar10h": Export(parse_tfds_cifar10h, render_tfds_cifar10h, "jsonl"),
}
_BY_RECORD = {
    "label-studio": is_label_studio,
    "tfds-cifar10h": is_tfds_cifar10h,
    "prodigy": is_prodigy,
    "potato": is_potato,
    "doccano": is_doccano,
}


def recognise(records: Any) -> str | None:
    """The one format these records are in, judged by the first of them; None where none or several fit."""
    if isinstance(records, dict):
        return "lewidi" if is_lewidi(records) else None
    if not isinstance(records, list) or not records or not isinstance(records[0], dict):
        return None
    fitting = [name for name, looks_like in _BY_RECORD.items() if looks_like(records[0])]
    return fitting[0] if len(fitting) == 1 else None


def check_exportable(table: pa.Table, kind: str) -> None:
    """Refuse a table of `as_table` that would not read back from this format as the same votes."""
    meta = json.loads(table.schema.metadata[METADATA])
    if meta["layout"] != "votes":
        raise ValueError(f"{kind} holds votes, one row each, and this is a table of {meta['layout']}; write .parquet")
    moved = [role for role in ROLES if meta[role] not in (role, "")]
    if moved:
        raise ValueError(
            f"{kind} calls the {moved[0]} {moved[0]!r}, which an extra column or the layout took; rename it"
        )
    mistaken = [role for role in ROLES if meta[role] == "" and role in table.column_names]
    if mistaken:
        raise ValueError(f"{kind} would take the extra column {mistaken[0]!r} for that of each vote; rename it")
    if pc.any(pc.equal(table["label"], "")).as_py():
        raise ValueError(f"a class has no name, which {kind} cannot tell from no answer; name it, or write .parquet")
