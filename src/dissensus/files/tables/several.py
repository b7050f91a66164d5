"""Answers that tick several classes at once -> one vote for each of them, or one belief with equal mass on them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from dissensus.files.notices import to_nobody
from dissensus.files.tables.beliefs import parse_list
from dissensus.files.tables.columns import Reading, choose
from dissensus.files.tables.rows import extra_columns, is_list, nan_as_null, shared_fields, who, without_missing
from dissensus.files.tables.source import SourceTable
from dissensus.labels.beliefs import Beliefs
from dissensus.labels.frames import whole_floats
from dissensus.labels.names import encode_classes, text_column
from dissensus.labels.refusals import Way


def split_ticks(source: SourceTable, reading: Reading) -> SourceTable | None:
    """The table with a list of classes as the label of each answer; None if each label can be read as it is.

    A cell is a list, a list written as text, or names separated by |. Without `several`, answers that tick several are
    refused, and so is text that may be several classes or one: "a|b" where a and b occur elsewhere.
    """
    label = choose(replace(source, say=to_nobody), "label", reading)
    assert label is not None
    table = nan_as_null(source.table, label)
    cells: list[list[str] | None] | list[list[str]]
    if is_list(table[label].type):
        kind = table[label].type.value_type
        if pa.types.is_nested(kind) or pa.types.is_binary(kind):
            raise ValueError(f"{source.name}: column {label!r} has lists of {kind}; expected lists of classes")
        rows = table[label].to_pylist()
        cells = [[_name(part) for part in row or () if part is not None] for row in rows]
    else:
        distinct = text_column(whole_floats(pa.chunked_array([table[label].unique()])))
        split = {text: _split(text, reading) for text in distinct.to_pylist() if text is not None}
        if not _in_question(split, reading):
            return None
        texts = text_column(whole_floats(table[label])).to_pylist()
        cells = [None if text is None else split[text] for text in texts]
    lists = pa.array([cell or None for cell in cells], pa.list_(pa.string()))
    source = source.with_table(table.set_column(table.column_names.index(label), label, pa.chunked_array([lists])))
    if reading.several is None:
        _refuse_several(source, label, reading, text=not is_list(table[label].type))
    return source


def find_joined_name(names: Iterable[str]) -> str | None:
    """A name that reads as several others, such as "a|b" if "a" and "b" exist, or as a list; None without one."""
    parts = {name: _parts(name) for name in names}
    times = Counter(part for name, several in parts.items() for part in {name, *several})
    for name, several in parts.items():
        if name.startswith("[") and parse_list(name):
            return name
        if len(several) > 1 and all(times[part] > 1 for part in several):
            return name
    return None


def one_row_per_class(source: SourceTable, reading: Reading) -> tuple[SourceTable, Reading]:
    """One row for each class that an answer ticks, and how to read them; repeated answers were dealt with."""
    source, label, roles, _ = _answers(source, reading)
    lists = source.table[label].combine_chunks()
    parent = pc.list_parent_indices(lists)
    several = int((pc.list_value_length(lists).to_numpy() > 1).sum())
    if several:
        source.say(f"{several} of {source.size} answers tick several classes: one vote for each")
    table = source.table.take(parent)
    table = table.set_column(table.column_names.index(label), label, pc.list_flatten(lists))
    reading = replace(
        reading,
        layout="votes",
        label=label,
        repeats="keep",
        item=roles["item"],
        annotator=roles.get("annotator", ""),
        seconds=roles.get("seconds", ""),
    )
    return replace(source.with_table(table, parent.to_numpy()), say=to_nobody), reading


def beliefs_of_ticks(source: SourceTable, reading: Reading) -> Beliefs:
    """Each answer as a belief with equal mass on the classes it ticks and none on the others.

    stated = times ticked / classes ticked  (m, k), rows sum to 1
    """
    source, label, roles, shared = _answers(source, reading)
    lists = source.table[label].combine_chunks()
    parent = pc.list_parent_indices(lists).to_numpy()
    names = pc.list_flatten(lists)
    codes, classes = encode_classes(pa.chunked_array([names]), reading.classes)
    bad = np.flatnonzero(codes < 0)
    if bad.size:
        row = int(parent[bad[0]])
        raise ValueError(
            f"{source.name}: row {source.row(row)} ({who(source, roles, row)}) ticks {names[int(bad[0])].as_py()!r}, "
            f"but the classes are {list(classes)}; {bad.size} of {codes.size} ticks are of another class"
        )
    ticks = np.zeros((source.size, len(classes)))
    np.add.at(ticks, (parent, codes), 1.0)
    several = int(((ticks > 0).sum(axis=1) > 1).sum())
    source.say(f"{several} of {source.size} answers tick several classes: beliefs with equal mass on them")
    with source.name_rows():
        return Beliefs(
            **shared,
            classes=classes,
            extra=extra_columns(source, [*roles.values(), label]),
            stated=ticks / ticks.sum(axis=1, keepdims=True),
            ruled_out=np.zeros(ticks.shape, dtype=bool),
            named=np.empty((source.size, 0), dtype=np.int32),
        )


def _answers(source: SourceTable, reading: Reading) -> tuple[SourceTable, str, dict[str, str], dict[str, Any]]:
    """The answers that count: none without a class, none repeated; the label's column, the other roles and fields."""
    label = choose(source, "label", reading)
    assert label is not None
    source = without_missing(source, label, "label", reading)
    source, roles, shared = shared_fields(source, reading, skip=label)
    return source, label, roles, shared


def _in_question(split: dict[str, list[str]], reading: Reading) -> bool:
    """Whether cells of text, each with its parts, may have several classes, or have to become beliefs."""
    if reading.several is None:
        return find_joined_name(text for text in split if text not in (reading.classes or ())) is not None
    return reading.several == "beliefs" or any(len(parts) > 1 for parts in split.values())


def _split(text: str, reading: Reading) -> list[str]:
    """The classes that a cell of text names; one where that is the name of a class given."""
    return [text] if text in (reading.classes or ()) else _parts(text)


def _parts(text: str) -> list[str]:
    listed = parse_list(text) if text.startswith("[") else None
    parts = [_name(part) for part in listed] if listed is not None else [part.strip() for part in text.split("|")]
    return [part for part in parts if part] or [text]


def _name(value: Any) -> str:
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)


def _refuse_several(source: SourceTable, label: str, reading: Reading, *, text: bool) -> None:
    lengths = pc.fill_null(pc.list_value_length(source.table[label]), 0).to_numpy()
    several = np.flatnonzero(lengths > 1)
    if not several.size:
        return
    row = int(several[0])
    quiet = replace(source, say=to_nobody)
    roles = {role: choose(quiet, role, reading, needed=False) for role in ("item", "annotator")}
    about = who(source, {role: column for role, column in roles.items() if column is not None}, row)
    one_class = Way("list all classes with {classes} if that is the name of one class", classes=...)
    raise source.refusal(
        f"row {source.row(row)} ({about}) ticks {lengths[row]} classes, {source.table[label][row].as_py()!r:.80}, as "
        f"{several.size} of {source.size} answers do",
        Way("pass {several} for equal mass on the ticked classes", several="beliefs"),
        Way("pass {several} for one vote each", several="votes"),
        *([one_class] if text else []),
    )
