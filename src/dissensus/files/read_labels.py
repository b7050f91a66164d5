"""One door in: files and frames -> Votes, Beliefs and Distributions."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pyarrow as pa

from dissensus.files.columnar import read_arrow, read_parquet, with_paths_of_images
from dissensus.files.delimited import read_delimited
from dissensus.files.exports import EXPORTS, parse_export, recognise, recognise_rows, recognise_table, records_in
from dissensus.files.formats import DELIMITED, ENDINGS, MATRICES, WHOLE, format_of
from dissensus.files.json_text import read_json, read_json_lines, records_table
from dissensus.files.matrices import read_npy, read_npz
from dissensus.files.notices import Say, to_stderr
from dissensus.files.tables.columns import Layout, Missing, Reading, Repeats, Several, candidates
from dissensus.files.tables.rows import chosen_rows
from dissensus.files.tables.source import FIRST_COLUMN, SourceTable, with_first_column_named
from dissensus.files.tables.ticked_columns import with_ticks_in_one_column
from dissensus.files.tables.to_labels import METADATA, labels_from_table
from dissensus.labels.frames import INDEX, ROLES, frame_table
from dissensus.labels.refusals import Refusal, Way, add_place
from dissensus.labels.shares import Labels

LEAVE_OUT = Way("leave it out")


def read(
    source: Any,
    *,
    format: str | None = None,
    layout: Layout | None = None,
    item: str | None = None,
    annotator: str | None = None,
    label: str | None = None,
    seconds: str | None = None,
    gold: str | None = None,
    drop: Sequence[str] | None = None,
    classes: Sequence[str] | None = None,
    items: Sequence[Any] | None = None,
    annotators: Sequence[Any] | None = None,
    where: Mapping[str, str] | None = None,
    question: str | None = None,
    repeats: Repeats | None = None,
    missing: Missing = "error",
    scale: float | None = None,
    several: Several | None = None,
    rescale: bool = False,
    encoding: str = "utf-8",
    delimiter: str | None = None,
    say: Say = to_stderr,
) -> Labels:
    """Votes, Beliefs or Distributions from a file, or from a pandas, polars or Arrow table.

    What the file does not say is found out and said; every guess can be overruled:

    format    one of FORMATS; "json" and "jsonl" given here are plain records, not a tool's export
    layout    votes (one row per answer), beliefs (stated.CLASS columns), top-two, top-one, slider (one number per
              answer, between two classes), counts or probabilities (one row per item, one column per class), annotators
              (one row per item, one column per annotator)
    item, annotator, label, seconds  the column that plays this role; "" where none does
    gold      the column with the right answers; it stays beside the votes as the extra column `gold`
    drop      columns to leave out
    classes   all classes in order; for counts and probabilities, the columns that hold them
    items, annotators  all names in order, for items nobody answered or an order of your own; with one column per
              annotator, `annotators` says which columns are people
    where     {column: value}: only these rows
    question  which one, where an export holds several
    repeats   when one annotator answers one item twice: "error", "keep" all, or take the "first" or "last"; where
              nothing is said they are refused, but kept in a file written by this package
    missing   rows without a label: "error", or "drop" them
    scale     what the probabilities of beliefs are out of: 1, or 100 for percents; the upper end of a slider
    several   answers that tick several classes: "beliefs" with equal mass on them, or "votes", one for each; where
              nothing is said they are refused. With `classes`, the columns that hold 1 where an answer ticks a class
    rescale   divide rows of probabilities that do not sum to 1 by their sum, and say for how many
    encoding  of CSV and TSV
    delimiter  what separates the columns of a CSV file, where that is not the comma: ";"
    say       hears what was taken, `took: item = id, label = rating (1..5, ordered)`, where anything was guessed, and
              what was left out; by default that goes to stderr

    Raises ValueError naming file, row, value, expectation and way out; nothing is ever unpickled.
    """
    name = str(source) if isinstance(source, str | os.PathLike) else type(source).__name__
    notices: list[str] = []  # said only once all went well
    try:
        reading = Reading(
            layout=layout,
            item=item,
            annotator=annotator,
            label=label,
            seconds=seconds,
            gold=gold,
            drop=drop,
            classes=classes,
            items=items,
            annotators=annotators,
            repeats=repeats,
            missing=missing,
            scale=scale,
            several=several,
            rescale=rescale,
        )
        if isinstance(source, str | os.PathLike):
            file = _file(Path(source), format, encoding, question, notices.append)
            file = file if delimiter is None else _with_delimiter(file, delimiter)
            labels = _labels_in(file, reading, where)
        else:
            frame = SourceTable(frame_table(source), name, notices.append)
            frame = _answers_in_rows(frame, recognise_rows(frame.table), question, "a plain frame")
            labels = _labels_in_table(frame, reading, where)
    except (pa.ArrowException, MemoryError, OSError) as error:
        raise Refusal(f"cannot be read: {error}", name) from None
    except ValueError as error:
        raise add_place(error, name) from None
    for notice in notices:
        say(f"{name}: {notice}")
    return labels


@dataclass(frozen=True)
class _File:
    """A file that is there, and how it is to be read.

    kind   its format; where it was not asked for, `guess`, it may turn out to be the export of a tool
    """

    path: Path
    kind: str
    guess: bool
    encoding: str
    question: str | None
    say: Say
    delimiter: str | None = None


def _with_delimiter(file: _File, delimiter: str) -> _File:
    if file.kind not in DELIMITED and ENDINGS.get(file.path.suffix.lower()) not in DELIMITED:
        raise Refusal(f"{{delimiter}} is for CSV, and this is {file.kind}", ways=[LEAVE_OUT], delimiter=delimiter)
    if len(delimiter.encode()) != 1 or delimiter in '"\r\n':
        raise Refusal("{delimiter}: expected one character, such as ';'", delimiter=delimiter)
    return replace(file, delimiter=delimiter)


def _file(path: Path, format: str | None, encoding: str, question: str | None, say: Say) -> _File:
    if not path.is_file():
        raise ValueError(f"{path}: there is {'a folder, not a file' if path.is_dir() else 'no such file'}")
    kind = format_of(path, format)
    if question is not None and kind in MATRICES:
        raise _no_export(question, kind, str(path))
    if path.stat().st_size == 0:
        raise ValueError(f"{path}: the file is empty; expected {kind}")
    return _File(path, kind, format is None, encoding, question, say)


def _labels_in(file: _File, reading: Reading, where: Mapping[str, str] | None) -> Labels:
    if file.kind in MATRICES and reading.several is not None:
        raise Refusal("{several} is for labels, and this is a matrix", ways=[LEAVE_OUT], several=reading.several)
    if file.kind in MATRICES:
        return (read_npy if file.kind == "npy" else read_npz)(file.path, reading, file.say)
    return _labels_in_table(_table_in(file), reading, where)


def _labels_in_table(source: SourceTable, reading: Reading, where: Mapping[str, str] | None) -> Labels:
    source, reading = _with_index_known(_with_header(source, reading), reading)
    if source.export:
        own = {role: role for role in ROLES if role in source.columns and getattr(reading, role) is None}
        reading = replace(reading, **own)  # type: ignore[arg-type]
    return labels_from_table(*with_ticks_in_one_column(chosen_rows(source, where), reading))


def _table_in(file: _File) -> SourceTable:
    name = str(file.path)
    ending = ENDINGS.get(file.path.suffix.lower())
    asked = file.kind if file.kind in EXPORTS else None
    if file.kind in WHOLE or (asked is not None and EXPORTS[asked].in_columns and ending in WHOLE):
        kind = ending if asked is not None else file.kind
        table = (read_parquet if kind == "parquet" else read_arrow)(file.path)
        whole = SourceTable(with_paths_of_images(table), name, file.say)
        tool = asked or (recognise_rows(whole.table) if file.guess else None)
        answers = _answers_in_rows(whole, tool, file.question, str(kind))
        return answers if asked is None else replace(answers, taken=())
    if file.kind in EXPORTS and EXPORTS[file.kind].in_tables and ending in DELIMITED:
        return _delimited_table(file, ending)
    if file.kind in DELIMITED:
        return _delimited_table(file, file.kind)
    return _records_table(file)


def _delimited_table(file: _File, kind: str) -> SourceTable:
    """CSV and TSV: records of an annotation tool if they look like it, else plain rows."""
    table = read_delimited(file.path, file.delimiter or ("\t" if kind == "tsv" else ","), file.encoding)
    tool = file.kind if file.kind in EXPORTS else recognise_table(table.column_names) if file.guess else None
    if tool is not None:
        return _export_table(tool, table.to_pylist(), file)
    if file.question is not None:
        raise _no_export(file.question, kind, str(file.path))
    return SourceTable(table, str(file.path), file.say, text=True)


def _records_table(file: _File) -> SourceTable:
    """JSON and JSONL: an annotation tool's export if it looks like one, else plain records."""
    container = EXPORTS[file.kind].container if file.kind in EXPORTS else file.kind
    container = "jsonl" if ENDINGS.get(file.path.suffix.lower()) == "jsonl" else container
    records = list(read_json_lines(file.path)) if container == "jsonl" else read_json(file.path)
    tool = file.kind if file.kind in EXPORTS else recognise(records) if file.guess else None
    if tool is not None:
        return _export_table(tool, records, file)
    if file.question is not None:
        raise _no_export(file.question, "a plain table", str(file.path))
    if not (isinstance(records, list) and records and all(isinstance(record, dict) for record in records)):
        raise ValueError(
            f"{file.path}: expected a list of records [{{...}}, ...] or an export of {', '.join(EXPORTS)}; got "
            f"{type(records).__name__} {str(records)[:80]!r}"
        )
    return SourceTable(records_table(records, str(file.path)), str(file.path), file.say)


def _answers_in_rows(source: SourceTable, tool: str | None, question: str | None, kind: str) -> SourceTable:
    """Parquet, Arrow and frames: the answers in the records of an annotation tool, or else the rows as they are."""
    if tool is None and question is not None:
        raise _no_export(question, kind, source.name)
    if tool is None:
        return source
    parsed = parse_export(tool, records_in(source.table), source.name, question)
    for notice in parsed.notices:
        source.say(notice)
    return SourceTable(parsed.table, source.name, source.say, taken=(f"format = {tool}",), export=True)


def _export_table(tool: str, records: Any, file: _File) -> SourceTable:
    parsed = parse_export(tool, records, str(file.path), file.question)
    for notice in parsed.notices:
        file.say(notice)
    taken = () if tool == file.kind else (f"format = {tool}",)
    return SourceTable(parsed.table, str(file.path), file.say, taken=taken, export=True)


def _no_export(question: str, kind: str, place: str) -> Refusal:
    return Refusal(
        f"{{question}} picks one out of an export, and this is {kind}", place, [LEAVE_OUT], question=question
    )


def _with_header(source: SourceTable, reading: Reading) -> SourceTable:
    """CSV and TSV with a name for a first column that has none, unless the caller names it as it stands."""
    told = [names for names in (reading.classes, reading.annotators, reading.drop) if names is not None]
    table = with_first_column_named(source.table) if source.text else source.table
    if table is source.table or any(source.columns[0] in names for names in told):
        return source
    source.say(f"the first column has no name in the header; it is called {FIRST_COLUMN!r} here")
    return source.holding(table)


def _with_index_known(source: SourceTable, reading: Reading) -> tuple[SourceTable, Reading]:
    """An index without a name holds the items where no column does; else it is left over from choosing rows."""
    if INDEX not in source.columns or METADATA in (source.table.schema.metadata or {}):
        return source, reading  # in a table of ours it is a class or an extra column of that name
    if reading.item is None and not candidates(source, "item", reading):
        return source, replace(reading, item=INDEX)
    return source.holding(source.table.drop_columns([INDEX])), reading
