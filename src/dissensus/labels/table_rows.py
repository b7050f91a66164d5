"""What every table of answers has: names, numbers, missing values, repeated answers."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from dissensus.labels.columns import REPEAT_FLAGS, Reading, choose
from dissensus.labels.names import encode
from dissensus.labels.tabletext import typed


def shared_fields(
    table: pa.Table, reading: Reading, source: str, skip: str | None = None
) -> tuple[pa.Table, dict[str, str], dict[str, Any]]:
    """The fields every kind of answer has, after repeated answers were dealt with."""
    roles = {}
    for role in ("item", "annotator", "seconds"):
        column = choose(table, role, reading, source, needed=role == "item")
        if column is not None and column != skip:
            roles[role] = column
    if "annotator" not in roles:
        reading.say("no annotator column: who answered is not known")
    codes = {"item": encoded(table, roles["item"], reading.items, source)}
    if "annotator" in roles:
        codes["annotator"] = encoded(table, roles["annotator"], reading.annotators, source)
        keep = _answered_once(table, codes["item"][0], codes["annotator"][0], roles, reading, source)
        if keep.size < table.num_rows:
            table = table.take(pa.array(keep))
            codes = {role: (code[keep], names) for role, (code, names) in codes.items()}
    fields: dict[str, Any] = {}
    for role, (code, names) in codes.items():
        fields |= {role: code, f"{role}s": names}
    if "seconds" in roles:
        fields["seconds"] = numbers(table, roles["seconds"], source)
    return table, roles, fields


def encoded(table: pa.Table, column: str, names: Any, source: str) -> tuple[np.ndarray, np.ndarray]:
    """Codes (m,) and names of a column, refused where it holds a name that is not among those given."""
    codes, known = encode(names_column(table, column, source), names)
    bad = np.flatnonzero(codes < 0)
    if bad.size:
        raise ValueError(
            f"{source}: row {bad[0] + 1} has {table[column][int(bad[0])].as_py()!r} in column {column!r}, which is not "
            f"among the {known.size} names given; {bad.size} of {table.num_rows} rows have another"
        )
    return codes, known


def _answered_once(
    table: pa.Table, item: np.ndarray, annotator: np.ndarray, roles: dict[str, str], reading: Reading, source: str
) -> np.ndarray:
    """Rows to keep under the rule for repeated answers; rows flagged as planned repeats are no accident."""
    everything = np.arange(table.num_rows)
    if reading.repeats == "keep":
        return everything
    flag = next((name for name in REPEAT_FLAGS if name in table.column_names), None)
    planned = np.zeros(table.num_rows, dtype=bool)
    if flag is not None and pa.types.is_boolean(typed(table[flag]).type):
        planned = pc.fill_null(typed(table[flag]), False).to_numpy(zero_copy_only=False)
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
    if reading.repeats == "error":
        row = int(np.flatnonzero(again)[0])
        first = int(rows[pair[rows] == pair[row]][0])
        raise ValueError(
            f"{source}: row {row + 1} is a second answer of {who(table, roles, row)} (the first is row {first + 1}); "
            f"{again.sum()} of {table.num_rows} rows repeat an answer: choose repeats='first', 'last' or 'keep' "
            "(on the command line --repeats)"
        )
    reading.say(f"{again.sum()} repeated answers left out, the {reading.repeats} of each annotator kept")
    return everything[~again]


def extra_columns(table: pa.Table, used: list[str], reading: Reading) -> pa.Table:
    """The columns that play no role, with numbers as numbers where the source was text."""
    rest = table.drop_columns(used).replace_schema_metadata(None)
    return pa.table({name: typed(rest[name]) for name in rest.column_names}) if reading.text else rest


def without_missing(table: pa.Table, column: str, role: str, reading: Reading, source: str) -> pa.Table:
    if not table[column].null_count:
        return table
    missing = pc.is_null(table[column]).to_numpy()
    if reading.missing == "error":
        raise ValueError(
            f"{source}: row {np.flatnonzero(missing)[0] + 1} has no {role} (column {column!r}); {missing.sum()} of "
            f"{table.num_rows} rows have none: fill them, or leave them out with missing='drop' (--missing drop)"
        )
    reading.say(f"{missing.sum()} rows without a {role} left out")
    return table.filter(pa.array(~missing))


def names_column(table: pa.Table, column: str, source: str) -> pa.ChunkedArray:
    """A column of names, without gaps."""
    values = table[column]
    if values.null_count:
        row = int(np.flatnonzero(pc.is_null(values).to_numpy())[0])
        raise ValueError(f"{source}: row {row + 1} has no value in column {column!r}; every row needs one")
    kind = values.type
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


def numbers(table: pa.Table, column: str, source: str) -> np.ndarray:
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
                    f"{source}: row {row + 1} has {value!r} in column {column!r}; expected a number"
                ) from None
        raise ValueError(f"{source}: column {column!r} holds {values.type}; expected numbers") from None


def who(table: pa.Table, roles: dict[str, str], row: int) -> str:
    return ", ".join(f"{role} {table[column][row].as_py()!r}" for role, column in roles.items() if role != "seconds")
