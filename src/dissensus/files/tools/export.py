"""What the reader knows about the format of one annotation tool or one release of crowd data."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

import pyarrow as pa

from dissensus.labels.display import shapes


@dataclass(frozen=True)
class Parsed:
    """One row per answer (item, annotator, label, seconds, further columns), and what was left out on the way."""

    table: pa.Table
    notices: list[str]

    __repr__ = shapes


@dataclass(frozen=True)
class Export:
    """One format: how its records are recognised, read and, where somebody wrote a writer, written.

    name        what users pass as format=
    container   the file its records stand in: one JSON document, or one record per line
    recognises  whether a record, the first of a file, is of this format
    parse       (records, source, question) -> Parsed. Takes parsed JSON, whatever it is, and returns the long table
                or raises a ValueError that names the source, the record, the value and the way out; what is not a
                vote (skipped, unanswered) is left out with a notice, and an answer that ticks several classes has a
                list of them as its label
    render      a long table -> records that parse gives back as the same rows; None for a format that is only read
    by_item     its records are the values of one object {item: record}, not a list
    in_tables   its records may also be the rows of a CSV or TSV file
    in_columns  its records may also be the rows of a Parquet or Arrow file or a frame, which hold lists
    """

    name: str
    container: Literal["json", "jsonl"]
    recognises: Callable[[dict[str, Any]], bool]
    parse: Callable[[Any, str, str | None], Parsed]
    render: Callable[[pa.Table], list[dict[str, Any]] | dict[str, Any]] | None = None
    by_item: bool = False
    in_tables: bool = False
    in_columns: bool = False
