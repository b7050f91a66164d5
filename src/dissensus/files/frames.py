"""pandas, polars and other Arrow-speaking frames -> Arrow tables."""

from __future__ import annotations

from typing import Any

import pyarrow as pa

from dissensus.files.tables.columns import USUAL, Reading
from dissensus.files.tables.reading import METADATA

INDEX = "__index_level_0__"  # the column of a pandas index without a name, also in a Parquet file pandas wrote


def frame_table(frame: Any) -> pa.Table:
    """The table of a frame, its index as the first column where it has a name or is not just row numbers."""
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
        raise ValueError(
            f"a column of the frame fits no Arrow type ({error}): turn sparse columns into dense ones "
            "(sparse.to_dense), and mixed values or whole numbers above 2**63 into text (astype(str))"
        ) from None
    raise ValueError(f"cannot read {type(frame).__name__}; expected a path, or a pandas, polars or Arrow table")


def with_index_named(table: pa.Table, reading: Reading) -> pa.Table:
    """An index without a name holds the items where no column does; else it is left over from choosing rows."""
    if INDEX not in table.column_names or METADATA in (table.schema.metadata or {}):
        return table  # in a table of ours it is a class or an extra column of that name
    if reading.item is None and not any(name.lower() in USUAL["item"] for name in table.column_names):
        reading.say("item = the index of the frame")
        return table.rename_columns(["item" if name == INDEX else name for name in table.column_names])
    return table.drop_columns([INDEX])


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
