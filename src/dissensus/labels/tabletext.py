"""CSV, TSV, JSON and JSONL text -> Arrow tables and records, with bounded memory and errors that name the row."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv as csv

MAX_LINE = 16 << 20  # bytes; also the block size of the CSV reader, so a longer line cannot be held
MAX_JSON = 1 << 30  # bytes of one JSON document, which has to be parsed whole


def read_delimited(path: Path, delimiter: str, encoding: str = "utf-8") -> pa.Table:
    """A CSV or TSV file with a header, every column as text exactly as typed; an empty cell is null.

    Handles a byte-order mark, quoted delimiters and quoted newlines. Rows are counted from 1 after the header.
    """
    wrong: list[str] = []

    def refuse(row: csv.InvalidRow) -> str:
        number = f"row {row.number - 1}" if row.number is not None else "a row"
        wrong.append(
            f"{path}: {number} has {row.actual_columns} columns, the header has {row.expected_columns}: "
            f"{row.text!r:.200}; quote values that contain the delimiter"
        )
        return "error"

    header = _header(path, delimiter, encoding)
    try:
        table = csv.open_csv(
            path,
            read_options=csv.ReadOptions(block_size=MAX_LINE, use_threads=False, encoding=encoding),
            parse_options=csv.ParseOptions(delimiter=delimiter, newlines_in_values=True, invalid_row_handler=refuse),
            convert_options=csv.ConvertOptions(
                column_types={name: pa.string() for name in header},
                strings_can_be_null=True,
                quoted_strings_can_be_null=False,
                null_values=[""],
            ),
        ).read_all()
    except pa.ArrowInvalid as error:
        if wrong:
            raise ValueError(wrong[0]) from None
        raise ValueError(_csv_trouble(path, str(error), encoding)) from None
    if table.num_rows == 0:
        raise ValueError(f"{path}: the header {header} is followed by no rows; expected one row per answer")
    return table


def read_json(path: Path) -> Any:
    """One JSON document, at most 1 GiB."""
    size = path.stat().st_size
    if size > MAX_JSON:
        raise ValueError(
            f"{path}: one JSON document of {size:,} bytes; at most {MAX_JSON:,} can be held in memory: "
            "export it as JSONL, CSV or Parquet, or in parts"
        )
    text = _decoded(path, path.read_bytes())
    if not text.strip():
        raise ValueError(f"{path}: the file is empty; expected a JSON document")
    try:
        return json.loads(text, parse_constant=_no_constant)
    except (json.JSONDecodeError, RecursionError, ValueError) as error:
        where = (
            f"line {error.lineno}, column {error.colno}: {error.msg}"
            if isinstance(error, json.JSONDecodeError)
            else str(error)
        )
        raise ValueError(
            f"{path}: not valid JSON: {where}; if each line is a record of its own, name it .jsonl"
        ) from None


def read_json_lines(path: Path) -> Iterator[dict[str, Any]]:
    """The records of a JSONL file, one object a line; blank lines are skipped."""
    seen = False
    with path.open("rb") as lines:
        number = 0
        while line := lines.readline(MAX_LINE + 1):
            number += 1
            if len(line) > MAX_LINE:
                raise ValueError(f"{path}: line {number} is longer than {MAX_LINE:,} bytes; expected one record a line")
            text = _decoded(path, line, number).strip()
            if not text:
                continue
            seen = True
            try:
                record = json.loads(text, parse_constant=_no_constant)
            except (ValueError, RecursionError) as error:
                raise ValueError(f"{path}: line {number} is not valid JSON ({error}): {text[:120]!r}") from None
            if not isinstance(record, dict):
                raise ValueError(f"{path}: line {number} is {text[:120]!r}; expected a JSON object in braces")
            yield record
    if not seen:
        raise ValueError(f"{path}: the file is empty; expected one JSON object a line")


def records_table(records: list[dict[str, Any]], source: str) -> pa.Table:
    """Records as a table, columns in the order they first appear, null where a record lacks one."""
    names = list(dict.fromkeys(name for record in records for name in record))
    columns = {}
    for name in names:
        values = [record.get(name) for record in records]
        try:
            columns[name] = pa.array(values)
        except (pa.ArrowInvalid, pa.ArrowTypeError, OverflowError, pa.ArrowNotImplementedError):
            row = next(i for i, value in enumerate(values) if type(value) is not type(values[0]) and value is not None)
            raise ValueError(
                f"{source}: column {name!r} mixes kinds: record 1 has {values[0]!r:.80}, record {row + 1} has "
                f"{values[row]!r:.80}; expected one kind of value in a column"
            ) from None
    return pa.table(columns)


def typed(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """A text column as integers, floats or booleans where every value reads back to the same text, else as it is."""
    if not pa.types.is_string(column.type) or column.null_count == len(column):
        return column
    for kind in (pa.int64(), pa.float64()):
        try:
            cast = column.cast(kind)
        except pa.ArrowInvalid:
            continue
        if pa.types.is_floating(kind) or pc.all(pc.equal(cast.cast(pa.string()), column)).as_py():
            return cast
        return column
    if pc.all(pc.is_in(column, pa.array(["true", "false", None]))).as_py():
        return pc.equal(column, "true")
    return column


def _header(path: Path, delimiter: str, encoding: str) -> list[str]:
    with path.open("rb") as start:
        head = start.read(MAX_LINE)
    if not head.strip():
        raise ValueError(f"{path}: the file is empty; expected a header line and one row per answer")
    if head[:2] in (b"\xff\xfe", b"\xfe\xff") and encoding.lower().replace("-", "") == "utf8":
        raise ValueError(
            f"{path}: this is UTF-16 text (it starts with {head[:2]!r}); pass encoding='utf-16' or save as UTF-8"
        )
    first = head.splitlines()[0] if head else b""
    if len(first) >= MAX_LINE:
        raise ValueError(f"{path}: the first line is longer than {MAX_LINE:,} bytes; expected a header line")
    try:
        reader = csv.read_csv(
            pa.BufferReader(head[: len(head) if len(head) < MAX_LINE else head.rfind(b"\n") + 1]),
            read_options=csv.ReadOptions(block_size=MAX_LINE, use_threads=False, encoding=encoding),
            parse_options=csv.ParseOptions(
                delimiter=delimiter, newlines_in_values=True, invalid_row_handler=lambda _: "skip"
            ),
            convert_options=csv.ConvertOptions(check_utf8=False),
        )
    except (pa.ArrowInvalid, UnicodeDecodeError) as error:
        raise ValueError(_csv_trouble(path, str(error), encoding)) from None
    names: list[str] = reader.column_names
    repeated = next((name for i, name in enumerate(names) if name in names[:i]), None)
    if repeated is not None:
        raise ValueError(f"{path}: two columns are named {repeated!r}; expected different names in the header {names}")
    return names


def _csv_trouble(path: Path, message: str, encoding: str) -> str:
    if "straddling" in message or "block size" in message:
        return f"{path}: a row is longer than {MAX_LINE:,} bytes; expected one answer a row (is a quote left open?)"
    if "UTF8" in message or "utf" in message.lower():
        return _bad_bytes(path, encoding)
    return f"{path}: not readable as delimited text: {message}"


def _bad_bytes(path: Path, encoding: str) -> str:
    """Where the bytes stop being `encoding`, for files that mix encodings."""
    with path.open("rb") as lines:
        number = 0
        while line := lines.readline(MAX_LINE):
            number += 1
            try:
                line.decode(encoding)
            except (UnicodeDecodeError, LookupError) as error:
                bad = line[error.start : error.start + 8] if isinstance(error, UnicodeDecodeError) else line[:8]
                return (
                    f"{path}: line {number} is not {encoding} text (bytes {bad!r}); "
                    "save the file as UTF-8, or pass encoding='latin-1' if that is what it is"
                )
    return f"{path}: the text is not {encoding}; save the file as UTF-8, or pass encoding="


def _decoded(path: Path, data: bytes, line: int | None = None) -> str:
    try:
        return data.decode("utf-8-sig" if line in (None, 1) else "utf-8")
    except UnicodeDecodeError as error:
        where = f"line {line}" if line else f"byte {error.start}"
        raise ValueError(
            f"{path}: {where} is not UTF-8 text (bytes {data[error.start : error.start + 8]!r}); save the file as UTF-8"
        ) from None


def _no_constant(name: str) -> Any:
    raise ValueError(f"{name} is not a JSON number; use null where a value is missing")
