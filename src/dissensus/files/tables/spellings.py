"""Cells that spell one thing in two ways, or nothing in a word: 1.0 and 1, "yes " and "Yes", NA."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from dissensus.files.spelling import whole_floats_in_text
from dissensus.files.tables.columns import Reading
from dissensus.files.tables.source import SourceTable
from dissensus.labels.names import text_column
from dissensus.labels.refusals import Refusal, Way

WORDS_FOR_NOTHING = ("nan", "na", "n/a", "#n/a", "<na>", "null")  # in any case; "none" is a class of many files
LIST_CLASSES = Way("list all classes with {classes} if it is one", classes=...)
WHOLE_FLOAT = re.compile(r"(-?[0-9]+)\.0+")


def ids_as_written(source: SourceTable, reading: Reading) -> SourceTable:
    """The table with the names of items and annotators as integers where a CSV file spells these as floats, 1.0.

    Names that differ only in the blanks around them are refused, unless the caller lists them.
    """
    for role, names in (("item", reading.items), ("annotator", reading.annotators)):
        column = getattr(reading, role)
        if not column or column not in source.columns:
            continue
        values = source.table[column]
        integers = integers_in_text(values, names) if source.text else values
        if integers is not values:
            source.guess(f"whole floats in {column} read as integers")
            source = source.with_table(source.table.set_column(source.columns.index(column), column, integers))
        if names is None:
            _refuse_alike(source, column, integers, f"{role}s", without_blanks, "blanks")
    return source


def integers_in_text(values: pa.ChunkedArray, names: Sequence[Any] | np.ndarray | None) -> pa.ChunkedArray:
    """A column of a CSV file, 1.0 as 1 if all are whole numbers; as it is if the caller names one 1.0."""
    asked_for = names is not None and any(str(name).endswith(".0") for name in names)
    return values if asked_for else whole_floats_in_text(values)


def words_as_missing(source: SourceTable, label: str, reading: Reading) -> SourceTable:
    """The table with null for labels that are a word for nothing, NA; refused unless these are to be left out."""
    column = source.table[label]
    words = [] if reading.classes is not None else words_for_nothing(_distinct(column))
    if not words:
        return source
    texts = text_column(column)
    missing = pc.fill_null(pc.is_in(texts, pa.array(words)), False)
    count, listed = pc.sum(missing).as_py(), " or ".join(map(repr, words))
    if reading.missing == "error":
        row = int(np.argmax(missing.to_numpy()))
        raise source.refusal(
            f"row {source.row(row)} has {texts[row].as_py()!r} in column {label!r}, a usual word for no label; "
            f"{count:,} of {source.size:,} rows have {listed}",
            Way("leave them out with {missing}", missing="drop"),
            LIST_CLASSES,
        )
    source.say(f"{listed} in column {label!r} read as no label")
    known = pc.if_else(missing, pa.scalar(None, pa.string()), texts)
    return source.with_table(source.table.set_column(source.columns.index(label), label, known))


def words_for_nothing(names: Iterable[str]) -> list[str]:
    return [name for name in names if name.strip().casefold() in WORDS_FOR_NOTHING]


def refuse_classes_alike(source: SourceTable, label: str, values: pa.ChunkedArray) -> None:
    """Refuse labels that differ only in blanks around them or in case, or are one number in two spellings.

    values: (m,) what the column of labels has
    """
    _refuse_alike(source, label, values, "classes", same_class, "blanks, case or the spelling of a number")


def refuse_doubtful_names(
    classes: Sequence[str], items: np.ndarray, source: str, *, listed: bool, ranked: bool
) -> None:
    """Refuse what `read` refuses, if only the names are known: names spelled in two ways, words for no label.

    listed  the caller listed all classes;  ranked  the file itself lists them in an order
    """
    words = [] if listed else words_for_nothing(classes)
    if words:
        raise Refusal(
            f"{' and '.join(map(repr, words))} among the labels is a usual word for none",
            source,
            [Way("leave these rows out of the file"), LIST_CLASSES],
        )
    alike = [] if listed or ranked else first_alike(classes, same_class)
    alike_items = first_alike(items.tolist(), without_blanks) if items.dtype.kind != "i" else []
    if alike or alike_items:
        kind, names = ("classes", alike) if alike else ("items", alike_items)
        listing = [Way("list all with {classes} if each of them is meant", classes=...)] if alike else []
        raise Refusal(
            f"the {kind} {', '.join(map(repr, names))} differ only in how they are spelled",
            source,
            [Way("clean the file"), *listing],
        )


def first_alike(names: Iterable[str], folded: Callable[[str], str]) -> list[str]:
    """All names that are spelled like the first one that has a like; none if all differ."""
    groups: dict[str, list[str]] = {}
    for name in names:
        groups.setdefault(folded(name), []).append(name)
    return next((group for group in groups.values() if len(group) > 1), [])


def without_blanks(name: str) -> str:
    return name.strip()


def same_class(name: str) -> str:
    text = name.strip().casefold()
    number = WHOLE_FLOAT.fullmatch(text)
    return number[1] if number else text


def _refuse_alike(
    source: SourceTable,
    column: str,
    values: pa.ChunkedArray,
    plural: str,
    folded: Callable[[str], str],
    difference: str,
) -> None:
    alike = first_alike(_distinct(values), folded)
    if not alike:
        return
    texts = text_column(values)
    rows = [source.row(pc.index(texts, name).as_py()) for name in alike]
    shown = ", ".join(f"{name!r} (first in row {row})" for name, row in zip(alike, rows, strict=True))
    raise source.refusal(
        f"column {column!r} has {shown}, which differ only in {difference}",
        Way("clean the file"),
        Way(f"list all {plural} with {{{plural}}} if each of them is meant", **{plural: ...}),
    )


def _distinct(column: pa.ChunkedArray) -> list[str]:
    """The different texts of a column, none for other types."""
    kind = column.type.value_type if pa.types.is_dictionary(column.type) else column.type
    if not (pa.types.is_string(kind) or pa.types.is_large_string(kind)):
        return []
    return [name for name in pc.unique(column).to_pylist() if name is not None]
