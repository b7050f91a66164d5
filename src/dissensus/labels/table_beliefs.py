"""A table of partial probabilities -> Beliefs."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from dissensus.labels.beliefs import Beliefs
from dissensus.labels.columns import Reading, top_two_columns
from dissensus.labels.names import class_order
from dissensus.labels.table_rows import extra_columns, nan_as_null, numbers, shared_fields, whole_floats
from dissensus.labels.tabletext import typed


def beliefs_from_table(table: pa.Table, reading: Reading, source: str, *, top_two: bool) -> Beliefs:
    table, roles, shared = shared_fields(table, reading, source)
    scale = reading.scale
    if top_two:
        columns = top_two_columns(table)
        if columns is None:
            raise ValueError(f"{source}: no top1, top1_prob, top2, top2_prob columns among {table.column_names}")
        used = [name for name in columns if name is not None]
        stated, ruled_out, named, classes = _top_two(table, columns, reading.classes, source)
        if scale is None:
            scale = 100.0 if np.nanmax(stated, initial=0) > 1 else 1.0
            if scale == 100:
                reading.say("probabilities are percents (scale = 100)")
    else:
        used, stated, ruled_out, named, classes = _stated_columns(table, reading, source)
    return Beliefs(
        **shared, classes=classes, stated=stated / (scale or 1.0), ruled_out=ruled_out, named=named,
        extra=extra_columns(table, [*roles.values(), *used], reading),
    )  # fmt: skip


def _stated_columns(table: pa.Table, reading: Reading, source: str) -> tuple[Any, ...]:
    classes = [name.removeprefix("stated.") for name in table.column_names if name.startswith("stated.")]
    if reading.classes is not None and set(reading.classes) != set(classes):
        raise ValueError(
            f"{source}: the stated. columns are for {classes}, but the classes asked for are {reading.classes}"
        )
    if not classes:
        raise ValueError(f"{source}: no column is named stated.CLASS; the columns are {table.column_names}")
    count = sum(name.startswith("named.") for name in table.column_names)
    places = [f"named.{place + 1}" for place in range(count)]
    if not set(places) <= set(table.column_names):
        raise ValueError(f"{source}: expected the columns {places} for the classes named; got {table.column_names}")
    out_columns = [f"ruled_out.{name}" for name in classes if f"ruled_out.{name}" in table.column_names]
    m = table.num_rows
    stated = np.column_stack([numbers(table, f"stated.{name}", source) for name in classes])
    ruled_out = np.zeros((m, len(classes)), dtype=bool)
    for code, name in enumerate(classes):
        if f"ruled_out.{name}" in out_columns:
            ruled_out[:, code] = _flags(table, f"ruled_out.{name}", source)
    named = np.full((m, len(places)), -1, dtype=np.int32)
    for place, column_name in enumerate(places):
        named[:, place] = _class_codes(table, column_name, classes, source)
    used = [f"stated.{name}" for name in classes] + out_columns + places
    return used, stated, ruled_out, named, tuple(classes)


def _top_two(table: pa.Table, columns: Any, classes: Any, source: str) -> tuple[Any, ...]:
    first, first_prob, second, second_prob, out = columns
    lists = [_listed(value) for value in table[out].to_pylist()] if out else [[]] * table.num_rows
    if classes is None:
        columns = [whole_floats(nan_as_null(table, name)[name], name, None) for name in (first, second)]
        texts = {str(v) for column in columns for v in column.unique().to_pylist() if v is not None}
        classes = class_order((texts - {"-1", ""}) | {str(v) for row in lists for v in row})
    m, k = table.num_rows, len(classes)
    rows = np.arange(m)
    stated = np.full((m, k), np.nan)
    named = np.column_stack([_class_codes(table, name, classes, source) for name in (first, second)])
    for place, column in enumerate((first_prob, second_prob)):
        prob = numbers(table, column, source)
        # One class named twice keeps the probability given last, unless that is 0: so the released CIFAR-10S labels.
        again = (named[:, 0] == named[:, place]) & (prob == 0) if place else False
        said = (named[:, place] >= 0) & ~np.isnan(prob) & ~np.asarray(again)
        stated[rows[said], named[said, place]] = prob[said]
    ruled_out = np.zeros((m, k), dtype=bool)
    code = {name: i for i, name in enumerate(classes)}
    for row, values in enumerate(lists):
        for value in values:
            if str(value) not in code:
                raise ValueError(f"{source}: row {row + 1} rules out {value!r}, but the classes are {list(classes)}")
            ruled_out[row, code[str(value)]] = True
    return stated, ruled_out, named.astype(np.int32), tuple(classes)


def _flags(table: pa.Table, column: str, source: str) -> np.ndarray:
    """A column of true and false, where nothing means false.  (m,) bool"""
    values = typed(table[column])
    if values.null_count == len(values):
        return np.zeros(len(values), dtype=bool)
    if not pa.types.is_boolean(values.type):
        first = next(value for value in values.to_pylist() if value is not None)
        raise ValueError(f"{source}: column {column!r} holds {first!r:.80}; expected true or false")
    flags: np.ndarray = pc.fill_null(values, False).to_numpy()
    return flags


def _listed(value: Any) -> list[Any]:
    """The classes a cell rules out: a list, or text separated by |."""
    if value is None or value == "":
        return []
    return list(value) if isinstance(value, list) else str(value).split("|")


def _class_codes(table: pa.Table, column: str, classes: Any, source: str) -> np.ndarray:
    """Codes of a column that names classes, -1 where it is null (or holds -1 or "" and no class is called that)."""
    values = whole_floats(nan_as_null(table, column)[column], column, None).to_pylist()
    code = {str(name): i for i, name in enumerate(classes)}
    absent = {"-1", ""} - set(code)
    codes = np.array(
        [-1 if value is None or str(value) in absent else code.get(str(value), -2) for value in values], dtype=np.int32
    )
    bad = np.flatnonzero(codes == -2)
    if bad.size:
        raise ValueError(
            f"{source}: row {bad[0] + 1} names {values[bad[0]]!r} in column {column!r}, but the classes "
            f"are {list(classes)}"
        )
    return codes
