"""Frames of pandas, polars and Arrow <-> the columns of labels; pandas and polars are loaded only when asked for."""

from __future__ import annotations

import importlib
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from dissensus.fronts import not_installed
from dissensus.labels.names import first_repeated, text_column
from dissensus.labels.refusals import PythonWay, Refusal, Way
from dissensus.labels.row_errors import RowError

INDEX = "__index_level_0__"  # the column of a pandas index without a name, also in a Parquet file pandas wrote
ROLES = ("item", "annotator", "label", "seconds")


def frame_table(frame: Any) -> pa.Table:
    """The Arrow table of a frame, its index as the first column if it has a name or is not just row numbers."""
    if isinstance(frame, pa.Table):
        return frame
    if type(frame).__name__ == "Series":
        raise ValueError(
            "a series is one column; expected a frame with items and labels: pandas' reset_index makes one"
        )
    try:
        if hasattr(frame, "reset_index"):
            return _pandas_table(frame)
        if hasattr(frame, "__arrow_c_stream__"):
            table = pa.table(frame)
            plain = [field.with_type(_plain_type(field.type)) for field in table.schema]
            return table.cast(pa.schema(plain, metadata=table.schema.metadata))
    except (TypeError, OverflowError, pa.ArrowException) as error:
        raise Refusal(
            f"a column of the frame fits no Arrow type ({error})",
            ways=[
                PythonWay("turn sparse columns into dense ones with sparse.to_dense()"),
                PythonWay("turn mixed values and whole numbers above 2**63 into text with astype(str)"),
            ],
        ) from None
    way_out = "collect it first" if type(frame).__name__ == "LazyFrame" else "read(path) reads a file"
    raise ValueError(f"{type(frame).__name__} is not a pandas, polars or Arrow frame: {way_out}")


def find_columns(frame: Any, **roles: str | None) -> tuple[pa.Table, dict[str, str]]:
    """The table of a frame and the column of each role; refused if a column is not there.

    A role of None has no column, and `seconds` and `votes` may be absent: not every source has them.
    """
    table = frame_table(frame)
    table = table.drop_columns([INDEX]) if INDEX in table.column_names else table
    repeated = first_repeated(table.column_names)
    if repeated is not None:
        raise ValueError(f"two columns are named {repeated!r}; rename one of {table.column_names}")
    columns = {role: name for role, name in roles.items() if name is not None}
    twice = first_repeated(list(columns.values()))
    if twice is not None:
        both = [role for role, name in columns.items() if name == twice]
        raise ValueError(f"column {twice!r} is named for {' and '.join(both)}; each of them needs a column of its own")
    for role in ("seconds", "votes"):
        if columns.get(role) == role and role not in table.column_names:
            del columns[role]
    absent = next((role for role, name in columns.items() if name not in table.column_names), None)
    if absent is not None:
        unknown = [PythonWay("pass {annotator} if the annotators are unknown", annotator=None)]
        raise Refusal(
            f"no column {columns[absent]!r} for the {absent}; the columns are {table.column_names}",
            ways=[
                Way(f"name its column with {{{absent}}}", **{absent: ...}),
                *(unknown if absent == "annotator" else ()),
            ],
        )
    return decode_columns(table), columns


def decode_columns(table: pa.Table) -> pa.Table:
    """Dictionary columns with a null among their values as plain ones, so that gaps can be counted."""
    for place, field in enumerate(table.schema):
        if pa.types.is_dictionary(field.type) and any(c.dictionary.null_count for c in table[field.name].chunks):
            table = table.set_column(place, field.name, table[field.name].cast(field.type.value_type))
    return table


def name_column(table: pa.Table, column: str) -> pa.ChunkedArray:
    """A column of names without gaps; whole floats are integers again.  (m,)"""
    values = table[column]
    kind = values.type
    missing = np.flatnonzero(_is_missing(values))
    if missing.size:
        raise RowError("row", missing[0], f"has no value in column {column!r}; every row needs one")
    if pa.types.is_dictionary(kind) or pa.types.is_integer(kind):
        return values
    if pa.types.is_floating(kind):
        return whole_floats(values)
    if pa.types.is_nested(kind) or pa.types.is_binary(kind):
        raise ValueError(f"column {column!r} has {kind}; expected names or numbers")
    return text_column(values)


def number_column(table: pa.Table, column: str) -> np.ndarray:
    """A column as floats, NaN if it is null.  (m,)"""
    values = table[column]
    try:
        return np.asarray(values.cast(pa.float64()).to_numpy(), dtype=np.float64)
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
        for row, value in enumerate(values.to_pylist()):
            try:
                float(value if value is not None else "nan")
            except (TypeError, ValueError):
                raise RowError("row", row, f"has {value!r} in column {column!r}; expected a number") from None
        raise ValueError(f"column {column!r} has {values.type}; expected numbers") from None


def whole_floats(values: pa.ChunkedArray) -> pa.ChunkedArray:
    """Floats that are all whole (a frame with gaps makes integers floats) as integers again, else as they are."""
    if not pa.types.is_floating(values.type):
        return values
    try:
        return values.cast(pa.int64())
    except pa.ArrowInvalid:
        return values


def class_column(classes: tuple[str, ...], codes: np.ndarray) -> pa.Array:
    """Class codes as names, null if negative.  (m,)"""
    names = pa.array(classes, pa.string())
    return pa.DictionaryArray.from_arrays(pa.array(codes, mask=codes < 0), names).cast(pa.string())


def with_extra(columns: dict[str, Any], extra: pa.Table | None, reserved: tuple[str, ...] = ()) -> pa.Table:
    """The columns of a value, then the extra ones; a role whose name an extra column has is called label_code.

    reserved: beginnings of names that the value's own columns have, so that an extra column may not
    """
    beside = [] if extra is None else extra.column_names
    own = {free_name(name, beside) if name in ROLES else name: column for name, column in columns.items()}
    taken = [name for name in beside if name in own or (reserved and name.startswith(reserved))]
    if taken:
        raise ValueError(f"an extra column is named {taken[0]!r}, as one of the value's own columns; rename it first")
    table = pa.table(own)
    for field, column in zip(extra.schema, extra.columns, strict=True) if extra is not None else ():
        table = table.append_column(field, column)
    return table


def free_name(wanted: str, taken: list[str]) -> str:
    """The name, or a variant of it that is not taken."""
    while wanted in taken:
        wanted += "_code"
    return wanted


def pandas_frame(table: pa.Table) -> Any:
    _optional("pandas")
    return table.to_pandas()


def polars_frame(table: pa.Table) -> Any:
    return _optional("polars").from_arrow(table)


def _optional(package: str) -> Any:
    try:
        return importlib.import_module(package)
    except ModuleNotFoundError:
        raise not_installed("this frame", package) from None


def _is_missing(values: pa.ChunkedArray) -> np.ndarray:
    nan = pa.types.is_floating(values.type)
    if not values.null_count and not nan:
        return np.zeros(0, dtype=bool)
    return np.asarray(pc.is_null(values, nan_is_null=nan).to_numpy())


def _pandas_table(frame: Any) -> pa.Table:
    index = frame.index
    if index.nlevels > 1 or (index.name is not None and index.name not in frame.columns):
        frame = frame.reset_index()
    elif index.name is None and type(index).__name__ != "RangeIndex":
        frame = frame.reset_index(names=INDEX)
    names = [str(name) for name in frame.columns]
    return pa.Table.from_pandas(frame, preserve_index=False).rename_columns(names).replace_schema_metadata(None)


def _plain_type(kind: pa.DataType) -> pa.DataType:
    """The type most tools write: polars uses large and view types for text and lists."""
    if pa.types.is_string_view(kind) or pa.types.is_large_string(kind):
        return pa.string()
    if pa.types.is_large_list(kind) or pa.types.is_list(kind):
        return pa.list_(_plain_type(kind.value_type))
    if pa.types.is_struct(kind):
        return pa.struct([field.with_type(_plain_type(field.type)) for field in kind])
    if pa.types.is_dictionary(kind):
        return pa.dictionary(kind.index_type, _plain_type(kind.value_type), kind.ordered)
    return kind
