"""The description of the format of one annotation tool or one release of crowd data."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

import pyarrow as pa

from dissensus.labels.display import shapes


@dataclass(frozen=True)
class Parsed:
    """One row per answer (item, annotator, label, seconds, further columns), and counts of what was left out."""

    table: pa.Table
    notices: list[str]

    __repr__ = shapes


@dataclass(frozen=True)
class Export:
    """The format of one annotation tool: how its records are recognised, read and written.

    Parameters
    ----------
    name : str
        What users pass as `format`.
    container : "json" or "jsonl"
        The file of its records: one JSON document, or one record per line.
    recognises : function of a record
        Whether the first record of a file is of this format.
    parse : function of records, source and question
        Takes parsed JSON, whatever it is, and returns `Parsed` with the long table, or raises an error that names the
        source, the record, the value and the way out. Skipped answers are left out with a notice; an answer that ticks
        several classes has a list of them as its label.
    render : function of a long table, or None
        Returns records that `parse` turns into the same rows; None for a format that is only read.
    by_item : bool
        Its records are the values of one object {item: record}, not a list.
    in_tables : bool
        Its records may also be the rows of a CSV or TSV file.
    in_columns : bool
        Its records may also be the rows of a Parquet or Arrow file or a frame, which have lists.

    Examples
    --------
    >>> EXPORTS["prodigy"].container
    'jsonl'
    """

    name: str
    container: Literal["json", "jsonl"]
    recognises: Callable[[dict[str, Any]], bool]
    parse: Callable[[Any, str, str | None], Parsed]
    render: Callable[[pa.Table], list[dict[str, Any]] | dict[str, Any]] | None = None
    by_item: bool = False
    in_tables: bool = False
    in_columns: bool = False
