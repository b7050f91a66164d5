"""The layout of a table, recognised by its columns; if two readings fit, the caller has to choose."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from dissensus.files.tables.class_doubts import (
    are_counts,
    refuse_answers_as_counts,
    refuse_codes_as_counts,
    refuse_items_that_may_be_a_class,
    refuse_numbered_items,
    refuse_numbered_people,
    refuse_repeated_items,
    refuse_sum_as_class,
    refuse_text_as_class,
    refuse_unnamed_items,
    same,
)
from dissensus.files.tables.columns import Layout, Reading, candidates, choose, fold_name, role_of
from dissensus.files.tables.doubts import (
    is_number,
    refuse_labels_of_items,
    refuse_labels_that_are_no_classes,
    refuse_numbered_answers,
    refuse_texts_for_people,
    refuse_unnamed_people,
)
from dissensus.files.tables.source import SourceTable
from dissensus.files.tables.ticked_columns import tick_columns
from dissensus.labels.refusals import Way, one_of

RULED_OUT = ("impossible", "ruled_out", "definitely_not")
TOP = (("top1", "top1_prob", "top2", "top2_prob"), ("first", "first_prob", "second", "second_prob"))


def recognise(source: SourceTable, reading: Reading) -> Reading:
    """The reading with everything that was left open filled in: layout, and the column of each role ("" for none).

    source: a table whose columns of numbers are numbers, also if it came from a CSV file
    """
    layout = reading.layout or guess_layout(source, reading)
    if layout == "annotators":
        item = choose(source, "item", reading, needed=False)
        return replace(reading, layout=layout, item=item or "")
    if layout in ("counts", "probabilities"):
        names = class_columns(source, reading)
        item = choose(source, "item", reading, needed=False)
        if reading.layout is not None and reading.classes is None:
            refuse_text_as_class(source, names)
            _check_classes(source, reading, names, item)
        if item is None and reading.item is None:
            refuse_unnamed_items(source, names, reading)
        return replace(reading, layout=layout, item=item or "", classes=names, label="", annotator="", seconds="")
    stated = layout in ("beliefs", "top-two", "top-one")
    label = reading.label or "" if stated else choose(source, "label", reading)
    part = replace(reading, layout=layout, label=label)
    item = choose(source, "item", part)
    assert item is not None
    part = replace(part, item=item)
    annotator = choose(source, "annotator", part, needed=False)
    seconds = choose(source, "seconds", part, needed=False)
    used = [item, *(name for name in (label, annotator, seconds) if name), *_answer_columns(source)]
    if label and reading.label is None and layout == "votes":
        refuse_labels_that_are_no_classes(source, label)
    if annotator and reading.annotator is None:
        refuse_texts_for_people(source, annotator)
    if annotator is None and reading.annotator is None:
        refuse_unnamed_people(source, item, reading, used)
    if reading.item is None:
        refuse_numbered_answers(source, item, annotator, reading, used)
    if label and reading.label is None and layout == "votes":
        refuse_labels_of_items(source, {"item": item, "annotator": annotator, "label": label}, reading, used)
    return replace(part, annotator=annotator or "", seconds=seconds or "")


def guess_layout(source: SourceTable, reading: Reading) -> Layout:
    """Guess the layout from the column names, else from which columns have numbers."""
    names = source.columns
    if any(name.startswith("stated.") for name in names):
        return "beliefs"
    if (top := top_columns(names)) is not None:
        return "top-one" if top[2] is None else "top-two"
    holds_classes = reading.classes is not None and set(reading.classes) <= set(names)
    labels = [] if reading.label is not None else candidates(source, "label", reading)
    if reading.label or (labels and not holds_classes):
        if not reading.label:
            _refuse_labels_that_may_be_classes(source, reading, labels)
        return "votes"
    return _matrix_layout(source, reading)


def top_columns(columns: Sequence[str]) -> tuple[str, str, str | None, str | None, str | None] | None:
    """The columns of a top-two or top-one elicitation: first, its probability, second, its own, those ruled out."""
    have = {fold_name(name): name for name in reversed(columns)}
    for names in TOP:
        first, first_prob, second, second_prob = (have.get(fold_name(name)) for name in names)
        if first is not None and first_prob is not None:
            out = next((have[fold_name(name)] for name in RULED_OUT if fold_name(name) in have), None)
            if second is not None and second_prob is not None:
                return first, first_prob, second, second_prob, out
            if second is None:
                return first, first_prob, None, None, out
    return None


def class_columns(source: SourceTable, reading: Reading) -> list[str]:
    """The columns that have one class each in a table of counts or probabilities: those asked for, else all numbers
    whose names tell no role."""
    if reading.classes is not None:
        absent = [name for name in reading.classes if name not in source.columns]
        if absent:
            one_of("class column", absent[0], source.columns, place=source.name)
        return list(reading.classes)
    roles = {name: role_of(name, reading) for name in source.columns if name not in (reading.item, "votes")}
    names = [name for name, role in roles.items() if role is None]
    for name, role in roles.items():
        if role in ("label", "annotator", "text") and is_number(source.table[name]):
            both = [other for other in source.columns if other in (*names, name)]
            raise source.refusal(
                f"by its name column {name!r} is the {role}, and by its numbers it may be a class",
                Way("leave it out with {drop}", drop=[name]),
                Way("name all classes with {classes}", classes=both),
            )
    return names


def _answer_columns(source: SourceTable) -> list[str]:
    """The columns of probabilities and ruled out classes."""
    own = ("stated.", "ruled_out.", "named.")
    return [name for name in source.columns if name.startswith(own) or name in (top_columns(source.columns) or ())]


def _matrix_layout(source: SourceTable, reading: Reading) -> Layout:
    table = source.table
    people = [] if reading.classes is not None else candidates(source, "annotator", reading)
    if people or (reading.annotator and reading.classes is None):
        who = reading.annotator or people[0]
        rest = [name for name in source.columns if name != who and role_of(name, reading) is None]
        ticks = tick_columns(source, rest)
        ways = [Way("name the columns of classes with {classes} if these are numbers for classes", classes=...)]
        if len(ticks) > 1:
            words = "pass {classes} and {several} if each answer ticks classes with 1"
            ways = [Way(words, classes=ticks, several=several) for several in ("votes", "beliefs")]
        raise source.refusal(
            f"column {who!r} looks like the annotator, so that each row is an answer, but no column looks like the "
            f"label; the others are {rest}",
            Way("name the label column with {label}", label=...),
            *ways,
        )
    body = class_columns(source, reading)
    if reading.classes is None:
        refuse_numbered_people(source, body)
    numeric = _are_numbers(source, body)
    beside = [name for name in source.columns if role_of(name, reading) in ("text", "beside", "gold")]
    odd = [name for name in beside if reading.classes is None and not is_number(table[name]) and name != reading.item]
    if not numeric or (odd and not same(_numbers(source, body).sum(axis=1))):  # sums tell classes from other numbers
        text = [name for name in body if not is_number(table[name])]
        shown = [f"{name}: {table[name][0].as_py()!r:.40}" for name in (text or odd)[:5]]
        raise source.refusal(
            f"the columns {source.columns} have neither a label column (label, choice, rating, ...) nor one number "
            f"column per class (not numbers: {shown})",
            Way("name the label column with {label}", label=...),
            Way("name the columns of classes with {classes}", classes=...),
        )
    matrix = _numbers(source, body)
    if reading.classes is None:
        item = choose(source, "item", reading, needed=False)
        _check_classes(source, reading, body, item)
        if item is not None and reading.item is None:
            refuse_items_that_may_be_a_class(source, item, body, matrix)
        refuse_answers_as_counts(source, body, matrix)
        refuse_codes_as_counts(source, body, matrix)
    return "counts" if are_counts(matrix) else "probabilities"


def _check_classes(source: SourceTable, reading: Reading, names: list[str], item: str | None) -> None:
    """Refuse columns of numbers that are not classes, if the caller did not name the classes."""
    if item is not None:
        refuse_repeated_items(source, item, names)
    if not _are_numbers(source, names):  # decimals, true and false: declared as counts or probabilities
        return
    if item is None and reading.item is None:
        refuse_numbered_items(names, _numbers(source, names), source.name)
    refuse_sum_as_class(source, names, _numbers(source, names))


def _are_numbers(source: SourceTable, names: list[str]) -> bool:
    return bool(names) and all(is_number(source.table[name]) for name in names)


def _numbers(source: SourceTable, names: list[str]) -> np.ndarray:
    """The columns of some classes.  (n, k)"""
    return np.column_stack([source.table[name].to_numpy() for name in names])


def _refuse_labels_that_may_be_classes(source: SourceTable, reading: Reading, labels: list[str]) -> None:
    """One row per item, nothing but numbers, and a column such as `answer`: votes, or counts of a class `answer`."""
    if any(fold_name(name) == "label" for name in labels) or reading.annotator:
        return
    if candidates(source, "annotator", reading):
        return
    item = choose(source, "item", reading, needed=False)
    others = [name for name in source.columns if name != item and role_of(name, reading) is None]
    if not others or not all(is_number(source.table[name]) for name in (*others, *labels)):
        return
    if item is not None and (codes := source.codes(item)) is not None and np.unique(codes).size < source.size:
        return
    classes = [name for name in source.columns if name in (*others, *labels)]
    raise source.refusal(
        f"two readings fit: one row per answer with the label in {labels[0]!r}, or one row per item with numbers for "
        f"the classes {classes}",
        Way("pass {label}", label=labels[0]),
        Way("pass {classes}", classes=classes),
    )
