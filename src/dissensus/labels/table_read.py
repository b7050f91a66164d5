"""A table -> Votes, Beliefs or Distributions."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from dissensus.labels.beliefs import Beliefs
from dissensus.labels.columns import (
    Reading,
    choose,
    class_columns,
    guess_layout,
)
from dissensus.labels.distributions import Distributions
from dissensus.labels.names import encode_classes
from dissensus.labels.table_beliefs import beliefs_from_table
from dissensus.labels.table_rows import (
    extra_columns,
    names_column,
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


def from_table(table: pa.Table, reading: Reading, source: str) -> Labels:
    """The value a table holds; columns that play no role stay with the answers as extra columns."""
    if table.num_rows == 0:
        raise ValueError(f"{source}: the table has no rows; expected one row per answer or per item")
    reading = as_stored(table, reading, source)
    table = _unnested(table, reading, source)
    numbers_known = _typed_table(table) if reading.text else table
    layout = reading.layout or guess_layout(numbers_known, reading, source)
    if layout in ("counts", "probabilities"):
        return _from_matrix(numbers_known, replace(reading, layout=layout, notices=reading.notices), source)
    if layout == "annotators":
        return votes_from_table(_annotator_columns_to_rows(table, reading, source), reading, source)
    if layout == "votes":
        return votes_from_table(table, reading, source)
    return beliefs_from_table(table, reading, source, top_two=layout == "top-two")


def as_stored(table: pa.Table, reading: Reading, source: str) -> Reading:
    """The reading that a table written by this package asks for in its schema, where the caller did not say."""
    stored = (table.schema.metadata or {}).get(METADATA)
    if stored is None:
        return reading
    try:
        wishes = {str(name): value for name, value in json.loads(stored).items() if getattr(reading, name) is None}
    except (ValueError, AttributeError):
        raise ValueError(
            f"{source}: the schema's entry {METADATA!r} is {stored!r:.120}; expected what dissensus writes"
        ) from None
    kept: Reading = replace(reading, **wishes, repeats="keep" if reading.repeats == "error" else reading.repeats)
    return kept


def votes_from_table(table: pa.Table, reading: Reading, source: str) -> Votes:
    label = choose(table, "label", reading, source)
    assert label is not None
    if pa.types.is_list(table[label].type):
        raise ValueError(f"{source}: column {label!r} holds lists; expected one label a row: unnest it first")
    table = without_missing(table, label, "label", reading, source)
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
    matrix = np.column_stack([numbers(table, name, source) for name in names])  # (n, k)
    items = np.arange(table.num_rows) if item is None else names_column(table, item, source).to_numpy()
    if reading.layout == "counts":
        return Distributions.from_counts(matrix, items=items, classes=names)
    has_votes = "votes" in table.column_names and "votes" not in names
    votes = numbers(table, "votes", source) if has_votes else None
    return Distributions(matrix, items, tuple(names), votes)


def _annotator_columns_to_rows(table: pa.Table, reading: Reading, source: str) -> pa.Table:
    """One column per annotator -> one row per answer; an empty cell means the annotator was not asked."""
    item = choose(table, "item", reading, source, needed=False)
    people = [name for name in table.column_names if name != item]
    names = pa.array(range(table.num_rows)) if item is None else table[item].combine_chunks()
    parts = []
    for person in people:
        column = whole_floats(
            pc.if_else(pc.is_null(table[person], nan_is_null=True), None, table[person]), person, None
        )
        answered = pc.is_valid(column).combine_chunks()
        parts.append(
            pa.table({
                "item": names.filter(answered), "annotator": pa.array([person] * pc.sum(answered).as_py(), pa.string()),
                "label": column.filter(answered).cast(pa.string()),
            })
        )  # fmt: skip
    rows = pa.concat_tables(parts, promote_options="permissive")
    if not rows.num_rows:
        raise ValueError(f"{source}: every cell of the columns {people} is empty; expected labels")
    return rows


def _unnested(table: pa.Table, reading: Reading, source: str) -> pa.Table:
    """One row per item with parallel lists `annotators` and `annotations` -> one row per answer."""
    lists = ("annotators", "annotations")
    if not all(name in table.column_names and pa.types.is_list(table[name].type) for name in lists):
        return table
    unlabelled = pc.is_null(table["annotations"]).to_numpy()
    if unlabelled.any():
        reading.say(f"{unlabelled.sum()} items without annotations left out")
        table = table.filter(pa.array(~unlabelled))
    table = table.combine_chunks()
    length = pc.list_value_length(table["annotations"])
    if not pc.all(pc.equal(length, pc.list_value_length(table["annotators"]))).as_py():
        raise ValueError(f"{source}: `annotators` and `annotations` have different lengths in some row; expected pairs")
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


def _typed_table(table: pa.Table) -> pa.Table:
    return pa.table({name: typed(table[name]) for name in table.column_names})
