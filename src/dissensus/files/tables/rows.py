"""Columns that every table of answers has: names, missing values, repeated answers."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from dissensus.files.spelling import infer_types
from dissensus.files.tables.columns import REPEAT_FLAGS, Reading
from dissensus.files.tables.source import SourceTable
from dissensus.labels.frames import whole_floats
from dissensus.labels.names import encode, text_column
from dissensus.labels.refusals import Way, one_of


def choose_rows(source: SourceTable, where: Mapping[str, str] | None) -> SourceTable:
    """The rows whose columns have the values asked for."""
    for column, wanted in (where or {}).items():
        one_of("column", column, source.columns, place=source.name)
        texts = _numbers_spelled_alike(source.table[column], str(wanted))
        fitting = pc.fill_null(pc.equal(texts, str(wanted)), False)
        if not pc.any(fitting).as_py():
            seen = pc.unique(texts).to_pylist()[:8]
            raise ValueError(f"{source.name}: no row has {wanted!r} in column {column!r}; it has {seen}")
        before = source.size
        source = source.with_table(source.table.filter(fitting), np.flatnonzero(fitting.to_numpy()))
        source.say(f"{source.size:,} of {before:,} rows have {wanted!r} in column {column!r}")
    return source


def _numbers_spelled_alike(column: pa.ChunkedArray, wanted: str) -> pa.ChunkedArray:
    """A column as text, in which a whole float, 1.0, is the integer asked for, 1."""
    texts = text_column(column)
    if not re.fullmatch(r"-?[0-9]+", wanted):
        return texts
    return pc.if_else(pc.is_in(texts, pa.array([f"{wanted}.0"])), wanted, texts)


def shared_fields(
    source: SourceTable, reading: Reading, skip: str | None = None
) -> tuple[SourceTable, dict[str, str], dict[str, Any]]:
    """The rows that are left after repeated answers were dealt with, the column of each role, and the fields that
    every kind of answer has.

    reading: as `recognise` filled it in
    """
    columns = {role: getattr(reading, role) for role in ("item", "annotator", "seconds")}
    roles = {role: column for role, column in columns.items() if column and column != skip}
    codes = {"item": encode_column(source, roles["item"], reading.items)}
    if "annotator" in roles:
        codes["annotator"] = encode_column(source, roles["annotator"], reading.annotators)
        keep = _find_kept_answers(source, codes["item"][0], codes["annotator"][0], roles, reading)
        if keep.size < source.size:
            source = source.take(keep)
            codes = {role: (code[keep], names) for role, (code, names) in codes.items()}
    fields: dict[str, Any] = {}
    for role, (code, names) in codes.items():
        fields |= {role: code, f"{role}s": names}
    if "seconds" in roles:
        fields["seconds"] = source.numbers(roles["seconds"])
    return source, roles, fields


def encode_column(source: SourceTable, column: str, names: Any) -> tuple[np.ndarray, np.ndarray]:
    """Codes (m,) and names of a column, refused if it has a name that is not among those given."""
    codes, known = encode(source.names(column), names)
    bad = np.flatnonzero(codes < 0)
    if bad.size:
        odd = source.table[column][int(bad[0])].as_py()
        raise ValueError(
            f"{source.name}: row {source.row(bad[0])} has {odd!r} in column {column!r}, which is not among the "
            f"{known.size} names given; {bad.size} of {source.size} rows have another"
        )
    return codes, known


def _find_kept_answers(
    source: SourceTable, item: np.ndarray, annotator: np.ndarray, roles: dict[str, str], reading: Reading
) -> np.ndarray:
    """Rows to keep under the rule for repeated answers; rows flagged as planned repeats stay."""
    everything = np.arange(source.size)
    if reading.repeats == "keep":
        return everything
    planned = np.zeros(source.size, dtype=bool)
    flag = next((name for name in REPEAT_FLAGS if name in source.columns), None)
    if flag is not None:
        flagged = flags(source.table[flag])
        if flagged is None:
            source.say(f"column {flag!r} has values other than true and false, so it flags no repeats")
        else:
            planned = flagged
    pair = item.astype(np.int64) * (int(annotator.max(initial=0)) + 1) + annotator
    rows = everything[~planned]
    order = rows[np.argsort(pair[rows], kind="stable")]
    again = np.zeros(source.size, dtype=bool)
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
        raise source.refusal(
            f"row {source.row(row)} is a second answer of {who(source, roles, row)} (the first is row "
            f"{source.row(first)}); {again.sum()} of {source.size} rows repeat an answer",
            *(Way("pass {repeats}", repeats=rule) for rule in ("first", "last", "keep")),
        )
    source.say(f"{again.sum()} repeated answers left out, the {reading.repeats} of each annotator kept")
    return everything[~again]


def extra_columns(source: SourceTable, used: list[str]) -> pa.Table:
    """The columns that play no role, with numbers as numbers where the source was text."""
    rest = source.table.drop_columns(used).replace_schema_metadata(None)
    return pa.table({name: infer_types(rest[name]) for name in rest.column_names}) if source.text else rest


def without_missing(source: SourceTable, column: str, role: str, reading: Reading) -> SourceTable:
    """The rows that have a value in a column."""
    values = source.table[column]
    if not values.null_count:
        return source
    missing = pc.is_null(values).to_numpy()
    if reading.missing == "error":
        raise source.refusal(
            f"row {source.row(np.flatnonzero(missing)[0])} has no {role} (column {column!r}); {missing.sum()} of "
            f"{source.size} rows have none",
            Way("fill them"),
            Way("leave them out with {missing}", missing="drop"),
        )
    if missing.all():
        raise source.refusal(
            f"no row has a {role}, column {column!r} is empty",
            Way(f"name another column with {{{role}}}", **{role: ...}),
        )
    source.say(f"{missing.sum()} rows without a {role} left out")
    return source.with_table(source.table.filter(pa.array(~missing)), np.flatnonzero(~missing))


def nan_as_null(table: pa.Table, name: str) -> pa.Table:
    """The table with null for NaN in a column of floats."""
    column = table[name]
    if not pa.types.is_floating(column.type):
        return table
    known = pc.if_else(pc.is_null(column, nan_is_null=True), pa.scalar(None, column.type), column)
    return table.set_column(table.column_names.index(name), name, known)


def flags(column: pa.ChunkedArray) -> np.ndarray | None:
    """A column of true and false in any case, or of 1 and 0; a gap is false. None if it has other values.  (m,)"""
    if pa.types.is_boolean(column.type):
        return np.asarray(pc.fill_null(column, False).to_numpy())
    if pa.types.is_floating(column.type) or pa.types.is_integer(column.type):
        column = whole_floats(pc.if_else(pc.is_null(column, nan_is_null=True), 0, column))
    elif not (pa.types.is_null(column.type) or pa.types.is_string(column.type)):
        return None
    said = pc.fill_null(pc.utf8_lower(column.cast(pa.string())), "")
    if pc.all(pc.is_in(said, pa.array(["true", "false", "1", "0", ""]))).as_py() is False:
        return None
    true: np.ndarray = pc.is_in(said, pa.array(["true", "1"])).to_numpy()
    return true


def is_list(kind: pa.DataType) -> bool:
    return bool(pa.types.is_list(kind) or pa.types.is_large_list(kind) or pa.types.is_fixed_size_list(kind))


def who(source: SourceTable, roles: dict[str, str], row: int) -> str:
    parts = (f"{role} {source.table[column][row].as_py()!r}" for role, column in roles.items() if role != "seconds")
    return ", ".join(parts)
