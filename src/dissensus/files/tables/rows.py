"""What every table of answers has: names, numbers, missing values, repeated answers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from dissensus.files.delimited import typed
from dissensus.files.tables.columns import REPEAT_FLAGS, Reading, choose
from dissensus.labels.names import encode, text_column


def chosen_rows(
    table: pa.Table, where: Mapping[str, str] | None, reading: Reading, source: str
) -> tuple[pa.Table, Reading]:
    """The rows whose columns hold the values asked for, and the reading that knows where they stood."""
    for column, wanted in (where or {}).items():
        if column not in table.column_names:
            raise ValueError(f"{source}: no column {column!r} to choose rows by; the columns are {table.column_names}")
        texts = text_column(table[column])
        wished = pc.fill_null(pc.equal(texts, str(wanted)), False)
        if not pc.any(wished).as_py():
            seen = pc.unique(texts).to_pylist()[:8]
            raise ValueError(f"{source}: no row has {wanted!r} in column {column!r}; it holds {seen}")
        table, reading = table.filter(wished), reading.keeping(np.flatnonzero(wished.to_numpy()))
    return table, reading


def shared_fields(
    table: pa.Table, reading: Reading, source: str, skip: str | None = None
) -> tuple[pa.Table, Reading, dict[str, str], dict[str, Any]]:
    """The fields every kind of answer has, after repeated answers were dealt with."""
    roles = {}
    for role in ("item", "annotator", "seconds"):
        column = choose(table, role, reading, source, needed=role == "item")
        if column is not None and column != skip:
            roles[role] = column
    if "annotator" not in roles:
        reading.say("no annotator column: who answered is not known")
    codes = {"item": encoded(table, roles["item"], reading.items, reading, source)}
    if "annotator" in roles:
        codes["annotator"] = encoded(table, roles["annotator"], reading.annotators, reading, source)
        keep = _answered_once(table, codes["item"][0], codes["annotator"][0], roles, reading, source)
        if keep.size < table.num_rows:
            table, reading = table.take(pa.array(keep)), reading.keeping(keep)
            codes = {role: (code[keep], names) for role, (code, names) in codes.items()}
    fields: dict[str, Any] = {}
    for role, (code, names) in codes.items():
        fields |= {role: code, f"{role}s": names}
    if "seconds" in roles:
        fields["seconds"] = _times(table, roles["seconds"], reading, source)
    return table, reading, roles, fields


def encoded(table: pa.Table, column: str, names: Any, reading: Reading, source: str) -> tuple[np.ndarray, np.ndarray]:
    """Codes (m,) and names of a column, refused where it holds a name that is not among those given."""
    codes, known = encode(names_column(table, column, source, reading), names)
    bad = np.flatnonzero(codes < 0)
    if bad.size:
        odd = table[column][int(bad[0])].as_py()
        raise ValueError(
            f"{source}: row {reading.row(bad[0])} has {odd!r} in column {column!r}, which is not among the "
            f"{known.size} names given; {bad.size} of {table.num_rows} rows have another"
        )
    return codes, known


def _answered_once(
    table: pa.Table, item: np.ndarray, annotator: np.ndarray, roles: dict[str, str], reading: Reading, source: str
) -> np.ndarray:
    """Rows to keep under the rule for repeated answers; rows flagged as planned repeats are no accident."""
    everything = np.arange(table.num_rows)
    if reading.repeats == "keep":
        return everything
    planned = np.zeros(table.num_rows, dtype=bool)
    flag = next((name for name in REPEAT_FLAGS if name in table.column_names), None)
    if flag is not None:
        flagged = flags(table[flag])
        if flagged is None:
            reading.say(f"column {flag!r} holds more than true and false, so it flags no planned repeats")
        else:
            planned = flagged
    pair = item.astype(np.int64) * (int(annotator.max(initial=0)) + 1) + annotator
    rows = everything[~planned]
    order = rows[np.argsort(pair[rows], kind="stable")]
    again = np.zeros(table.num_rows, dtype=bool)
    same_as_before = pair[order][1:] == pair[order][:-1]
    if reading.repeats == "last":
        again[order[:-1][same_as_before]] = True
    else:
        again[order[1:][same_as_before]] = True
    if not again.any():
        return everything
    if reading.repeats in (None, "error"):
        row = int(np.flatnonzero(again)[0])
        first = int(rows[pair[rows] == pair[row]][0])
        raise ValueError(
            f"{source}: row {reading.row(row)} is a second answer of {who(table, roles, row)} (the first is row "
            f"{reading.row(first)}); {again.sum()} of {table.num_rows} rows repeat an answer: choose repeats='first', "
            "'last' or 'keep' (on the command line --repeats)"
        )
    reading.say(f"{again.sum()} repeated answers left out, the {reading.repeats} of each annotator kept")
    return everything[~again]


def extra_columns(table: pa.Table, used: list[str], reading: Reading) -> pa.Table:
    """The columns that play no role, with numbers as numbers where the source was text."""
    rest = table.drop_columns(used).replace_schema_metadata(None)
    return pa.table({name: typed(rest[name]) for name in rest.column_names}) if reading.text else rest


def without_missing(table: pa.Table, column: str, role: str, reading: Reading, source: str) -> tuple[pa.Table, Reading]:
    if not table[column].null_count:
        return table, reading
    missing = pc.is_null(table[column]).to_numpy()
    if reading.missing == "error":
        raise ValueError(
            f"{source}: row {reading.row(np.flatnonzero(missing)[0])} has no {role} (column {column!r}); "
            f"{missing.sum()} of {table.num_rows} rows have none: fill them, or leave them out with missing='drop' "
            "(--missing drop)"
        )
    if missing.all():
        raise ValueError(f"{source}: no row has a {role}, column {column!r} is empty; name another with {role}=")
    reading.say(f"{missing.sum()} rows without a {role} left out")
    return table.filter(pa.array(~missing)), reading.keeping(np.flatnonzero(~missing))


def names_column(table: pa.Table, column: str, source: str, reading: Reading | None = None) -> pa.ChunkedArray:
    """A column of names, without gaps."""
    values = table[column]
    kind = values.type
    if values.null_count or pa.types.is_floating(kind):
        missing = np.flatnonzero(pc.is_null(values, nan_is_null=pa.types.is_floating(kind)).to_numpy())
        if missing.size:
            row = (reading or Reading()).row(missing[0])
            raise ValueError(f"{source}: row {row} has no value in column {column!r}; every row needs one")
    if pa.types.is_dictionary(kind) or pa.types.is_integer(kind):
        return values
    if pa.types.is_floating(kind):
        return whole_floats(values, column, None)
    if pa.types.is_nested(kind) or pa.types.is_binary(kind):
        raise ValueError(f"{source}: column {column!r} holds {kind}; expected names or numbers")
    return values.cast(pa.string())


def nan_as_null(table: pa.Table, name: str) -> pa.Table:
    """The table with nothing where a column of floats holds NaN."""
    column = table[name]
    if not pa.types.is_floating(column.type):
        return table
    known = pc.if_else(pc.is_null(column, nan_is_null=True), pa.scalar(None, column.type), column)
    return table.set_column(table.column_names.index(name), name, known)


def whole_floats(values: pa.ChunkedArray, column: str, reading: Reading | None) -> pa.ChunkedArray:
    """Floats that are all whole (a frame with gaps makes integers floats) as integers again."""
    if not pa.types.is_floating(values.type):
        return values
    try:
        whole = values.cast(pa.int64())
    except pa.ArrowInvalid:
        return values
    if reading is not None:
        reading.say(f"column {column!r} holds whole floats: read as integers")
    return whole


def numbers(table: pa.Table, column: str, reading: Reading, source: str) -> np.ndarray:
    """A column as floats, NaN where null, or an error that names the row.  (m,)"""
    values = table[column]
    try:
        return np.asarray(values.cast(pa.float64()).to_numpy(), dtype=np.float64)
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
        for row, value in enumerate(values.to_pylist()):
            try:
                float(value if value is not None else "nan")
            except (TypeError, ValueError):
                raise ValueError(
                    f"{source}: row {reading.row(row)} has {value!r} in column {column!r}; expected a number"
                ) from None
        raise ValueError(f"{source}: column {column!r} holds {values.type}; expected numbers") from None


def flags(column: pa.ChunkedArray) -> np.ndarray | None:
    """A column of true and false in any case, or of 1 and 0, where nothing means false; None if it is none.  (m,)"""
    if pa.types.is_boolean(column.type):
        return np.asarray(pc.fill_null(column, False).to_numpy())
    if pa.types.is_floating(column.type) or pa.types.is_integer(column.type):
        column = whole_floats(pc.if_else(pc.is_null(column, nan_is_null=True), 0, column), "", None)
    elif not (pa.types.is_null(column.type) or pa.types.is_string(column.type)):
        return None
    said = pc.fill_null(pc.utf8_lower(column.cast(pa.string())), "")
    if pc.all(pc.is_in(said, pa.array(["true", "false", "1", "0", ""]))).as_py() is False:
        return None
    true: np.ndarray = pc.is_in(said, pa.array(["true", "1"])).to_numpy()
    return true


def is_list(kind: pa.DataType) -> bool:
    return bool(pa.types.is_list(kind) or pa.types.is_large_list(kind) or pa.types.is_fixed_size_list(kind))


def _times(table: pa.Table, column: str, reading: Reading, source: str) -> np.ndarray:
    seconds = numbers(table, column, reading, source)
    bad = np.flatnonzero((seconds < 0) | np.isinf(seconds))
    if bad.size:
        raise ValueError(
            f"{source}: row {reading.row(bad[0])} took {seconds[bad[0]]} seconds (column {column!r}); expected a time "
            f"of 0 or more, or nothing where unknown; {bad.size} of {seconds.size} are wrong"
        )
    return seconds


def who(table: pa.Table, roles: dict[str, str], row: int) -> str:
    return ", ".join(f"{role} {table[column][row].as_py()!r}" for role, column in roles.items() if role != "seconds")
