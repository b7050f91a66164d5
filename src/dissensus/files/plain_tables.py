"""Tables as they are in their files, whatever their columns mean."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
from pyarrow.parquet import read_schema

from dissensus.files.columnar import read_arrow, read_parquet
from dissensus.files.delimited import read_delimited, read_header
from dissensus.files.formats import DELIMITED, ENDINGS, MATRICES
from dissensus.files.json_text import read_json, read_json_lines, records_table
from dissensus.files.tables.source import with_first_column_named
from dissensus.labels.refusals import one_of


def read_column_names(path: Path) -> list[str]:
    """Return the names of the columns of a table file; of CSV, TSV and Parquet nothing else is read."""
    kind = ENDINGS.get(path.suffix.lower())
    if kind in DELIMITED:
        return read_header(path, "\t" if kind == "tsv" else ",")
    return read_schema(path).names if kind == "parquet" else read_table(path).column_names


def read_table(path: Path) -> pa.Table:
    """The rows of a CSV, TSV, JSONL, JSON, Parquet or Arrow file, as its ending tells; CSV and TSV give text.

    A first column without a name in the header of CSV and TSV is called `column 1`.
    """
    tables = {ending: format for ending, format in ENDINGS.items() if format not in MATRICES}
    kind = tables[one_of("ending of a table", path.suffix.lower(), tables, place=str(path))]
    if kind in DELIMITED:
        return with_first_column_named(read_delimited(path, "\t" if kind == "tsv" else ","))
    if kind in ("json", "jsonl"):
        return records_table(read_json(path) if kind == "json" else list(read_json_lines(path)), str(path))
    return read_parquet(path) if kind == "parquet" else read_arrow(path)
