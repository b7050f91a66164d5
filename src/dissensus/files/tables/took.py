"""One line on what was recognised in a file, in one form for everything that is read.

took: item = comment_id, annotator = user, label = rating (1..5, ordered)
took: item = id, classes = cat, dog (counts)
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence

import pyarrow as pa

from dissensus.files.spelling import whole_floats_in_text
from dissensus.files.tables.columns import Reading, candidates
from dissensus.files.tables.layouts import top_columns
from dissensus.files.tables.reshape import people_and_others
from dissensus.files.tables.source import SourceTable
from dissensus.labels.frames import INDEX
from dissensus.labels.names import ordered_levels
from dissensus.labels.shares import Labels

SHOWN = 8  # names at most, and characters of each
LONG = 60
INTEGER = re.compile(r"-?[0-9]{1,400}")
Parts = tuple[list[str], bool]


def write_taken(parts: Iterable[str]) -> str:
    return f"took: {', '.join(parts)}"


def took_from_table(
    source: SourceTable, asked: Reading, used: Reading, labels: Labels, guesses: Sequence[str]
) -> str | None:
    """The column mapping of a table; None if the caller gave all of it, or the rows are votes, or beliefs in stated.
    columns, and every role has its own name (item, annotator, label, seconds).

    asked, used  the reading before and after everything left open was filled in
    guesses      what else was guessed, about the values
    """
    if used.layout in ("counts", "probabilities"):
        parts, guessed = _matrix(source, asked, used)
    elif used.layout == "annotators":
        parts, guessed = _people(source, asked, used, labels)
    else:
        parts, guessed = _answers(source, asked, used, labels)
    if asked.gold is not None:
        kept = "left out" if used.layout in ("counts", "probabilities") else "kept as the extra column gold"
        parts.append(f"gold = {show_name(asked.gold)} ({kept})")
    guessed = guessed or bool(guesses) or asked.gold is not None
    everything = [*source.taken, *(parts if guessed else ()), *guesses]
    return write_taken(everything) if everything else None


def classes_in_words(classes: Sequence[str], *, ordered: bool = False) -> str:
    """The classes, numbers as a range if it has no gaps, and whether they have an order, declared or numeric."""
    rising = _as_rising_numbers(classes)
    return class_list(classes) + (", ordered" if ordered or (rising and len(rising) > 2) else "")


def class_list(classes: Sequence[str]) -> str:
    rising = _as_rising_numbers(classes)
    if rising and len(rising) > 2 and isinstance(rising[0], int) and rising[-1] - rising[0] == len(rising) - 1:
        return f"{classes[0]}..{classes[-1]}"
    return list_names(classes) + (f", … {len(classes):,} classes" if len(classes) > SHOWN else "")


def list_names(names: Sequence[str]) -> str:
    return ", ".join(map(show_name, names[:SHOWN]))


def show_name(name: str) -> str:
    """A name as it is, in quotes if that would not be clear, and not too long."""
    if name == INDEX:
        return "index of the frame"
    plain = name.isprintable() and name == name.strip() != "" and not set(name) & set(",=()'\"")
    words = name if plain else repr(name)
    return words if len(words) <= LONG else f"{words[:LONG]}…"


def _answers(source: SourceTable, asked: Reading, used: Reading, labels: Labels) -> Parts:
    parts: list[str] = []
    guessed = used.layout != asked.layout and used.layout in ("top-two", "top-one")
    for role in ("item", "annotator", "label", "seconds"):
        column = getattr(used, role)
        unknown = role == "annotator" and not column and asked.annotator is None
        if unknown:
            parts.append("annotator = none (who answered is not known)")
        notes = _find_passed_over(source, role, asked, used) if column else []
        guessed |= unknown or bool(notes) or (bool(column) and _is_guess(role, asked, column))
        if role == "label" and used.layout == "votes":
            notes.append(_label_values(source, asked, used, labels))
            guessed |= _levels(source, asked, used) or bool(_whole_floats(labels, source.table[used.label]))
        if column:
            parts.append(f"{role} = {show_name(column)}" + (f" ({', '.join(notes)})" if notes else ""))
    if used.layout in ("top-two", "top-one"):
        columns = [name for name in top_columns(source.columns) or () if name is not None]
        parts.append(f"{used.layout} = {list_names(columns)} ({classes_in_words(labels.classes)})")
    return parts, guessed


def _people(source: SourceTable, asked: Reading, used: Reading, labels: Labels) -> Parts:
    people, beside = people_and_others(source, used)
    more = f", … {len(people):,} columns" if len(people) > SHOWN else ""
    floats = _whole_floats(labels, *(source.table[name] for name in people))
    parts = [
        f"item = {show_name(used.item) if used.item else 'row number'}",
        f"annotators = {list_names(people)}{more}",
        f"labels = {classes_in_words(labels.classes)}{floats}",
    ]
    beside = [name for name in beside if name != "gold" or asked.gold is None]
    if beside:
        parts.append(f"beside = {list_names(beside)}")
    return parts, asked.annotators is None or _is_guess("item", asked, used.item or "") or bool(beside)


def _matrix(source: SourceTable, asked: Reading, used: Reading) -> Parts:
    names = list(used.classes or ())
    parts = [
        f"item = {show_name(used.item) if used.item else 'row number'}",
        f"classes = {class_list(names)} ({used.layout})",
    ]
    left = [name for name in source.columns if name not in (used.item, "votes", *names)]
    left = [name for name in left if name != "gold" or asked.gold is None]
    if left:
        parts.append(f"left out = {list_names(left)}")
    layouts_given = asked.layout is not None and asked.classes is not None and not left
    return parts, not layouts_given or _is_guess("item", asked, used.item or "")


def _as_rising_numbers(classes: Sequence[str]) -> list[int] | list[float] | None:
    """The classes as numbers, integers if all are, if they are in ascending order."""
    if all(INTEGER.fullmatch(name) for name in classes):
        whole = [int(name) for name in classes]
        return whole if whole == sorted(whole) else None
    try:
        numbers = [float(name) for name in classes]
    except ValueError:
        return None
    return numbers if all(map(math.isfinite, numbers)) and numbers == sorted(numbers) else None


def _is_guess(role: str, asked: Reading, column: str) -> bool:
    return column == INDEX or (getattr(asked, role) is None and column != role)


def _find_passed_over(source: SourceTable, role: str, asked: Reading, used: Reading) -> list[str]:
    if getattr(asked, role) is not None:
        return []
    others = [name for name in candidates(source, role, used) if name != getattr(used, role)]
    return [f"not {show_name(name)}" for name in others]


def _levels(source: SourceTable, asked: Reading, used: Reading) -> bool:
    return asked.classes is None and ordered_levels(source.table[used.label]) is not None


def _label_values(source: SourceTable, asked: Reading, used: Reading, labels: Labels) -> str:
    words = classes_in_words(labels.classes, ordered=_levels(source, asked, used))
    return words + _whole_floats(labels, source.table[used.label])


def _whole_floats(labels: Labels, *columns: pa.ChunkedArray) -> str:
    """A remark, where the classes are integers and the file has floats."""
    whole = all(INTEGER.fullmatch(name) for name in labels.classes)
    floats = any(pa.types.is_floating(c.type) or whole_floats_in_text(c) is not c for c in columns)
    return ", whole floats read as integers" if whole and floats else ""
