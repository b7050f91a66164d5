"""One door in and one door out: files and frames <-> Votes, Beliefs and Distributions."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import IO, Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.feather as feather
import pyarrow.parquet as parquet

from dissensus.labels.columns import Reading
from dissensus.labels.distributions import Distributions
from dissensus.labels.exports import EXPORTS, recognise
from dissensus.labels.frames import frame_table, with_index_named
from dissensus.labels.jsontext import json_bytes, json_records, read_json, read_json_lines, records_table
from dissensus.labels.matrices import read_npy, read_npz, write_npy, write_npz
from dissensus.labels.names import text_column
from dissensus.labels.table_read import METADATA, Labels, from_table
from dissensus.labels.table_write import ROLES, as_table, lost_in_plain_columns
from dissensus.labels.tabletext import read_delimited, write_delimited
from dissensus.labels.whole_files import whole_or_not

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
        return from_table(_only(with_index_named(frame_table(source), plan), where, name), plan, name)
    path = Path(source)
    if not path.is_file():
        raise ValueError(f"{path}: there is {'a folder, not a file' if path.is_dir() else 'no such file'}")
    kind = format or _ending(path)
    if kind not in FORMATS:
        raise ValueError(f"{path}: no format {kind!r}; there are {', '.join(FORMATS)}")
    if question is not None and kind in ENDINGS.values() and not kind.startswith("json"):
        raise ValueError(f"{path}: question={question!r} picks one out of an export, and this is {kind}; leave it out")
    if path.stat().st_size == 0:
        raise ValueError(f"{path}: the file is empty; expected {kind}")
    if kind in ("npy", "npz"):
        return read_npy(path, plan) if kind == "npy" else read_npz(path, plan)
    if kind in ("csv", "tsv"):
        plan = replace(plan, text=True)
        table = read_delimited(path, "," if kind == "csv" else "\t", encoding)
    elif kind == "parquet":
        table = _open_columnar(path, lambda: parquet.read_table(path, partitioning=None))
        table = with_index_named(table, plan)
    elif kind == "arrow":
        table = _open_columnar(path, lambda: _read_arrow(path))
    else:
        table = _records(path, kind, question, plan, guess=format is None)
    return from_table(_only(table, where, name), plan, name)


def _records(path: Path, kind: str, question: str | None, plan: Reading, *, guess: bool) -> pa.Table:
    """JSON and JSONL: an annotation tool's export if it looks like one, else plain records."""
    lines = EXPORTS[kind].container == "jsonl" if kind in EXPORTS else kind == "jsonl"
    records = list(read_json_lines(path)) if lines else read_json(path)
    tool = kind if kind in EXPORTS else recognise(records) if guess else None
    if tool is not None:
        parsed = EXPORTS[tool].parse(records, str(path), question)
        if tool != kind:
            plan.say(f"format = {tool}")
        for notice in parsed.notices:
            plan.say(notice)
        return parsed.table
    if question is not None:
        raise ValueError(f"{path}: question={question!r} picks one out of an export, and this is none; leave it out")
    if not (isinstance(records, list) and records and all(isinstance(record, dict) for record in records)):
        raise ValueError(
            f"{path}: expected a list of records [{{...}}, ...] or an export of {', '.join(EXPORTS)}; got "
            f"{type(records).__name__} {str(records)[:80]!r}"
        )
    return records_table(records, str(path))


def _only(table: pa.Table, where: Mapping[str, str] | None, name: str) -> pa.Table:
    for column, wanted in (where or {}).items():
        if column not in table.column_names:
            raise ValueError(f"{name}: no column {column!r} to choose rows by; the columns are {table.column_names}")
        texts = text_column(table[column])
        table = table.filter(pc.fill_null(pc.equal(texts, str(wanted)), False))
        if not table.num_rows:
            seen = pc.unique(texts).to_pylist()[:8]
            raise ValueError(f"{name}: no row has {wanted!r} in column {column!r}; it holds {seen}")
    return table


def _open_columnar(path: Path, load: Callable[[], pa.Table]) -> pa.Table:
    try:
        table = load()
        table.validate(full=True)  # a damaged file may point outside its own buffers
    except (pa.ArrowException, OSError, ValueError) as error:
        raise ValueError(
            f"{path}: not a readable {path.suffix.lstrip('.') or 'columnar'} file, or cut short "
            f"({str(error).partition(chr(10))[0]:.160}); get or write it again"
        ) from None
    return table


def _read_arrow(path: Path) -> pa.Table:
    with pa.OSFile(str(path)) as raw:
        if raw.read(6) != b"ARROW1":
            raw.seek(0)
            return pa.ipc.open_stream(raw).read_all()
    return feather.read_table(path, memory_map=False)


def _write(value: Labels, target: Path, kind: str, layout: str | None, say: Callable[[str], None]) -> None:
    if kind not in FORMATS:
        raise ValueError(f"{target}: no format {kind!r}; there are {', '.join(FORMATS)}")
    if kind in ("npy", "npz"):
        if not isinstance(value, Distributions):
            raise ValueError(
                f"{target}: {kind} holds one row per item, and this is one per answer: write .parquet or .csv"
            )
        if kind == "npy":
            say(f"{target}: NPY keeps no names of items and classes; read it back with items= and classes=")
        distributions = value
        whole_or_not(
            target, lambda out: write_npy(distributions, out) if kind == "npy" else write_npz(distributions, out)
        )
        return
    table = as_table(value, layout)
    if kind in EXPORTS:
        _check_exportable(table, kind)
    if kind not in WHOLE or layout == "annotators":
        for lost in lost_in_plain_columns(value, table, text=kind in ("csv", "tsv")):
            say(f"{target}: {layout or kind} does not keep {lost}")
    if kind in ("json", "jsonl") and (tool := recognise(json_records(table.slice(0, 1)))) is not None:
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


def _check_exportable(table: pa.Table, kind: str) -> None:
    meta = json.loads(table.schema.metadata[METADATA])
    if meta["layout"] != "votes":
        raise ValueError(f"{kind} holds votes, one row each, and this is a table of {meta['layout']}; write .parquet")
    moved = [role for role in ROLES if meta[role] not in (role, "")]
    if moved:
        raise ValueError(
            f"{kind} calls the {moved[0]} {moved[0]!r}, which an extra column or the layout took; rename it"
        )
    if pc.any(pc.equal(table["label"], "")).as_py():
        raise ValueError(f"a class has no name, which {kind} cannot tell from no answer; name it, or write .parquet")


def _ending(path: Path) -> str:
    kind = ENDINGS.get(path.suffix.lower())
    if kind is None:
        raise ValueError(
            f"{path}: the ending {path.suffix!r} says no format; expected one of {', '.join(ENDINGS)}, or pass format="
        )
    return kind
