"""Tables with several answers in a row, in columns or in lists -> one row per answer."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from dissensus.files.tables.columns import Reading, choose
from dissensus.files.tables.rows import is_list, nan_as_null
from dissensus.files.tables.source import SourceTable
from dissensus.labels.frames import whole_floats
from dissensus.labels.names import as_names, text_column
from dissensus.labels.row_numbers import row_numbers

LISTS = ("annotators", "annotations")


def annotator_columns_to_rows(source: SourceTable, reading: Reading) -> tuple[SourceTable, Reading]:
    """One column per annotator -> one row per answer; an empty cell means the annotator was not asked.

    Items come in the order of the rows, also those that nobody answered.
    """
    item = choose(source, "item", reading, needed=False)
    people = [name for name in source.columns if name != item]
    for person in people:
        kind = source.table[person].type
        if pa.types.is_nested(kind):
            raise ValueError(f"{source.name}: column {person!r} holds {kind}; expected one label per cell")
    names = pa.chunked_array([pa.array(range(source.size))]) if item is None else source.names(item)
    parts, places = [], []
    for person, column in _labels_alike(source.table, people).items():
        answered = np.flatnonzero(pc.is_valid(column).to_numpy())
        take = pa.array(answered)
        parts.append(
            pa.table({
                "item": names.take(take), "annotator": pa.array([person] * answered.size, pa.string()),
                "label": text_column(column.take(take)),
            })
        )  # fmt: skip
        places.append(answered)
    if not any(part.num_rows for part in parts):
        raise ValueError(f"{source.name}: every cell of the columns {people} is empty; expected labels")
    reading = replace(reading, item="item", annotator="annotator", label="label", seconds="")
    kept = np.concatenate(places)
    if reading.items is None:
        known = dict.fromkeys(as_names(names.to_numpy()).tolist())
        reading = replace(reading, items=row_numbers(source.size) if item is None else list(known))
        if (unanswered := source.size - np.unique(kept).size) > 0:
            source.say(f"{unanswered} rows without an answer: items nobody answered")
    return source.holding(pa.concat_tables(parts), kept), reading


def unnested(source: SourceTable) -> SourceTable:
    """One row per item with parallel lists `annotators` and `annotations` -> one row per answer."""
    table = source.table
    if not all(name in table.column_names and is_list(table[name].type) for name in LISTS):
        return source
    for place, field in enumerate(table.schema):
        if is_list(field.type):
            plain = table[field.name].cast(pa.list_(field.type.value_type))
            table = table.set_column(place, field.name, plain)
    unnamed = pc.is_null(table["annotators"]).to_numpy() & ~pc.is_null(table["annotations"]).to_numpy()
    if unnamed.any():
        row = source.row(np.flatnonzero(unnamed)[0])
        raise ValueError(f"{source.name}: row {row} has annotations but no annotators; expected pairs")
    unlabelled = pc.is_null(table["annotations"]).to_numpy()
    if unlabelled.any():
        source.say(f"{unlabelled.sum()} items without annotations left out")
        table = table.filter(pa.array(~unlabelled))
        source = source.holding(table, np.flatnonzero(~unlabelled))
    table = table.combine_chunks()
    length = pc.list_value_length(table["annotations"])
    uneven = pc.not_equal(length, pc.list_value_length(table["annotators"])).to_numpy()
    if uneven.any():
        raise ValueError(
            f"{source.name}: row {source.row(np.flatnonzero(uneven)[0])} has lists `annotators` and `annotations` of "
            "different lengths; expected pairs"
        )
    if not pc.sum(length).as_py():
        raise ValueError(f"{source.name}: the lists of annotations are all empty; expected at least one answer")
    parent = pc.list_parent_indices(table["annotations"])
    columns = {"annotator": pc.list_flatten(table["annotators"]), "label": pc.list_flatten(table["annotations"])}
    for name in table.column_names:
        if name in LISTS or name in columns:
            continue
        values = table[name]
        parallel = is_list(values.type) and pc.all(pc.equal(pc.list_value_length(values), length)).as_py()
        columns[name] = pc.list_flatten(values) if parallel else values.take(parent)
    source.say("answers = pairs of the lists `annotators` and `annotations`")
    return source.holding(pa.table(columns), parent.to_numpy())


def _labels_alike(table: pa.Table, people: list[str]) -> dict[str, pa.ChunkedArray]:
    """The columns of labels; numbers all as integers, or all as floats where some label is not whole."""
    columns = {person: nan_as_null(table, person)[person] for person in people}
    floats = [person for person in people if pa.types.is_floating(columns[person].type)]
    whole = {person: whole_floats(columns[person]) for person in floats}
    if all(pa.types.is_integer(column.type) for column in whole.values()):
        return columns | whole
    numeric = [person for person in people if pa.types.is_integer(columns[person].type)]
    return columns | {person: columns[person].cast(pa.float64()) for person in numeric}
