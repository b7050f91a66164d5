"""A table -> Votes, Beliefs or Distributions."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from dissensus.labels.beliefs import Beliefs
from dissensus.labels.columns import Reading, choose, class_columns, guess_layout
from dissensus.labels.distributions import Distributions
from dissensus.labels.names import encode_classes, first_repeated, text_column
from dissensus.labels.table_beliefs import beliefs_from_table
from dissensus.labels.table_rows import (
    encoded,
    extra_columns,
    names_column,
    nan_as_null,
    numbers,
    shared_fields,
    who,
    whole_floats,
    without_missing,
)
from dissensus.labels.tabletext import typed
from dissensus.labels.votes import Votes

Labels = Votes | Beliefs | Distributions
METADATA = b"dissensus"  # key in an Arrow schema under which a written table says how to read it
STORED = ("layout", "item", "annotator", "label", "seconds", "classes", "items", "annotators", "scale")
MOST_VOTES = 2**53  # beyond it floats skip whole numbers


def from_table(table: pa.Table, reading: Reading, source: str) -> Labels:
    """The value a table holds; columns that play no role stay with the answers as extra columns."""
    ours = METADATA in (table.schema.metadata or {})
    if table.num_rows == 0 and not ours:
        raise ValueError(f"{source}: the table has no rows; expected one row per answer or per item")
    repeated = first_repeated(table.column_names)
    if repeated is not None:
        raise ValueError(f"{source}: two columns are named {repeated!r}; rename one of {table.column_names}")
    reading = as_stored(table, reading, source)
    table = _decoded(table) if ours else _unnested(_decoded(table), reading, source)
    numbers_known = _typed_table(table, reading, source) if reading.text else table
    layout = reading.layout or guess_layout(numbers_known, reading, source)
    if layout in ("counts", "probabilities"):
        return _from_matrix(numbers_known, replace(reading, layout=layout), source)
    if layout == "annotators":
        rows = _annotator_columns_to_rows(table, reading, source)
        named = replace(reading, item="item", annotator="annotator", label="label", seconds="")
        return votes_from_table(rows, named, source)
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
        return replace(reading, **wishes, repeats="keep" if reading.repeats == "error" else reading.repeats)
    except (ValueError, AttributeError, TypeError, RecursionError) as error:
        raise ValueError(
            f"{source}: the schema's entry {METADATA!r} is {stored!r:.120}; expected what dissensus writes ({error}): "
            "remove the entry, or write the file again"
        ) from None


def votes_from_table(table: pa.Table, reading: Reading, source: str) -> Votes:
    label = choose(table, "label", reading, source)
    assert label is not None
    if pa.types.is_list(table[label].type):
        raise ValueError(f"{source}: column {label!r} holds lists; expected one label a row: unnest it first")
    table = without_missing(nan_as_null(table, label), label, "label", reading, source)
    table, roles, shared = shared_fields(table, reading, source, skip=label)
    choice, classes = encode_classes(whole_floats(table[label], label, reading), reading.classes)
    bad = np.flatnonzero(choice < 0)
    if bad.size:
        row = int(bad[0])
        raise ValueError(
            f"{source}: row {row + 1} ({who(table, roles, row)}) has label {table[label][row].as_py()!r}, but the "
            f"classes are {list(classes)}; {bad.size} of {table.num_rows} rows have another label"
        )
    extra = extra_columns(table, [*roles.values(), label], reading)
    return Votes(**shared, classes=classes, choice=choice, extra=extra)


def _from_matrix(table: pa.Table, reading: Reading, source: str) -> Distributions:
    names = class_columns(table, reading, source)
    item = choose(table, "item", reading, source, needed=False)
    if item is None:
        reading.say("no item column: items are numbered from 0")
    left = [name for name in table.column_names if name not in (item, "votes", *names)]
    if left:
        reading.say(f"columns left out, as they are no classes: {left}")
    if not names:
        raise ValueError(f"{source}: no column holds a class; name them with classes=, out of {table.column_names}")
    if item is not None and reading.items is not None:
        table = _in_order(table, item, reading, source)
    matrix = np.column_stack([numbers(table, name, source) for name in names])  # (n, k)
    has_votes = "votes" in table.column_names and "votes" not in names
    votes = numbers(table, "votes", source) if has_votes else None
    items = names_column(table, item, source).to_numpy() if item is not None else reading.items
    return matrix_distributions(matrix, items, names, votes, reading.layout == "counts")


def matrix_distributions(matrix: np.ndarray, items: Any, classes: Any, votes: Any, counted: bool) -> Distributions:
    """Counts or probabilities as distributions; items and classes numbered from 0 where not named.  matrix: (n, k)"""
    items = np.arange(matrix.shape[0]) if items is None else np.asarray(items)
    names = tuple(map(str, range(matrix.shape[1]) if classes is None else classes))
    if counted:
        _check_votes(matrix.astype(np.float64).max(axis=1, initial=0), items)
        return Distributions.from_counts(matrix, items=items, classes=names)
    if votes is not None:
        _check_votes(votes, items)
    return Distributions(matrix, items, names, votes)


def _check_votes(votes: np.ndarray, items: np.ndarray) -> None:
    bad = np.flatnonzero(~(np.abs(votes) <= MOST_VOTES)) if votes.dtype.kind in "iuf" else np.arange(votes.size)
    if bad.size:
        raise ValueError(
            f"row {bad[0] + 1} has {votes[bad[0]]} votes; expected a whole number of at most 2**53; {bad.size} of "
            f"{items.size} rows are wrong"
        )


def _in_order(table: pa.Table, item: str, reading: Reading, source: str) -> pa.Table:
    """The rows in the order of the names asked for, each of which has one row."""
    codes, names = encoded(table, item, reading.items, source)
    if codes.size != names.size or np.unique(codes).size != codes.size:
        raise ValueError(
            f"{source}: {names.size} items are asked for and the file has {codes.size} rows for "
            f"{np.unique(codes).size} of them; expected one row each: leave items= out, or name those in the file"
        )
    return table.take(pa.array(np.argsort(codes)))


def _annotator_columns_to_rows(table: pa.Table, reading: Reading, source: str) -> pa.Table:
    """One column per annotator -> one row per answer; an empty cell means the annotator was not asked."""
    item = choose(table, "item", reading, source, needed=False)
    people = [name for name in table.column_names if name != item]
    names = pa.chunked_array([pa.array(range(table.num_rows))]) if item is None else names_column(table, item, source)
    parts = []
    for person in people:
        if pa.types.is_nested(table[person].type):
            raise ValueError(f"{source}: column {person!r} holds {table[person].type}; expected one label a cell")
        column = whole_floats(nan_as_null(table, person)[person], person, None)
        answered = pc.is_valid(column)
        count = pc.sum(answered).as_py() or 0
        parts.append(
            pa.table({
                "item": names.filter(answered), "annotator": pa.array([person] * count, pa.string()),
                "label": text_column(column.filter(answered)),
            })
        )  # fmt: skip
    if not any(part.num_rows for part in parts):
        raise ValueError(f"{source}: every cell of the columns {people} is empty; expected labels")
    return pa.concat_tables(parts)


def _decoded(table: pa.Table) -> pa.Table:
    """Dictionary columns with a null among their values as plain ones, so that gaps can be counted."""
    for place, field in enumerate(table.schema):
        if pa.types.is_dictionary(field.type) and any(c.dictionary.null_count for c in table[field.name].chunks):
            table = table.set_column(place, field.name, table[field.name].cast(field.type.value_type))
    return table


def _unnested(table: pa.Table, reading: Reading, source: str) -> pa.Table:
    """One row per item with parallel lists `annotators` and `annotations` -> one row per answer."""
    lists = ("annotators", "annotations")
    if not all(name in table.column_names and pa.types.is_list(table[name].type) for name in lists):
        return table
    unnamed = pc.is_null(table["annotators"]).to_numpy() & ~pc.is_null(table["annotations"]).to_numpy()
    if unnamed.any():
        raise ValueError(
            f"{source}: row {np.flatnonzero(unnamed)[0] + 1} has annotations but no annotators; expected pairs"
        )
    unlabelled = pc.is_null(table["annotations"]).to_numpy()
    if unlabelled.any():
        reading.say(f"{unlabelled.sum()} items without annotations left out")
        table = table.filter(pa.array(~unlabelled))
    table = table.combine_chunks()
    length = pc.list_value_length(table["annotations"])
    uneven = pc.not_equal(length, pc.list_value_length(table["annotators"])).to_numpy()
    if uneven.any():
        raise ValueError(
            f"{source}: row {np.flatnonzero(uneven)[0] + 1} of those labelled has lists `annotators` and `annotations` "
            "of different lengths; expected pairs"
        )
    if not pc.sum(length).as_py():
        raise ValueError(f"{source}: the lists of annotations are all empty; expected at least one answer")
    parent = pc.list_parent_indices(table["annotations"])
    columns = {"annotator": pc.list_flatten(table["annotators"]), "label": pc.list_flatten(table["annotations"])}
    for name in table.column_names:
        if name in lists or name in columns:
            continue
        values = table[name]
        parallel = pa.types.is_list(values.type) and pc.all(pc.equal(pc.list_value_length(values), length)).as_py()
        columns[name] = pc.list_flatten(values) if parallel else values.take(parent)
    reading.say("answers = pairs of the lists `annotators` and `annotations`")
    return pa.table(columns)


def _typed_table(table: pa.Table, reading: Reading, source: str) -> pa.Table:
    """Numbers as numbers, but the names of items as they were typed."""
    item = choose(table, "item", Reading(item=reading.item), source, needed=False)
    return pa.table({name: table[name] if name == item else typed(table[name]) for name in table.column_names})
