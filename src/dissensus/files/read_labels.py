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
from dissensus.files.notices import Notice, Say, to_stderr
from dissensus.files.tables.columns import Layout, Missing, Reading, Repeats, Several, candidates
from dissensus.files.tables.rows import choose_rows
from dissensus.files.tables.source import FIRST_COLUMN, SourceTable, with_first_column_named
from dissensus.files.tables.ticked_columns import with_ticks_in_one_column
from dissensus.files.tables.to_labels import METADATA, labels_from_table
from dissensus.labels.frames import INDEX, ROLES, frame_table
from dissensus.labels.refusals import Refusal, Way, add_place
from dissensus.labels.settings import settings_of
from dissensus.labels.shares import Labels

LEAVE_OUT = Way("leave it out")
SETTINGS = tuple(each.name for each in settings_of(Reading))


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
    """Read labels from a file, or from a pandas, polars or Arrow table.

    Settings that are not given are guessed, and each guess is reported.

    Parameters
    ----------
    source : path or frame
        A CSV, TSV, JSON, JSONL, Parquet, Arrow, NPY or NPZ file, an export of an annotation tool, or a frame.
    format : str or None, default None
        File format, if not clear from the ending.
    layout : str or None, default None
        Content of a row: votes, beliefs, top-two, top-one, slider, counts, probabilities, annotators.
    item : str or None, default None
        Column with the name of the item; "" if there is none.
    annotator : str or None, default None
        Column with the name of the annotator; "" if there is none.
    label : str or None, default None
        Column with the label.
    seconds : str or None, default None
        Column with the seconds that an answer took; "" if there is none.
    gold : str or None, default None
        Column with the right answers, kept as the extra column `gold`.
    drop : sequence of str or None, default None
        Columns to leave out.
    classes : sequence of str or None, default None
        All classes in order; for counts and probabilities, the columns that have them.
    items : sequence, array or None, default None
        All items in order, also those without an answer.
    annotators : sequence, array or None, default None
        All annotators in order; with one column per annotator, the columns that are annotators.
    where : mapping of str to str or None, default None
        Keep only rows with this value in each of these columns.
    question : str or None, default None
        Question to read, if an export has several.
    repeats : str or None, default None
        What to do if an annotator answers an item twice: error, keep, first, last; files written by dissensus keep all.
    missing : str, default 'error'
        What to do with rows without a label: error, drop.
    scale : float or None, default None
        Maximum of probabilities or of a slider: 1, or 100 for percents.
    several : str or None, default None
        How to read answers that tick several classes: beliefs, votes; as beliefs with equal mass, or a vote per class.
    rescale : bool, default False
        Divide rows of probabilities, percents or mass by their sum.
    encoding : str, default 'utf-8'
        Text encoding of CSV and TSV files.
    delimiter : str or None, default None
        Delimiter of CSV, if not the comma.
    say : function of a text
        Receives what was recognised, such as `took: item = id, label = rating (1..5, ordered)`, and what was left out;
        by default it goes to stderr.

    Returns
    -------
    Votes, Beliefs or Distributions

    Raises
    ------
    Refusal
        With the file, the row, the value, what was expected, and the ways out. Nothing is ever unpickled.

    Examples
    --------
    >>> import pandas as pd
    >>> read(pd.DataFrame({"item": ["a", "a", "b"], "annotator": [1, 2, 1], "label": ["x", "y", "x"]}))
    Votes: 3 votes · 2 items · 2 annotators · 2 classes
      classes: x, y
    """
    settings = {name: value for name, value in locals().items() if name in SETTINGS}
    name = str(source) if isinstance(source, str | os.PathLike) else type(source).__name__
    notices: list[str] = []  # reported only on success
    try:
        reading = Reading(**settings)
        if isinstance(source, str | os.PathLike):
            file = _file(Path(source), reading, notices.append)
            labels = _labels_in(file, reading)
        else:
            frame = SourceTable(frame_table(source), name, notices.append)
            frame = _answers_in_rows(frame, recognise_rows(frame.table), question, "a plain frame")
            labels = _labels_in_table(frame, reading)
    except (pa.ArrowException, MemoryError, OSError) as error:
        raise Refusal(f"cannot be read: {error}", name) from None
    except ValueError as error:
        raise add_place(error, name) from None
    for notice in notices:
        say(notice.at(name) if isinstance(notice, Notice) else f"{name}: {notice}")
    return labels


@dataclass(frozen=True)
class _File:
    """An existing file, and how to read it.

    kind   its format; where it was not asked for, `guess`, it may turn out to be the export of a tool
    """

    path: Path
    kind: str
    guess: bool
    encoding: str
    question: str | None
    say: Say
    delimiter: str | None = None


def _check_delimiter(delimiter: str, path: Path, kind: str) -> None:
    if kind not in DELIMITED and ENDINGS.get(path.suffix.lower()) not in DELIMITED:
        raise Refusal(f"{{delimiter}} is for CSV, and this is {kind}", ways=[LEAVE_OUT], delimiter=delimiter)
    if len(delimiter.encode()) != 1 or delimiter in '"\r\n':
        raise Refusal("{delimiter}: expected one character, such as ';'", delimiter=delimiter)


def _file(path: Path, reading: Reading, say: Say) -> _File:
    if not path.is_file():
        raise ValueError(f"{path}: there is {'a folder, not a file' if path.is_dir() else 'no such file'}")
    kind = format_of(path, reading.format)
    if reading.question is not None and kind in MATRICES:
        raise _no_export(reading.question, kind, str(path))
    if path.stat().st_size == 0:
        raise ValueError(f"{path}: the file is empty; expected {kind}")
    if reading.delimiter is not None:
        _check_delimiter(reading.delimiter, path, kind)
    return _File(path, kind, reading.format is None, reading.encoding, reading.question, say, reading.delimiter)


def _labels_in(file: _File, reading: Reading) -> Labels:
    if file.kind in MATRICES and reading.several is not None:
        raise Refusal("{several} is for labels, and this is a matrix", ways=[LEAVE_OUT], several=reading.several)
    if file.kind in MATRICES:
        return (read_npy if file.kind == "npy" else read_npz)(file.path, reading, file.say)
    return _labels_in_table(_table_in(file), reading)


def _labels_in_table(source: SourceTable, reading: Reading) -> Labels:
    source, reading = _with_index_known(_with_header(source, reading), reading)
    if source.export:
        own = {role: role for role in ROLES if role in source.columns and getattr(reading, role) is None}
        reading = replace(reading, **own)  # type: ignore[arg-type]
    return labels_from_table(*with_ticks_in_one_column(choose_rows(source, reading.where), reading))


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
        f"{{question}} selects one question of an export, and this is {kind}", place, [LEAVE_OUT], question=question
    )


def _with_header(source: SourceTable, reading: Reading) -> SourceTable:
    """CSV and TSV with a name for a first column that has none, unless the caller names it as it is."""
    given = [names for names in (reading.classes, reading.annotators, reading.drop) if names is not None]
    table = with_first_column_named(source.table) if source.text else source.table
    if table is source.table or any(source.columns[0] in names for names in given):
        return source
    source.say(f"the first column has no name in the header; it is called {FIRST_COLUMN!r} here")
    return source.with_table(table)


def _with_index_known(source: SourceTable, reading: Reading) -> tuple[SourceTable, Reading]:
    """An index without a name has the items if no column does; else it is left over from choosing rows."""
    if INDEX not in source.columns or METADATA in (source.table.schema.metadata or {}):
        return source, reading  # in a table of ours it is a class or an extra column of that name
    if reading.item is None and not candidates(source, "item", reading):
        return source, replace(reading, item=INDEX)
    return source.with_table(source.table.drop_columns([INDEX])), reading
