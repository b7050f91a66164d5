"""One door in and one door out: files and frames <-> Votes, Beliefs and Distributions."""

from __future__ import annotations

import json
import os
import sys
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import IO, Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv as csv
import pyarrow.feather as feather
import pyarrow.parquet as parquet

from dissensus.labels.columns import Reading
from dissensus.labels.distributions import Distributions
from dissensus.labels.exports import EXPORTS, recognise
from dissensus.labels.matrices import read_npy, read_npz, write_npy, write_npz
from dissensus.labels.names import text_column
from dissensus.labels.table_read import Labels, from_table
from dissensus.labels.table_write import as_table, lost_in_plain_columns
from dissensus.labels.tabletext import read_delimited, read_json, read_json_lines, records_table

ENDINGS = {
    ".csv": "csv", ".tsv": "tsv", ".jsonl": "jsonl", ".ndjson": "jsonl", ".json": "json", ".parquet": "parquet",
    ".pq": "parquet", ".arrow": "arrow", ".feather": "arrow", ".ipc": "arrow", ".npy": "npy", ".npz": "npz",
}  # fmt: skip
FORMATS = tuple(dict.fromkeys(ENDINGS.values())) + tuple(EXPORTS)


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
    format (one of FORMATS), question (which one, where an export holds several), where ({column: value}: only these
    rows), and the fields of `columns.Reading`: layout, item, annotator, label, seconds, classes, items, annotators,
    repeats, missing, scale.
    Raises ValueError naming file, row, value, expectation and way out; nothing is ever unpickled.
    """
    plan = Reading(**reading)
    name = str(source) if isinstance(source, str | os.PathLike) else type(source).__name__
    try:
        value = _read(source, name, format, encoding, question, where, plan)
    except ValueError as error:
        text = str(error)
        raise ValueError(text if text.startswith(name) else f"{name}: {text}") from None
    except (pa.ArrowException, MemoryError, OSError) as error:
        raise ValueError(f"{name}: cannot be read: {error}") from None
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
    kind = format or _ending(target)
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
        _whole_or_not(
            target, lambda out: write_npy(distributions, out) if kind == "npy" else write_npz(distributions, out)
        )
        return
    table = as_table(value, layout)
    if kind in ("csv", "tsv", "jsonl") and layout is None:
        for lost in lost_in_plain_columns(value):
            say(f"{target}: {kind} does not keep {lost}; Parquet does")
    _whole_or_not(target, lambda out: _write_table(table, kind, out, str(target)))


def write_text(text: str, path: str | os.PathLike[str]) -> None:
    """A text file, whole or not at all."""

    def fill(out: IO[bytes]) -> None:
        out.write(text.encode())

    _whole_or_not(Path(path), fill)


def _read(
    source: Any, name: str, format: str | None, encoding: str, question: str | None,
    where: Mapping[str, str] | None, plan: Reading,
) -> Labels:  # fmt: skip
    if not isinstance(source, str | os.PathLike):
        return from_table(_only(_frame_table(source), where, name), plan, name)
    path = Path(source)
    if not path.is_file():
        raise ValueError(f"{path}: there is {'a folder, not a file' if path.is_dir() else 'no such file'}")
    kind = format or _ending(path)
    if kind not in FORMATS:
        raise ValueError(f"{path}: no format {kind!r}; there are {', '.join(FORMATS)}")
    if path.stat().st_size == 0:
        raise ValueError(f"{path}: the file is empty; expected {kind}")
    if kind in ("npy", "npz"):
        return read_npy(path, plan) if kind == "npy" else read_npz(path, plan)
    if kind in ("csv", "tsv"):
        plan = replace(plan, text=True)
        table = read_delimited(path, "," if kind == "csv" else "\t", encoding)
    elif kind == "parquet":
        table = _open_columnar(path, lambda: parquet.read_table(path, partitioning=None))
    elif kind == "arrow":
        table = _open_columnar(path, lambda: _read_arrow(path))
    else:
        table = _records(path, kind, question, plan)
    return from_table(_only(table, where, name), plan, name)


def _records(path: Path, kind: str, question: str | None, plan: Reading) -> pa.Table:
    """JSON and JSONL: an annotation tool's export if it looks like one, else plain records."""
    lines = EXPORTS[kind].container == "jsonl" if kind in EXPORTS else kind == "jsonl"
    records = list(read_json_lines(path)) if lines else read_json(path)
    tool = kind if kind in EXPORTS else recognise(records)
    if tool is not None:
        parsed = EXPORTS[tool].parse(records, str(path), question)
        if tool != kind:
            plan.say(f"format = {tool}")
        for notice in parsed.notices:
            plan.say(notice)
        return parsed.table
    if not (isinstance(records, list) and records and all(isinstance(record, dict) for record in records)):
        raise ValueError(
            f"{path}: expected a list of records [{{...}}, ...] or an export of {', '.join(EXPORTS)}; got "
            f"{type(records).__name__} {str(records)[:80]!r}"
        )
    return records_table(records, str(path))


def _frame_table(frame: Any) -> pa.Table:
    if isinstance(frame, pa.Table):
        return frame
    if hasattr(frame, "reset_index"):  # pandas: an index that is not just row numbers holds names
        unnamed = type(frame.index).__name__ == "RangeIndex" and frame.index.name is None
        plain = frame if unnamed else frame.reset_index(names=frame.index.name or "item")
        return pa.Table.from_pandas(plain, preserve_index=False).replace_schema_metadata(None)
    if hasattr(frame, "__arrow_c_stream__"):
        table = pa.table(frame)
        views = [f.with_type(pa.string()) if pa.types.is_string_view(f.type) or pa.types.is_large_string(f.type) else f
                 for f in table.schema]  # fmt: skip
        return table.cast(pa.schema(views, metadata=table.schema.metadata))
    raise ValueError(f"cannot read {type(frame).__name__}; expected a path, or a pandas, polars or Arrow table")


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
        return load()
    except (pa.ArrowException, OSError, ValueError) as error:
        raise ValueError(
            f"{path}: not a readable {path.suffix.lstrip('.') or 'columnar'} file, or cut short "
            f"({str(error).splitlines()[0]:.160}); get or write it again"
        ) from None


def _read_arrow(path: Path) -> pa.Table:
    with pa.OSFile(str(path)) as raw:
        if raw.read(6) != b"ARROW1":
            raw.seek(0)
            return pa.ipc.open_stream(raw).read_all()
    return feather.read_table(path, memory_map=False)


def _write_table(table: pa.Table, kind: str, out: IO[bytes], name: str) -> None:
    if kind == "parquet":
        parquet.write_table(table, out, compression="zstd")
    elif kind == "arrow":
        with pa.ipc.new_file(out, table.schema) as writer:
            writer.write_table(table)
    elif kind in ("csv", "tsv"):
        nested = [field.name for field in table.schema if pa.types.is_nested(field.type)]
        if nested:
            raise ValueError(f"{name}: column {nested[0]!r} holds lists, which {kind} cannot; write .parquet or .jsonl")
        csv.write_csv(table, out, csv.WriteOptions(delimiter="," if kind == "csv" else "\t", quoting_style="needed"))
    elif kind in ("json", "jsonl"):
        records = table.to_pylist()
        text = json.dumps(records, ensure_ascii=False, indent=1) if kind == "json" else _lines(records)
        out.write(text.encode())
    else:
        export = EXPORTS[kind]
        records = export.render(table)
        out.write(
            (
                json.dumps(records, ensure_ascii=False, indent=1) if export.container == "json" else _lines(records)
            ).encode()
        )


def _lines(records: Any) -> str:
    return "".join(json.dumps(record, ensure_ascii=False) + "\n" for record in records)


def _whole_or_not(target: Path, fill: Callable[[IO[bytes]], None]) -> None:
    """Write beside the target and move it into place, so that a crash leaves the old file or none."""
    if not target.parent.is_dir():
        raise ValueError(f"{target}: there is no folder {target.parent}")
    try:
        with tempfile.NamedTemporaryFile(
            dir=target.parent, prefix=f".{target.name}.", suffix=".part", delete=False
        ) as out:
            fill(out)
            out.flush()
            os.fsync(out.fileno())
        Path(out.name).chmod(0o666 & ~_umask())
        Path(out.name).replace(target)
    except OSError as error:
        raise ValueError(f"{target}: cannot be written: {error}") from None
    finally:
        if "out" in locals():
            Path(out.name).unlink(missing_ok=True)


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def _ending(path: Path) -> str:
    kind = ENDINGS.get(path.suffix.lower())
    if kind is None:
        raise ValueError(
            f"{path}: the ending {path.suffix!r} says no format; expected one of {', '.join(ENDINGS)}, or pass format="
        )
    return kind
