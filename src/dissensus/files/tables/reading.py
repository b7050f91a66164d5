"""A table -> Votes, Beliefs or Distributions."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import numpy as np
import pyarrow as pa

from dissensus.files.delimited import as_numbers
from dissensus.files.tables.beliefs import beliefs_from_table
from dissensus.files.tables.columns import Reading, choose, guess_layout
from dissensus.files.tables.matrix import distributions_from_table
from dissensus.files.tables.reshape import annotator_columns_to_rows, unnested
from dissensus.files.tables.rows import (
    extra_columns,
    is_list,
    nan_as_null,
    shared_fields,
    who,
    whole_floats,
    without_missing,
)
from dissensus.labels.names import encode_classes, first_repeated, text_column
from dissensus.labels.shares import Labels
from dissensus.labels.votes import Votes

METADATA = b"dissensus"  # key in an Arrow schema under which a written table says how to read it
STORED = ("layout", "item", "annotator", "label", "seconds", "classes", "items", "annotators", "scale")


def from_table(table: pa.Table, reading: Reading, source: str) -> Labels:
    """The value a table holds; columns that play no role stay with the answers as extra columns."""
    ours = METADATA in (table.schema.metadata or {})
    if table.num_rows == 0 and not ours:
        raise ValueError(f"{source}: the table has no rows; expected one row per answer or per item")
    repeated = first_repeated(table.column_names)
    if repeated is not None:
        raise ValueError(f"{source}: two columns are named {repeated!r}; rename one of {table.column_names}")
    reading = as_stored(table, reading, source)
    table = _decoded(table)
    if not ours:
        table, reading = unnested(table, reading, source)
    numbers_known = _typed_table(table, reading, source) if reading.text else table
    layout = reading.layout or guess_layout(numbers_known, reading, source)
    if layout in ("counts", "probabilities"):
        return distributions_from_table(numbers_known, replace(reading, layout=layout), source)
    if layout == "annotators":
        return votes_from_table(*annotator_columns_to_rows(table, reading, source), source)
    if layout == "votes":
        return votes_from_table(table, reading, source)
    return beliefs_from_table(table, reading, source, top_two=layout == "top-two")


def as_stored(table: pa.Table, reading: Reading, source: str) -> Reading:
    """The reading that a table written by this package asks for in its schema, where the caller did not say."""
    stored = (table.schema.metadata or {}).get(METADATA)
    if stored is None:
        return reading
    try:
        said = json.loads(stored)
        wishes = {name: said[name] for name in STORED if said.get(name) is not None and getattr(reading, name) is None}
        if reading.rows is not None:
            wishes |= {f"{role}s": _those_left(table, wishes, role) for role in ("item", "annotator")}
        return replace(reading, **wishes, repeats=reading.repeats or "keep")
    except (ValueError, AttributeError, TypeError, RecursionError) as error:
        raise ValueError(
            f"{source}: the schema's entry {METADATA!r} is {stored!r:.120}; expected what dissensus writes ({error}): "
            "remove the entry, or write the file again"
        ) from None


def votes_from_table(table: pa.Table, reading: Reading, source: str) -> Votes:
    label = choose(table, "label", reading, source)
    assert label is not None
    if is_list(table[label].type):
        raise ValueError(f"{source}: column {label!r} holds lists; expected one label a row: unnest it first")
    table, reading = without_missing(nan_as_null(table, label), label, "label", reading, source)
    table, reading, roles, shared = shared_fields(table, reading, source, skip=label)
    levels = _levels(table[label], label, reading) if reading.classes is None else reading.classes
    choice, classes = encode_classes(whole_floats(table[label], label, reading), levels)
    bad = np.flatnonzero(choice < 0)
    if bad.size:
        row = int(bad[0])
        raise ValueError(
            f"{source}: row {reading.row(row)} ({who(table, roles, row)}) has label {table[label][row].as_py()!r}, but "
            f"the classes are {list(classes)}; {bad.size} of {table.num_rows} rows have another label"
        )
    extra = extra_columns(table, [*roles.values(), label], reading)
    return Votes(**shared, classes=classes, choice=choice, extra=extra)


def _levels(column: pa.ChunkedArray, label: str, reading: Reading) -> list[str] | None:
    """The classes in the order of an ordered categorical, those nobody chose among them; None for other columns."""
    if not (pa.types.is_dictionary(column.type) and column.type.ordered and column.num_chunks):
        return None
    levels: list[str] = text_column(pa.chunked_array([column.unify_dictionaries().chunk(0).dictionary])).to_pylist()
    reading.say(f"classes = the levels of column {label!r}, in their order: {', '.join(levels[:8])}")
    return levels


def _those_left(table: pa.Table, wishes: dict[str, Any], role: str) -> Any:
    """The stored names that still occur, where only some rows were chosen; None where none are stored."""
    names, column = wishes.get(f"{role}s"), wishes.get(role, role)
    if names is None or column not in table.column_names:
        return names
    left = set(text_column(table[column]).unique().to_pylist())
    return [name for name in names if str(name) in left]


def _decoded(table: pa.Table) -> pa.Table:
    """Dictionary columns with a null among their values as plain ones, so that gaps can be counted."""
    for place, field in enumerate(table.schema):
        if pa.types.is_dictionary(field.type) and any(c.dictionary.null_count for c in table[field.name].chunks):
            table = table.set_column(place, field.name, table[field.name].cast(field.type.value_type))
    return table


def _typed_table(table: pa.Table, reading: Reading, source: str) -> pa.Table:
    """Numbers as numbers, but the names of items as they were typed."""
    item = choose(table, "item", Reading(item=reading.item), source, needed=False)
    return pa.table({name: table[name] if name == item else as_numbers(table[name]) for name in table.column_names})
