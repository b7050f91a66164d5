"""JSON and JSONL text <-> records, with bounded memory and errors that name the line."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from dissensus.files.delimited import MAX_LINE
from dissensus.labels.names import first_repeated

MAX_JSON = 1 << 30  # bytes of one JSON document, which has to be parsed whole


def read_json(path: Path) -> Any:
    """One JSON document, at most 1 GiB."""
    size = path.stat().st_size
    if size > MAX_JSON:
        raise ValueError(
            f"{path}: one JSON document of {size:,} bytes; at most {MAX_JSON:,} can be held in memory: "
            "export it as JSONL, CSV or Parquet, or in parts"
        )
    text = _decode(path, path.read_bytes())
    if not text.strip():
        raise ValueError(f"{path}: the file is empty; expected a JSON document")
    try:
        return json.loads(text, parse_constant=_no_constant, object_pairs_hook=_each_key_once)
    except (ValueError, RecursionError) as error:
        where = (
            f"line {error.lineno}, column {error.colno}: {error.msg}"
            if isinstance(error, json.JSONDecodeError)
            else str(error)
        )
        raise ValueError(
            f"{path}: not valid JSON: {where}; if each line is a record of its own, name it .jsonl"
        ) from None


def read_json_lines(path: Path) -> Iterator[dict[str, Any]]:
    """The records of a JSONL file, one object per line; blank lines are skipped."""
    seen = False
    with path.open("rb") as lines:
        number = 0
        while line := lines.readline(MAX_LINE + 1):
            number += 1
            if len(line) > MAX_LINE:
                raise ValueError(
                    f"{path}: line {number} is longer than {MAX_LINE:,} bytes; expected one record per line"
                )
            text = _decode(path, line, number).strip()
            if not text:
                continue
            seen = True
            try:
                record = json.loads(text, parse_constant=_no_constant, object_pairs_hook=_each_key_once)
            except (ValueError, RecursionError) as error:
                raise ValueError(
                    f"{path}: line {number} is not valid JSON ({error}): {text[:120]!r}; expected one record per line: "
                    "if the file is one document, name it .json"
                ) from None
            if not isinstance(record, dict):
                raise ValueError(
                    f"{path}: line {number} is {text[:120]!r}; expected a JSON object in braces: if the file is one "
                    "document, name it .json"
                )
            yield record
    if not seen:
        raise ValueError(f"{path}: the file is empty; expected one JSON object per line")


def records_table(records: list[dict[str, Any]], source: str) -> pa.Table:
    """Records as a table, columns in the order they first appear, null if a record lacks one."""
    columns = {}
    for name in dict.fromkeys(name for record in records for name in record):
        values = [record.get(name) for record in records]
        try:
            columns[name] = pa.array(_beyond_64_bits_as_text(values))
        except (pa.ArrowException, ValueError, OverflowError, RecursionError) as error:
            raise ValueError(_describe_mix(name, values, error, source)) from None
    return pa.table(columns)


def json_records(table: pa.Table) -> list[dict[str, Any]]:
    """The rows of a table as JSON has them; NaN, which it does not have, becomes null."""
    for place, field in enumerate(table.schema):
        if pa.types.is_floating(field.type):
            column = table[field.name]
            known = pc.if_else(pc.is_nan(column), pa.scalar(None, field.type), column)
            table = table.set_column(place, field.name, known)
    rows: list[dict[str, Any]] = table.to_pylist()
    return rows


def json_bytes(records: Any, *, lines: bool, name: str) -> bytes:
    """Records as one document or one per line; dates, times and decimals as text."""

    def dump(value: Any, indent: int | None = None) -> str:
        return json.dumps(value, ensure_ascii=False, indent=indent, allow_nan=False, default=_spell)

    try:
        return _join(map(dump, records)).encode() if lines else dump(records, 1).encode()
    except ValueError as error:
        raise ValueError(f"{name}: JSON cannot hold some value ({error}); write .parquet") from None


def _beyond_64_bits_as_text(values: list[Any]) -> list[Any]:
    """Long ids are names: if a column of integers has one that does not fit, all become text."""
    said = [value for value in values if value is not None]
    if not said or {type(value) for value in said} != {int} or -(2**63) <= min(said) <= max(said) < 2**63:
        return values
    return [None if value is None else str(value) for value in values]


def _each_key_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    record = dict(pairs)
    if len(record) < len(pairs):
        repeated = first_repeated([key for key, _ in pairs])
        said = [value for key, value in pairs if key == repeated]
        raise ValueError(f"one object has the key {repeated!r} {len(said)} times, with the values {said!r:.120}")
    return record


def _join(lines: Iterable[str]) -> str:
    return "".join(f"{line}\n" for line in lines)


def _spell(value: Any) -> str:
    if isinstance(value, bytes):
        raise ValueError(f"the bytes {value!r:.40}")
    return str(value)


def _describe_mix(name: str, values: list[Any], error: Exception, source: str) -> str:
    said = [row for row, value in enumerate(values) if value is not None]
    other = next((row for row in said if type(values[row]) is not type(values[said[0]])), None)
    if other is None:
        return f"{source}: column {name!r} cannot be held in a table ({error}); correct its values or leave it out"
    return (
        f"{source}: column {name!r} mixes kinds: record {said[0] + 1} has {values[said[0]]!r:.80}, record {other + 1} "
        f"has {values[other]!r:.80}; expected one kind of value in a column"
    )


def _decode(path: Path, data: bytes, line: int | None = None) -> str:
    try:
        return data.decode("utf-8-sig" if line in (None, 1) else "utf-8")
    except UnicodeDecodeError as error:
        where = f"line {line}" if line else f"byte {error.start}"
        raise ValueError(
            f"{path}: {where} is not UTF-8 text (bytes {data[error.start : error.start + 8]!r}); save the file as UTF-8"
        ) from None


def _no_constant(name: str) -> Any:
    raise ValueError(f"{name} is not a JSON number; use null where a value is missing")
