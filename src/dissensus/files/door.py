"""One door in and one door out: files and frames <-> Votes, Beliefs and Distributions."""

from __future__ import annotations

import codecs
import os
import sys
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import IO, Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as parquet

from dissensus.files.columnar import read_arrow, read_parquet
from dissensus.files.delimited import read_delimited, write_delimited
from dissensus.files.exports import EXPORTS, check_exportable, recognise
from dissensus.files.frames import frame_table, with_index_named
from dissensus.files.json_text import json_bytes, json_records, read_json, read_json_lines, records_table
from dissensus.files.matrices import npy_matrix, read_npy, read_npz, write_npz
from dissensus.files.tables.columns import Reading
from dissensus.files.tables.reading import from_table
from dissensus.files.tables.rows import chosen_rows
from dissensus.files.tables.writing import as_table, lost_in_plain_columns
from dissensus.files.whole_files import whole_or_not
from dissensus.labels.distributions import Distributions
from dissensus.labels.shares import Labels

ENDINGS = {
    ".csv": "csv", ".tsv": "tsv", ".jsonl": "jsonl", ".ndjson": "jsonl", ".json": "json", ".parquet": "parquet",
    ".pq": "parquet", ".arrow": "arrow", ".feather": "arrow", ".ipc": "arrow", ".npy": "npy", ".npz": "npz",
}  # fmt: skip
FORMATS = tuple(dict.fromkeys(ENDINGS.values())) + tuple(EXPORTS)
WHOLE = ("parquet", "arrow")  # they keep everything


def to_stderr(notice: str) -> None:
    print(notice, file=sys.stderr)


def read(
    source: Any,
    *,
    format: str | None = None,
    encoding: str = "utf-8",
    question: str | None = None,
    where: Mapping[str, str] | None = None,
    say: Callable[[str], None] = to_stderr,
    **reading: Any,
) -> Labels:
    """Votes, Beliefs or Distributions from a file, or from a pandas, polars or Arrow table.

    What the file does not say is found out and said (`say`, by default on stderr); every guess can be overruled:
    format (one of FORMATS; "json" and "jsonl" given here are plain records, no tool's export), question (which one,
    where an export holds several), where ({column: value}: only these rows), and the fields of `columns.Reading`:
    layout, item, annotator, label, seconds, classes, items, annotators, repeats, missing, scale.
    Raises ValueError naming file, row, value, expectation and way out; nothing is ever unpickled.
    """
    name = str(source) if isinstance(source, str | os.PathLike) else type(source).__name__
    try:
        plan = Reading(**reading)
        value = _read(source, name, format, encoding, question, where, plan)
    except (pa.ArrowException, MemoryError, OSError) as error:
        raise ValueError(f"{name}: cannot be read: {error}") from None
    except ValueError as error:
        text = str(error)
        raise ValueError(text if text.startswith(name) else f"{name}: {text}") from None
    for notice in plan.notices:
        say(f"{name}: {notice}")
    return value


def write(
    value: Labels, path: str | os.PathLike[str], *, format: str | None = None, layout: str | None = None,
    say: Callable[[str], None] = to_stderr,
) -> None:  # fmt: skip
    """Write a value so that `read` gives it back; the file appears whole or not at all.

    Parquet, Arrow and (for distributions) NPZ keep everything; where a format cannot, `say` tells what to pass when
    reading. format: one of FORMATS; layout: see `table_write.as_table`.
    """
    target = Path(path)
    try:
        _write(value, target, format or _ending(target), layout, say)
    except ValueError as error:
        text = str(error)
        raise ValueError(text if text.startswith(str(target)) else f"{target}: {text}") from None


def write_text(text: str, path: str | os.PathLike[str]) -> None:
    """A text file, whole or not at all."""

    def fill(out: IO[bytes]) -> None:
        out.write(text.encode())

    whole_or_not(Path(path), fill)


def _read(
    source: Any, name: str, format: str | None, encoding: str, question: str | None,
    where: Mapping[str, str] | None, plan: Reading,
) -> Labels:  # fmt: skip
    if not isinstance(source, str | os.PathLike):
        return from_table(*chosen_rows(with_index_named(frame_table(source), plan), where, plan, name), name)
    path = Path(source)
    if not path.is_file():
        raise ValueError(f"{path}: there is {'a folder, not a file' if path.is_dir() else 'no such file'}")
    kind = format or _ending(path)
    if kind not in FORMATS:
        raise ValueError(f"{path}: no format {kind!r}; there are {', '.join(FORMATS)}")
    if question is not None and kind in ("npy", "npz", *WHOLE):
        raise ValueError(f"{path}: question={question!r} picks one out of an export, and this is {kind}; leave it out")
    if path.stat().st_size == 0:
        raise ValueError(f"{path}: the file is empty; expected {kind}")
    if kind in ("npy", "npz"):
        return read_npy(path, plan) if kind == "npy" else read_npz(path, plan)
    if kind in ("csv", "tsv") or (kind == "potato" and path.suffix.lower() in (".csv", ".tsv")):
        plan = replace(plan, text=True)
        table = _cells(path, kind, encoding, question, plan, guess=format is None)
    elif kind == "parquet":
        table = with_index_named(read_parquet(path), plan)
    elif kind == "arrow":
        table = read_arrow(path)
    else:
        table = _records(path, kind, question, plan, guess=format is None)
    return from_table(*chosen_rows(table, where, plan, name), name)


def _cells(path: Path, kind: str, encoding: str, question: str | None, plan: Reading, *, guess: bool) -> pa.Table:
    """CSV and TSV: a table of Potato's if it looks like one, else plain rows."""
    tabs = (kind if kind != "potato" else _ending(path)) == "tsv"
    table = read_delimited(path, "\t" if tabs else ",", _text_encoding(encoding))
    if kind == "potato" or (guess and _is_potato(table)):
        return _export("potato", kind, table.to_pylist(), path, question, plan)
    if question is not None:
        raise ValueError(f"{path}: question={question!r} picks one out of an export, and this is {kind}; leave it out")
    return table


def _is_potato(table: pa.Table) -> bool:
    return recognise([dict.fromkeys(table.column_names)]) == "potato"


def _text_encoding(encoding: str) -> str:
    with suppress(LookupError):  # the reader says which encodings there are
        if not codecs.lookup(encoding)._is_text_encoding:
            raise ValueError(f"{encoding!r} is no encoding of text; expected one as utf-8, utf-16 or latin-1")
    return encoding


def _records(path: Path, kind: str, question: str | None, plan: Reading, *, guess: bool) -> pa.Table:
    """JSON and JSONL: an annotation tool's export if it looks like one, else plain records."""
    lines = EXPORTS[kind].container == "jsonl" if kind in EXPORTS else kind == "jsonl"
    records = list(read_json_lines(path)) if lines else read_json(path)
    tool = kind if kind in EXPORTS else recognise(records) if guess else None
    if tool is not None:
        return _export(tool, kind, records, path, question, plan)
    if question is not None:
        raise ValueError(f"{path}: question={question!r} picks one out of an export, and this is none; leave it out")
    if not (isinstance(records, list) and records and all(isinstance(record, dict) for record in records)):
        raise ValueError(
            f"{path}: expected a list of records [{{...}}, ...] or an export of {', '.join(EXPORTS)}; got "
            f"{type(records).__name__} {str(records)[:80]!r}"
        )
    return records_table(records, str(path))


def _export(tool: str, kind: str, records: Any, path: Path, question: str | None, plan: Reading) -> pa.Table:
    parsed = EXPORTS[tool].parse(records, str(path), question)
    if tool != kind:
        plan.say(f"format = {tool}")
    for notice in parsed.notices:
        plan.say(notice)
    return parsed.table


def _write(value: Labels, target: Path, kind: str, layout: str | None, say: Callable[[str], None]) -> None:
    if kind not in FORMATS:
        raise ValueError(f"{target}: no format {kind!r}; there are {', '.join(FORMATS)}")
    if kind in ("npy", "npz"):
        if not isinstance(value, Distributions):
            raise ValueError(
                f"{target}: {kind} holds one row per item, and this is one per answer: write .parquet or .csv"
            )
        distributions = value
        if kind == "npy":
            held, matrix = npy_matrix(value)
            say(f"{target}: NPY keeps no names of items and classes: read these {held} back with items= and classes=")
            whole_or_not(target, lambda out: np.save(out, matrix, allow_pickle=False))
        else:
            whole_or_not(target, lambda out: write_npz(distributions, out))
        return
    table = as_table(value, layout)
    if kind in EXPORTS:
        check_exportable(table, kind)
    if kind not in WHOLE or layout == "annotators":
        for lost in lost_in_plain_columns(value, table, text=kind in ("csv", "tsv")):
            say(f"{target}: {layout or kind} does not keep {lost}")
    tool = recognise(json_records(table.slice(0, 1))) if kind in ("json", "jsonl") else None
    if tool is None and kind in ("csv", "tsv") and _is_potato(table):
        tool = "potato"
    if tool is not None:
        say(f"{target}: {kind} does not keep that this is no export of {tool}: read it back with format={kind!r}")
    whole_or_not(target, lambda out: _write_table(table, kind, out, str(target)))


def _write_table(table: pa.Table, kind: str, out: IO[bytes], name: str) -> None:
    if kind == "parquet":
        parquet.write_table(table, out, compression="zstd")
    elif kind == "arrow":
        with pa.ipc.new_file(out, table.schema) as writer:
            writer.write_table(table)
    elif kind in ("csv", "tsv"):
        write_delimited(table, kind, out, name)
    elif kind in ("json", "jsonl"):
        out.write(json_bytes(json_records(table), lines=kind == "jsonl", name=name))
    else:
        out.write(json_bytes(EXPORTS[kind].render(table), lines=EXPORTS[kind].container == "jsonl", name=name))


def _ending(path: Path) -> str:
    kind = ENDINGS.get(path.suffix.lower())
    if kind is None:
        raise ValueError(
            f"{path}: the ending {path.suffix!r} says no format; expected one of {', '.join(ENDINGS)}, or pass format="
        )
    return kind
