"""Exports of a survey as files: raw answers, labels and people as Parquet, CSV or JSON Lines."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import IO, NamedTuple

import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet

from dissensus.elicit.export import answer_table, labels_of, people_table
from dissensus.elicit.spreadsheet_cells import escape_formulas
from dissensus.elicit.survey_run import SurveyRun
from dissensus.files.tables.from_labels import as_table
from dissensus.files.whole_files import whole_or_not
from dissensus.files.write_labels import write
from dissensus.labels.refusals import one_of


class Export(NamedTuple):
    """An export of a survey.

    name, text  its name and description on the dashboard
    table       makes its rows
    offered     tells whether this survey has it
    """

    name: str
    text: str
    table: Callable[[SurveyRun], pa.Table]
    offered: Callable[[SurveyRun], bool] = lambda run: True


class Format(NamedTuple):
    """A file format: its media type, and how a table is written in it."""

    media_type: str
    as_bytes: Callable[[pa.Table], bytes]


def write_table(run: SurveyRun, what: str, output: Path, *, say: Callable[[str], None] = lambda notice: None) -> int:
    """Write the raw answers or the people to a .parquet, .csv or .jsonl file, whole or not at all.

    what  answers, labels or people
    say   receives a notice if cells were changed
    -> number of rows
    """
    table, file_format = EXPORTS[what].table(run), format_of(output)
    if file_format is FORMATS["csv"]:
        table, changed = escape_formulas(table)
        if changed:
            say(
                f"{output}: put an apostrophe before {changed} {'cell' if changed == 1 else 'cells'} that a "
                "spreadsheet would run as a formula; .parquet and .jsonl leave them unchanged"
            )
    body = file_format.as_bytes(table)

    def fill(file: IO[bytes]) -> None:
        file.write(body)

    whole_or_not(output, fill)
    return int(table.num_rows)


def write_labels(
    run: SurveyRun, output: Path, *, with_excluded: bool = False, say: Callable[[str], None] = lambda notice: None
) -> int:
    """Write the votes or beliefs to a label file. Return the number of answers."""
    labels = labels_of(run, with_excluded=with_excluded)
    write(labels, output, say=say)
    return labels.n_answers


def format_of(output: Path) -> Format:
    """Return the format that a file's extension names."""
    return FORMATS[one_of("file extension", output.suffix, [f".{name}" for name in FORMATS], place=str(output))[1:]]


def _csv(table: pa.Table) -> bytes:
    flat, _ = escape_formulas(table)
    for place, name in enumerate(table.column_names):
        if pa.types.is_list(table.schema.field(name).type):
            texts = pa.array([json.dumps(value) for value in table.column(name).to_pylist()], pa.string())
            flat = flat.set_column(place, name, texts)
    out = io.BytesIO()
    pa.csv.write_csv(flat, out)
    return out.getvalue()


def _parquet(table: pa.Table) -> bytes:
    out = io.BytesIO()
    pa.parquet.write_table(table, out)
    return out.getvalue()


def _jsonl(table: pa.Table) -> bytes:
    return "".join(json.dumps(row) + "\n" for row in table.to_pylist()).encode()


EXPORTS = {
    "answers": Export("Raw answers", "Every answer with its times, including those of excluded people.", answer_table),
    "labels": Export(
        "Labels",
        "Votes or beliefs for aggregation and training, without excluded people.",
        lambda run: as_table(labels_of(run)),
        lambda run: run.survey.kind.labels_items,
    ),
    "people": Export("People", "Everyone who started, the stage they reached, and their debriefing.", people_table),
}
FORMATS = {
    "parquet": Format("application/vnd.apache.parquet", _parquet),
    "csv": Format("text/csv; charset=utf-8", _csv),
    "jsonl": Format("application/jsonl", _jsonl),
}
