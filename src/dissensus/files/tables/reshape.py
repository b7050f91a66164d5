"""Tables with several answers in a row, in columns or in lists -> one row per answer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from dissensus.files.spelling import infer_types, whole_floats_in_text
from dissensus.files.tables.columns import Reading, role_of
from dissensus.files.tables.doubts import not_people
from dissensus.files.tables.rows import is_list, nan_as_null
from dissensus.files.tables.source import SourceTable
from dissensus.labels.frames import free_name, whole_floats
from dissensus.labels.names import as_names, text_column
from dissensus.labels.refusals import Way, one_of
from dissensus.labels.row_numbers import row_numbers

LISTS = ("annotators", "annotations")


def people_and_others(source: SourceTable, reading: Reading) -> tuple[list[str], list[str]]:
    """The columns of people, those the caller names, else all whose names tell no role; and those beside them.

    reading: as `recognise` filled it in
    """
    columns = [name for name in source.columns if name != reading.item]
    if reading.annotators is None:
        people = [name for name in columns if role_of(name, reading) is None]
    else:
        people = [str(name) for name in np.asarray(reading.annotators).tolist()]
    return people, [name for name in columns if name not in people]


def annotator_columns_to_rows(source: SourceTable, reading: Reading) -> tuple[SourceTable, Reading]:
    """One column per annotator -> one row per answer; an empty cell means the annotator was not asked.

    Items come in the order of the rows, also those that nobody answered; columns that belong to no person stay with
    the answers to their item.
    """
    people, beside = people_and_others(source, reading)
    _check_people(source, reading, people, beside)
    for person in people:
        kind = source.table[person].type
        if pa.types.is_nested(kind):
            raise ValueError(f"{source.name}: column {person!r} has {kind}; expected one label per cell")
    named = bool(reading.item)
    names = source.names(str(reading.item)) if named else pa.chunked_array([pa.array(range(source.size))])
    roles = {role: free_name(role, beside) for role in ("item", "annotator", "label")}
    parts, places = [], []
    for person, column in _labels_alike(source.table, people, reading.classes).items():
        answered = np.flatnonzero(pc.is_valid(column).to_numpy())
        take = pa.array(answered)
        parts.append(
            pa.table(
                {
                    roles["item"]: names.take(take),
                    roles["annotator"]: pa.array([person] * answered.size, pa.string()),
                    roles["label"]: text_column(column.take(take)),
                }
                | {name: source.table[name].take(take) for name in beside}
            )
        )
        places.append(answered)
    if not any(part.num_rows for part in parts):
        raise ValueError(f"{source.name}: every cell of the columns {people} is empty; expected labels")
    reading = replace(reading, item=roles["item"], annotator=roles["annotator"], label=roles["label"], seconds="")
    kept = np.concatenate(places)
    if reading.items is None:
        known = dict.fromkeys(as_names(names.to_numpy()).tolist())
        reading = replace(reading, items=list(known) if named else row_numbers(source.size))
        if (unanswered := source.size - np.unique(kept).size) > 0:
            source.say(f"{unanswered} rows have no answer; their items are kept without answers")
    return source.with_table(pa.concat_tables(parts), kept), reading


def unnest(source: SourceTable) -> SourceTable:
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
        source = source.with_table(table, np.flatnonzero(~unlabelled))
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
    source = source.with_table(pa.table(columns), parent.to_numpy())
    return replace(source, taken=(*source.taken, "answers = pairs of the lists annotators and annotations"))


def _check_people(source: SourceTable, reading: Reading, people: list[str], beside: list[str]) -> None:
    """Refuse people the table does not have, and columns that may not be one person's labels."""
    absent = [name for name in people if name not in source.columns or name == reading.item]
    if absent:
        columns = [name for name in source.columns if name != reading.item]
        one_of("annotator column", absent[0], columns, place=source.name)
    if not people:
        raise source.refusal(
            f"by their names none of the columns {source.columns} has one person's labels",
            Way("name those that do with {annotators}", annotators=...),
            Way("choose another {layout}", layout=...),
        )
    if reading.annotators is not None:
        return
    unclear = [name for name in beside if role_of(name, reading) in ("annotator", "label")]
    if unclear:
        raise source.refusal(
            f"by its name column {unclear[0]!r} has the {role_of(unclear[0], reading)}, and not one person's labels",
            *_people_ways(people, unclear[0]),
        )
    refused = {} if reading.classes is not None else not_people(source, people)
    if refused:
        contents = "; ".join(f"column {name!r} has {reason}" for name, reason in list(refused.items())[:5])
        left = [name for name in people if name not in refused]
        first = next(iter(refused))
        named = [] if reading.item else [Way("pass {item} if it names the items", item=first)]
        raise source.refusal(f"{contents}, and not one person's labels", *named, *_people_ways(left or people, first))


def _people_ways(people: list[str], column: str) -> list[Way]:
    return [
        Way("name the columns of the people with {annotators}", annotators=people),
        Way(f"pass {{gold}} if {column!r} has the right answers", gold=column),
        Way("leave the column out with {drop}", drop=[column]),
    ]


def _labels_alike(table: pa.Table, people: list[str], classes: Sequence[str] | None) -> dict[str, pa.ChunkedArray]:
    """The columns of labels; numbers all as integers, or all as floats if some label is not whole.

    Text is as it was typed, but if all spell whole numbers, some of them as pandas does a column with gaps (1.0),
    1.0 is 1, unless the caller names such a class.
    """
    columns = {person: nan_as_null(table, person)[person] for person in people}
    asked_for = any(name.endswith(".0") for name in classes or ())
    spelled = {person: whole_floats_in_text(column) for person, column in columns.items()}
    filled = [column for column in spelled.values() if column.null_count < len(column)]
    if not asked_for and all(pa.types.is_integer(infer_types(column).type) for column in filled):
        columns = spelled
    floats = [person for person in people if pa.types.is_floating(columns[person].type)]
    whole = {person: whole_floats(columns[person]) for person in floats}
    if all(pa.types.is_integer(column.type) for column in whole.values()):
        return columns | whole
    numeric = [person for person in people if pa.types.is_integer(columns[person].type)]
    return columns | {person: columns[person].cast(pa.float64()) for person in numeric}
