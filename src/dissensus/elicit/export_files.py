"""What can be taken out of a survey, as files: raw answers, labels, people."""

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


class Export(NamedTuple):
    """Something that can be taken out.

    name, text  what the dashboard calls it and says about it
    table       its rows
    offered     whether the survey has it
    """

    name: str
    text: str
    table: Callable[[SurveyRun], pa.Table]
    offered: Callable[[SurveyRun], bool] = lambda run: True


class Format(NamedTuple):
    """A kind of file, by how it is sent and how a table is written as one."""

    media_type: str
    as_bytes: Callable[[pa.Table], bytes]


def write_table(run: SurveyRun, what: str, output: Path, *, say: Callable[[str], None] = lambda notice: None) -> int:
    """Write the raw answers or the people to a .parquet, .csv or .jsonl file, whole or not at all. -> rows

    what  answers, labels or people
    say   hears of cells that were changed
    """
    table = EXPORTS[what].table(run)
    body = format_of(output).as_bytes(table)
    changed = escape_formulas(table)[1] if format_of(output) is FORMATS["csv"] else 0
    if changed:
        say(
            f"{output}: {changed} {'text' if changed == 1 else 'texts'} that a spreadsheet would run as a formula "
            "got an apostrophe in front; .parquet and .jsonl keep them as they are"
        )

    def fill(file: IO[bytes]) -> None:
        file.write(body)

    whole_or_not(output, fill)
    return int(table.num_rows)


def write_labels(
    run: SurveyRun, output: Path, *, with_excluded: bool = False, say: Callable[[str], None] = lambda notice: None
) -> int:
    """Write the votes or beliefs to a label file. -> answers"""
    labels = labels_of(run, with_excluded=with_excluded)
    write(labels, output, say=say)
    return labels.n_answers


def format_of(output: Path) -> Format:
    """The format that a file's ending names; ValueError where there is none."""
    ending = output.suffix.removeprefix(".")
    if ending not in FORMATS:
        endings = [f".{known}" for known in FORMATS]
        raise ValueError(f"{output}: expected a file that ends with {', '.join(endings[:-1])} or {endings[-1]}")
    return FORMATS[ending]


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
    "answers": Export(
        "Raw answers", "Every answer with its times and its order, also of excluded people.", answer_table
    ),
    "labels": Export(
        "Labels",
        "Votes or beliefs, ready to aggregate and to train on, without excluded people.",
        lambda run: as_table(labels_of(run)),
        lambda run: run.survey.kind.labels_items,
    ),
    "people": Export("People", "Everybody who came, how far they got, and what they said at the end.", people_table),
}
FORMATS = {
    "parquet": Format("application/vnd.apache.parquet", _parquet),
    "csv": Format("text/csv; charset=utf-8", _csv),
    "jsonl": Format("application/jsonl", _jsonl),
}
