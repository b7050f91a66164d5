"""Which column is which: the usual names, what was guessed, and how to say otherwise."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, get_args

import numpy as np
import pyarrow as pa
import pyarrow.types as types

Layout = Literal["votes", "beliefs", "top-two", "counts", "probabilities", "annotators"]
LAYOUTS: tuple[Layout, ...] = get_args(Layout)
Repeats = Literal["error", "keep", "first", "last"]
Missing = Literal["error", "drop"]
CHOICES = {"layout": LAYOUTS, "repeats": get_args(Repeats), "missing": get_args(Missing)}

USUAL = {
    "item": ("item", "task", "image", "uid", "id", "item_id", "task_id", "image_id", "example_id", "instance_id"),
    "annotator": ("annotator", "worker", "rater", "user", "annotator_id", "worker_id", "rater_id", "user_id", "coder"),
    "label": ("label", "choice", "class", "vote", "annotation", "answer", "chosen_label", "category"),
    "seconds": ("seconds", "lead_time"),
}
REPEAT_FLAGS = ("is_repeat", "repeat")
TOP_TWO = (
    ("top1", "top1_prob", "top2", "top2_prob", ("impossible", "ruled_out", "definitely_not")),
    ("first", "first_prob", "second", "second_prob", ("impossible", "ruled_out", "definitely_not")),
)


@dataclass(frozen=True)
class Reading:
    """How to read a table; None means: find out, and say what was found.

    layout   votes (one row an answer), beliefs (stated.CLASS columns), top-two, counts or probabilities (one row an
             item, one column a class), annotators (one row an item, one column an annotator)
    item, annotator, label, seconds  the column that plays this role; "" where none does
    classes  all classes in order; for counts and probabilities, the columns that hold them
    items, annotators  all names in order, for items nobody answered or an order of your own
    repeats  what to do when one annotator answers one item twice: refuse, keep all, or take the first or last
    missing  what to do with rows without a label: refuse, or leave them out
    text     the columns are untyped text (CSV), so numbers are recognised by how they read
    scale    what the probabilities of beliefs are out of: 1, or 100 for percents
    """

    layout: Layout | None = None
    item: str | None = None
    annotator: str | None = None
    label: str | None = None
    seconds: str | None = None
    classes: Sequence[str] | None = None
    items: Sequence[Any] | None = None
    annotators: Sequence[Any] | None = None
    repeats: Repeats = "error"
    missing: Missing = "error"
    scale: float | None = None
    text: bool = False
    notices: list[str] = field(default_factory=list, compare=False)

    def __post_init__(self) -> None:
        for name, allowed in CHOICES.items():
            given = getattr(self, name)
            if given not in allowed and not (name == "layout" and given is None):
                raise ValueError(f"{name}={given!r:.80}: expected one of {', '.join(allowed)}")
        for name in ("classes", "items", "annotators"):
            given = getattr(self, name)
            if given is not None and (isinstance(given, str) or np.ndim(given) != 1):
                raise ValueError(f"{name}={given!r:.80}: expected a list of names")
        if self.classes is not None:
            object.__setattr__(self, "classes", tuple(str(name) for name in self.classes))
        if self.scale is not None and not (isinstance(self.scale, int | float) and 0 < self.scale < math.inf):
            raise ValueError(f"scale={self.scale!r:.80}: expected a number above 0, as 1 or 100")

    def say(self, notice: str) -> None:
        self.notices.append(notice)


def choose(table: pa.Table, role: str, reading: Reading, source: str, *, needed: bool = True) -> str | None:
    """The column that plays a role: the one asked for, else the first usual name that is there."""
    asked = getattr(reading, role)
    if asked == "" and not needed:
        return None
    if asked is not None:
        if asked not in table.column_names:
            raise ValueError(f"{source}: no column {asked!r} for {role}; the columns are {table.column_names}")
        return str(asked)
    lower = {name.lower(): name for name in reversed(table.column_names)}
    for usual in USUAL[role]:
        if usual in lower:
            found = lower[usual]
            if found != role:
                reading.say(f"{role} = column {found!r}")
            return found
    if needed:
        raise ValueError(
            f"{source}: no column looks like the {role}; the columns are {table.column_names}, the usual names "
            f"{list(USUAL[role])}: say which one it is with {role}= (on the command line --{role})"
        )
    return None


def top_two_columns(table: pa.Table) -> tuple[str, str, str, str, str | None] | None:
    """The columns of a top-two elicitation, if all are there: first, its probability, second, its own, ruled out."""
    have = set(table.column_names)
    for first, first_prob, second, second_prob, out in TOP_TWO:
        if {first, first_prob, second, second_prob} <= have:
            return first, first_prob, second, second_prob, next((name for name in out if name in have), None)
    return None


def guess_layout(table: pa.Table, reading: Reading, source: str) -> Layout:
    """The layout, from the column names alone where they tell, else from which columns hold numbers."""
    names = table.column_names
    if any(name.startswith("stated.") for name in names):
        return "beliefs"
    if top_two_columns(table) is not None:
        reading.say("layout = top-two")
        return "top-two"
    holds_classes = reading.classes is not None and set(reading.classes) <= set(names)
    usual_label = reading.label is None and any(name.lower() in USUAL["label"] for name in names)
    if reading.label or (usual_label and not holds_classes):
        return "votes"
    body = [table[name] for name in class_columns(table, reading, source)]
    if not body or not all(is_number(column) for column in body):
        text = [name for name in class_columns(table, reading, source) if not is_number(table[name])]
        text = [f"{name}: {table[name][0].as_py()!r:.40}" for name in text[:5]]
        raise ValueError(
            f"{source}: the columns {names} hold neither a label column ({list(USUAL['label'])}) nor one number "
            f"column per class (not numbers: {text}); name the label column with label=, or the classes: classes="
        )
    whole = all(is_whole(column) for column in body)
    reading.say(f"layout = {'counts' if whole else 'probabilities'} over {len(body)} classes")
    return "counts" if whole else "probabilities"


def class_columns(table: pa.Table, reading: Reading, source: str) -> list[str]:
    """The columns that hold one class each in a table of counts or probabilities."""
    if reading.classes is not None:
        absent = [name for name in reading.classes if name not in table.column_names]
        if absent:
            raise ValueError(f"{source}: no column for class {absent[0]!r}; the columns are {table.column_names}")
        return list(reading.classes)
    item = choose(table, "item", Reading(item=reading.item), source, needed=False)
    return [name for name in table.column_names if name not in (item, "votes")]


def is_number(column: pa.ChunkedArray) -> bool:
    return bool(types.is_integer(column.type) or types.is_floating(column.type))


def is_whole(column: pa.ChunkedArray) -> bool:
    if types.is_integer(column.type):
        return True
    values = column.to_numpy()
    return bool((values == values.round()).all()) and bool((values > 1).any())
