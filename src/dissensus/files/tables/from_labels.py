"""Votes, Beliefs or Distributions -> a table that reads back to the same value."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pyarrow as pa

from dissensus.files.spelling import as_text, infer_types, whole_floats_in_text
from dissensus.files.tables.beliefs import look_like_percents
from dissensus.files.tables.columns import Reading
from dissensus.files.tables.layouts import recognise
from dissensus.files.tables.several import find_joined_name
from dissensus.files.tables.source import SourceTable
from dissensus.files.tables.spellings import first_alike, same_class, without_blanks, words_for_nothing
from dissensus.files.tables.to_labels import METADATA
from dissensus.labels.answers import Answers
from dissensus.labels.beliefs import Beliefs
from dissensus.labels.distributions import Distributions
from dissensus.labels.doors import ANY_LABELS, takes
from dissensus.labels.frames import ROLES, class_column, free_name
from dissensus.labels.names import class_order, encode
from dissensus.labels.refusals import PythonWay, Refusal, Way, one_of
from dissensus.labels.row_numbers import are_named
from dissensus.labels.shares import Labels
from dissensus.labels.votes import Votes


@takes(value=ANY_LABELS)
def as_table(value: Labels, layout: str | None = None) -> pa.Table:
    """Convert labels to an Arrow table that reads back to the same labels.

        Votes          item, annotator, label, seconds, then the extra columns; one row per vote
        Beliefs        item, annotator, stated.CLASS, ruled_out.CLASS, named.1, named.2, seconds, then the extra columns
        Distributions  item if items have names, one column per class, and votes if known

    The order of classes and the items without an answer go into the schema's metadata.

    Parameters
    ----------
    value : Votes, Beliefs or Distributions
    layout : "crowd-kit", "annotators" or None
        For votes: "crowd-kit" names the columns task, worker, label; "annotators" gives one row per item and one column
        per annotator, empty if not asked (cleanlab's multi-annotator frame).

    Returns
    -------
    Arrow table

    Examples
    --------
    >>> as_table(Votes.of(["a", "a"], ["cat", "dog"], ["ann", "bo"])).column_names
    ['item', 'annotator', 'label']
    """
    if isinstance(value, Distributions):
        if layout is not None:
            raise Refusal(
                "{layout} is for votes, and these are distributions", ways=[Way("leave it out")], layout=layout
            )
        table, item = (value.to_arrow(), "item") if has_item_column(value) else (value.to_arrow().drop("item"), "")
        return _describe_table(table, layout="probabilities", item=item, classes=list(value.classes))
    if layout is not None:
        one_of("layout to write", layout, ("crowd-kit", "annotators"))
    if layout is not None and not isinstance(value, Votes):
        raise Refusal(
            "{layout} is for votes, and these are beliefs",
            ways=[Way("leave it out"), PythonWay("take beliefs.first_choices() first")],
            layout=layout,
        )
    if layout == "annotators" and isinstance(value, Votes):
        return _annotator_columns(value)
    table = value.to_arrow()
    extra = [] if value.extra is None else value.extra.column_names
    present = {role: free_name(role, extra) for role in ROLES if free_name(role, extra) in table.column_names}
    order = _order_of_names(value, table, present)
    wanted = {"item": "task", "annotator": "worker"} if layout == "crowd-kit" else {}
    roles = {role: free_name(wanted.get(role, role), extra) if role in present else "" for role in ROLES}
    renamed = {column: roles[role] for role, column in present.items()}
    table = table.rename_columns([renamed.get(name, name) for name in table.column_names])
    kind = {"layout": "beliefs", "scale": 1} if isinstance(value, Beliefs) else {"layout": "votes"}
    return _describe_table(table, **kind, classes=list(value.classes), **order, **roles)


def has_item_column(value: Labels) -> bool:
    """Whether a file of these labels names its items: not if row i is row i of a source without names.

    Answers need the column to say which belong together, and rows that were selected to say which rows they were.
    """
    rows = isinstance(value, Distributions) and np.array_equal(value.items, np.arange(value.n_items))
    return are_named(value.items) or not rows


def find_losses_in_plain_columns(value: Labels, table: pa.Table, *, text: bool) -> list[tuple[str, dict[str, Any]]]:
    """Describe what the columns of a table alone lose, with the settings that restore it.

    text: every cell becomes text (CSV), so that types are lost too
    """
    meta = json.loads(table.schema.metadata[METADATA])
    plain = _as_read_back(table, text=text)
    guessed = _recognise(plain)
    lost: list[tuple[str, dict[str, Any]]] = []
    if isinstance(value, Answers) and meta["layout"] == "annotators":
        kept = [name for name in ("seconds", "extra") if getattr(value, name) is not None]
        lost += [(f"the {'times' if name == 'seconds' else 'extra columns'}, in this layout", {}) for name in kept]
    elif isinstance(value, Answers):
        for role in ROLES:
            known = None if guessed is None else getattr(guessed, role) or ""
            if known != meta[role] and not _is_unlabelled(role, meta):
                lost.append((f"which column is the {role}", {role: meta[role]}))
        lost += [(changed, {}) for changed in _find_changed_types(value, text=text)]
        if value.annotator is not None and _is_answered_twice(value):
            lost.append(("that second answers are not an accident", {"repeats": "keep"}))
    if guessed is None or guessed.layout != meta["layout"]:
        lost.append(("what its rows hold", {"layout": meta["layout"]}))
    if isinstance(value, Distributions) and not _keeps_classes(plain, value, meta):
        lost.append(("which columns are classes", {"classes": meta["classes"]}))
    if isinstance(value, Votes):
        chosen = [value.classes[code] for code in np.unique(value.choice)]
        whole_floats = (text or meta["layout"] == "annotators") and any(n.endswith(".0") for n in value.classes)
        doubtful = words_for_nothing(chosen) or first_alike(chosen, same_class)
        if class_order(chosen) != value.classes or whole_floats or doubtful:
            lost.append(("the list and order of classes", {"classes": meta["classes"]}))
        elif (joined := find_joined_name(chosen)) is not None:
            lost.append((f"that {joined!r} is one class", {"classes": meta["classes"]}))
    if isinstance(value, Beliefs) and look_like_percents(value.stated):
        lost.append(("that probabilities above 1 are not percents", {"scale": 1}))
    for kind in ("items", "annotators"):
        if kind in meta:
            lost.append((f"the order of {kind}, or {kind} without answers", {kind: ...}))
        elif _is_spelled_otherwise(getattr(value, kind, None), text=text):
            lost.append((f"how {kind} are spelled (1.0 is read as 1, blanks are refused)", {kind: ...}))
    return lost


def _is_spelled_otherwise(names: np.ndarray | None, *, text: bool) -> bool:
    """Whether names of items or annotators would not be taken from a file as they are."""
    if names is None or names.dtype.kind == "i":
        return False
    column = pa.chunked_array([pa.array(names.tolist(), pa.string())])
    floats = text and whole_floats_in_text(column) is not column
    return floats or bool(first_alike(names.tolist(), without_blanks))


def _is_unlabelled(role: str, meta: dict[str, Any]) -> bool:
    return role == "label" and meta["layout"] == "beliefs"


def _as_read_back(table: pa.Table, *, text: bool) -> SourceTable:
    plain = table.replace_schema_metadata(None)
    if text:
        plain = pa.table({field.name: infer_types(as_text(plain[field.name])) for field in plain.schema})
    return SourceTable(plain, "")


def _recognise(plain: SourceTable) -> Reading | None:
    """How the columns alone would be read, None if they would be refused."""
    try:
        return recognise(plain, Reading())
    except ValueError:
        return None


def _keeps_classes(plain: SourceTable, value: Distributions, meta: dict[str, Any]) -> bool:
    try:
        return recognise(plain, Reading(layout=meta["layout"], item=meta["item"])).classes == value.classes
    except ValueError:
        return False


def _find_changed_types(value: Answers, *, text: bool) -> list[str]:
    if value.extra is None:
        return []
    changed = []
    for name, column in zip(value.extra.column_names, value.extra.columns, strict=True):
        back = infer_types(as_text(column)).type if text else _json_type(column)
        if back != column.type:
            changed.append(f"{name} ({column.type} becomes {back})")
    return [f"the type of the extra columns {', '.join(changed)}"] if changed else []


def _json_type(column: pa.ChunkedArray) -> pa.DataType:
    kind = column.type
    if column.null_count == len(column):
        return pa.null()
    if pa.types.is_nested(kind):
        return pa.array(column.to_pylist()).type
    if pa.types.is_boolean(kind):
        return kind
    if pa.types.is_integer(kind):
        return pa.int64()
    return pa.float64() if pa.types.is_floating(kind) else pa.string()


def _is_answered_twice(value: Answers) -> bool:
    annotator, annotators = value.require_annotators("second answers")
    return bool(np.unique(value.item.astype(np.int64) * annotators.size + annotator).size < value.n_answers)


def _order_of_names(value: Answers, table: pa.Table, columns: dict[str, str]) -> dict[str, Any]:
    """Names that reading the columns alone would order differently or not know of."""
    kept = {}
    for role in ("item", "annotator"):
        names = getattr(value, f"{role}s")
        if names is not None and not np.array_equal(encode(table[columns[role]])[1], names):
            kept[f"{role}s"] = names.tolist()
    return kept


def _annotator_columns(votes: Votes) -> pa.Table:
    annotator, annotators = votes.require_annotators("one column per annotator")
    cell = votes.item.astype(np.int64) * annotators.size + annotator
    if np.unique(cell).size < cell.size:
        raise ValueError(
            "an annotator answered an item twice, which one cell cannot hold; take the first or last answers"
        )
    people = [str(name) for name in annotators.tolist()]
    if "item" in people:
        raise ValueError("an annotator is named 'item', as the column of items; rename the annotator first")
    grid = np.full((votes.n_items, annotators.size), -1, dtype=np.int32)
    grid[votes.item, annotator] = votes.choice
    columns: dict[str, Any] = {"item": pa.array(votes.items)}
    columns |= {name: class_column(votes.classes, grid[:, code]) for code, name in enumerate(people)}
    return _describe_table(
        pa.table(columns),
        layout="annotators",
        item="item",
        classes=list(votes.classes),
        items=votes.items.tolist(),
        annotators=annotators.tolist(),
    )


def _describe_table(table: pa.Table, **reading: Any) -> pa.Table:
    """The table with a note in its schema on how to read it."""
    return table.replace_schema_metadata({METADATA: json.dumps(reading).encode()})
