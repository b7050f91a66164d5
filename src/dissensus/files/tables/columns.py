"""Which column is which: the usual names, what was guessed, and how to say otherwise."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np
import pyarrow as pa
import pyarrow.types as types

from dissensus.files.tables.source import SourceTable
from dissensus.labels.answers import hold
from dissensus.labels.names import as_names

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


@dataclass(frozen=True, eq=False)
class Reading:
    """How to read a table; None means: find out, and say so.

    layout   votes (one row per answer), beliefs (stated.CLASS columns), top-two, counts or probabilities (one row per
             item, one column per class), annotators (one row per item, one column per annotator)
    item, annotator, label, seconds  the column that plays this role; "" where none does
    classes  all classes in order; for counts and probabilities, the columns that hold them
    items, annotators  all names in order, for items nobody answered or an order of your own
    repeats  what to do when one annotator answers one item twice: refuse, keep all, or take the first or last;
             None refuses, but keeps all of a file written by this package, which no longer holds accidents
    missing  what to do with rows without a label: refuse, or leave them out
    scale    what the probabilities of beliefs are out of: 1, or 100 for percents
    rescale  whether rows of probabilities are divided by their sum
    """

    layout: Layout | None = None
    item: str | None = None
    annotator: str | None = None
    label: str | None = None
    seconds: str | None = None
    classes: Sequence[str] | None = None
    items: Sequence[Any] | np.ndarray | None = None
    annotators: Sequence[Any] | np.ndarray | None = None
    repeats: Repeats | None = None
    missing: Missing = "error"
    scale: float | None = None
    rescale: bool = False

    def __post_init__(self) -> None:
        for name, allowed in CHOICES.items():
            given = getattr(self, name)
            if given not in allowed and not (name != "missing" and given is None):
                raise ValueError(f"{name}={given!r:.80}: expected one of {', '.join(allowed)}")
        for name in ("classes", "items", "annotators"):
            given = getattr(self, name)
            if given is not None and (isinstance(given, str) or np.ndim(given) != 1):
                raise ValueError(f"{name}={given!r:.80}: expected a list of names")
        if self.classes is not None:
            hold(self, "classes", tuple(str(name) for name in self.classes))
        for name in ("items", "annotators"):
            if getattr(self, name) is not None:
                hold(self, name, as_names(getattr(self, name)))
        if self.scale is not None and not (isinstance(self.scale, int | float) and 0 < self.scale < math.inf):
            raise ValueError(f"scale={self.scale!r:.80}: expected a number above 0, such as 1 or 100")


def choose(source: SourceTable, role: str, reading: Reading, *, needed: bool = True) -> str | None:
    """The column that plays a role: the one asked for, else the first usual name that is there."""
    asked = getattr(reading, role)
    if asked == "" and not needed:
        return None
    if asked is not None:
        if asked not in source.columns:
            raise ValueError(f"{source.name}: no column {asked!r} for {role}; the columns are {source.columns}")
        return str(asked)
    lower = {name.strip().lower(): name for name in reversed(source.columns)}
    for usual in USUAL[role]:
        if usual in lower:
            column = lower[usual]
            if column != role:
                source.say(f"{role} = column {column!r}")
            return column
    if needed:
        raise ValueError(
            f"{source.name}: no column looks like the {role}; the columns are {source.columns}, the usual names are "
            f"{list(USUAL[role])}: say which one it is with {role}= (on the command line --{role})"
        )
    return None


def top_two_columns(columns: Sequence[str]) -> tuple[str, str, str, str, str | None] | None:
    """The columns of a top-two elicitation, if all are there: first, its probability, second, its own, ruled out."""
    have = set(columns)
    for first, first_prob, second, second_prob, out in TOP_TWO:
        if {first, first_prob, second, second_prob} <= have:
            return first, first_prob, second, second_prob, next((name for name in out if name in have), None)
    return None


def guess_layout(source: SourceTable, reading: Reading) -> Layout:
    """The layout, from the column names alone where they tell, else from which columns hold numbers."""
    names, table = source.columns, source.table
    if any(name.startswith("stated.") for name in names):
        return "beliefs"
    if top_two_columns(names) is not None:
        source.say("layout = top-two")
        return "top-two"
    holds_classes = reading.classes is not None and set(reading.classes) <= set(names)
    usual_label = reading.label is None and any(name.strip().lower() in USUAL["label"] for name in names)
    if reading.label or (usual_label and not holds_classes):
        return "votes"
    body = class_columns(source, reading)
    if not body or not all(is_number(table[name]) for name in body):
        text = [name for name in body if not is_number(table[name])]
        text = [f"{name}: {table[name][0].as_py()!r:.40}" for name in text[:5]]
        raise ValueError(
            f"{source.name}: the columns {names} hold neither a label column ({list(USUAL['label'])}) nor one number "
            f"column per class (not numbers: {text}); name the label column with label=, or the classes: classes="
        )
    matrix = np.column_stack([table[name].to_numpy() for name in body])  # (n, k)
    layout: Layout = "counts" if are_counts(matrix) else "probabilities"
    if reading.item is None and reading.classes is None and len(body) == len(names) - ("votes" in names):
        _refuse_numbered_items(body, matrix, source.name)
    shown = ", ".join(body[:8]) + (", ..." if len(body) > 8 else "")
    source.say(f"layout = {layout} over {len(body)} classes: {shown}")
    return layout


def class_columns(source: SourceTable, reading: Reading) -> list[str]:
    """The columns that hold one class each in a table of counts or probabilities."""
    if reading.classes is not None:
        absent = [name for name in reading.classes if name not in source.columns]
        if absent:
            raise ValueError(f"{source.name}: no column for class {absent[0]!r}; the columns are {source.columns}")
        return list(reading.classes)
    item = choose(source.quietly(), "item", reading, needed=False)
    return [name for name in source.columns if name not in (item, "votes")]


def is_number(column: pa.ChunkedArray) -> bool:
    return bool(types.is_integer(column.type) or types.is_floating(column.type))


def are_counts(matrix: np.ndarray) -> bool:
    """Whether numbers are counts: integers, or floats that are all whole with some above 1; gaps aside.  (n, k)"""
    if matrix.dtype.kind in "iu":
        return True
    known = matrix[~np.isnan(matrix)]
    return bool((known == np.floor(known)).all() and (known > 1).any())


def _refuse_numbered_items(names: list[str], matrix: np.ndarray, source: str) -> None:
    """A first column that counts on, or alone holds distinct whole numbers, numbers the items; it is not a class.

    Rows with the same sum are a table of counts or probabilities whatever the first column holds.
    """
    first, rest = matrix[:, 0], matrix[:, 1:]
    if matrix.shape[0] < 2 or matrix.shape[1] < 2 or np.ptp(matrix.sum(axis=1)) < 1e-5 or not _distinct_whole(first):
        return
    counts_on = first[0] in (0, 1) and bool((np.diff(first) == 1).all())
    if counts_on or not any(_distinct_whole(column) for column in rest.T):
        raise ValueError(
            f"{source}: the first column {names[0]!r} looks like a number for each item ({first[:3].tolist()}...), not "
            f"like a class; pass item={names[0]!r} (--item), or name the classes: classes={names} if it is one"
        )


def _distinct_whole(column: np.ndarray) -> bool:
    return bool((column == np.floor(column)).all()) and np.unique(column).size == column.size
