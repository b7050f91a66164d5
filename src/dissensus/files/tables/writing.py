"""Votes, Beliefs or Distributions -> a table that reads back to the same value."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pyarrow as pa

from dissensus.files.delimited import as_text, typed
from dissensus.files.tables.beliefs import look_like_percents
from dissensus.files.tables.columns import Reading, choose, guess_layout
from dissensus.files.tables.reading import METADATA
from dissensus.labels.answers import Answers
from dissensus.labels.beliefs import Beliefs
from dissensus.labels.distributions import Distributions
from dissensus.labels.names import class_order, encode
from dissensus.labels.shares import Labels
from dissensus.labels.votes import Votes

ROLES = ("item", "annotator", "label", "seconds")
PREFIXES = ("stated.", "ruled_out.", "named.")


def as_table(value: Labels, layout: str | None = None) -> pa.Table:
    """An Arrow table of a value; `table.to_pandas()` and `polars.from_arrow(table)` make frames of it.

    Votes          item, annotator, label, seconds, then the extra columns; one row per vote.
                   layout="crowd-kit" calls them task, worker, label; layout="annotators" gives one row per item and
                   one column per annotator, empty where not asked (cleanlab's multi-annotator frame)
    Beliefs        item, annotator, seconds, stated.CLASS, ruled_out.CLASS, named.1, named.2, then the extra columns
    Distributions  item, one column per class, and votes where known
    What plain columns cannot hold (order of classes, items nobody answered) goes into the schema's metadata.
    """
    if isinstance(value, Distributions):
        if layout is not None:
            raise ValueError(f"layout {layout!r} holds votes, and these are distributions; leave it out")
        return _distributions_table(value)
    if layout not in (None, "annotators", "crowd-kit"):
        raise ValueError(f"no layout {layout!r} to write; there are 'crowd-kit' and 'annotators', for votes")
    if layout is not None and not isinstance(value, Votes):
        raise ValueError(f"layout {layout!r} holds votes, and these are beliefs; take beliefs.first_choices() first")
    if layout == "annotators" and isinstance(value, Votes):
        return _annotator_columns(value)
    columns = _answer_columns(value)
    meta: dict[str, Any] = {"layout": "votes", "classes": list(value.classes)}
    if isinstance(value, Beliefs):
        columns |= _belief_columns(value)
        meta |= {"layout": "beliefs", "scale": 1}
    else:
        columns["label"] = _named_choices(value.classes, value.choice)
    if value.seconds is not None:
        columns["seconds"] = pa.array(value.seconds, from_pandas=True)
    meta |= _order_of_names(value, columns)
    extra = [] if value.extra is None else value.extra.column_names
    role_columns = {"item": "task", "annotator": "worker"} if layout == "crowd-kit" else {}
    for role in ROLES:
        name = role_columns.get(role, role)
        meta[role] = _free_name(name, extra) if role in columns else ""
    columns = {meta.get(name, name) if name in ROLES else name: column for name, column in columns.items()}
    taken = [name for name in extra if name in columns or (meta["layout"] == "beliefs" and name.startswith(PREFIXES))]
    if taken:
        raise ValueError(f"an extra column is named {taken[0]!r}, as one of the value's own columns; rename it first")
    table = pa.table(columns)
    for field, column in zip(value.extra.schema, value.extra.columns, strict=True) if value.extra is not None else ():
        table = table.append_column(field, column)
    return table.replace_schema_metadata({METADATA: json.dumps(meta).encode()})


def lost_in_plain_columns(value: Labels, table: pa.Table, *, text: bool) -> list[str]:
    """What the columns of a table alone do not tell, in words, with what to pass when reading them.

    text: every cell becomes text (CSV), so that types are lost too
    """
    meta = json.loads(table.schema.metadata[METADATA])
    plain = table.replace_schema_metadata(None)
    lost = []
    if isinstance(value, Answers) and meta["layout"] == "annotators":
        kept = [name for name in ("seconds", "extra") if getattr(value, name) is not None]
        lost += [f"the {'times' if name == 'seconds' else 'extra columns'}, in this layout" for name in kept]
    elif isinstance(value, Answers):
        for role in ROLES:
            if (choose(plain, role, Reading(), "", needed=False) or "") != meta[role] and not _unlabelled(role, meta):
                lost.append(f"which column is the {role}: read it back with {role}={meta[role]!r}")
        lost += _changed_types(value, text=text)
        if value.annotator is not None and _answered_twice(value):
            lost.append("that second answers are no accident: read it back with repeats='keep'")
    if _guessed_layout(plain, text=text and isinstance(value, Distributions)) != meta["layout"]:
        lost.append(f"what its rows hold: read it back with layout={meta['layout']!r}")
    if (
        isinstance(value, Votes)
        and class_order(value.classes[code] for code in np.unique(value.choice)) != value.classes
    ):
        lost.append(f"the list and order of classes: read it back with classes={meta['classes']}")
    if isinstance(value, Beliefs) and look_like_percents(value.stated):
        lost.append("that probabilities above 1 are no percents: read it back with scale=1")
    for kind in ("items", "annotators"):
        if kind in meta:
            lost.append(f"the order of {kind}, or {kind} without answers: read it back with {kind}=")
    return lost


def _unlabelled(role: str, meta: dict[str, Any]) -> bool:
    return role == "label" and meta["layout"] == "beliefs"


def _guessed_layout(plain: pa.Table, *, text: bool) -> str | None:
    if text:
        plain = pa.table({field.name: typed(as_text(plain[field.name])) for field in plain.schema})
    try:
        return guess_layout(plain, Reading(), "")
    except ValueError:
        return None


def _changed_types(value: Answers, *, text: bool) -> list[str]:
    if value.extra is None:
        return []
    changed = []
    for name, column in zip(value.extra.column_names, value.extra.columns, strict=True):
        back = typed(as_text(column)).type if text else _json_type(column)
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


def _answered_twice(value: Answers) -> bool:
    annotator, annotators = value.identified("second answers")
    return bool(np.unique(value.item.astype(np.int64) * annotators.size + annotator).size < value.n_answers)


def _answer_columns(value: Answers) -> dict[str, Any]:
    columns: dict[str, Any] = {"item": pa.array(value.items[value.item])}
    if value.annotator is not None and value.annotators is not None:
        columns["annotator"] = pa.array(value.annotators[value.annotator])
    return columns


def _order_of_names(value: Answers, columns: dict[str, Any]) -> dict[str, Any]:
    """Names that reading the columns alone would order differently or not know of."""
    kept = {}
    for role in ("item", "annotator"):
        names = getattr(value, f"{role}s")
        if names is not None and not np.array_equal(encode(columns[role])[1], names):
            kept[f"{role}s"] = names.tolist()
    return kept


def _belief_columns(beliefs: Beliefs) -> dict[str, Any]:
    columns: dict[str, Any] = {}
    for code, name in enumerate(beliefs.classes):
        columns[f"stated.{name}"] = pa.array(beliefs.stated[:, code], from_pandas=True)
    for code, name in enumerate(beliefs.classes):
        columns[f"ruled_out.{name}"] = pa.array(beliefs.ruled_out[:, code])
    for place in range(beliefs.named.shape[1]):
        columns[f"named.{place + 1}"] = _named_choices(beliefs.classes, beliefs.named[:, place])
    return columns


def _named_choices(classes: tuple[str, ...], codes: np.ndarray) -> pa.Array:
    return pa.DictionaryArray.from_arrays(pa.array(codes, mask=codes < 0), pa.array(classes, pa.string())).cast(
        pa.string()
    )


def _distributions_table(value: Distributions) -> pa.Table:
    taken = {"item", "votes"} & set(value.classes)
    if taken:
        raise ValueError(
            f"a class is named {taken.pop()!r}, as a column of a distributions file; rename the class first"
        )
    columns: dict[str, Any] = {"item": pa.array(value.items)}
    columns |= {name: value.probs[:, code] for code, name in enumerate(value.classes)}
    if value.votes is not None:
        columns["votes"] = value.votes
    meta = {"layout": "probabilities", "item": "item", "classes": list(value.classes)}
    return pa.table(columns).replace_schema_metadata({METADATA: json.dumps(meta).encode()})


def _annotator_columns(votes: Votes) -> pa.Table:
    annotator, annotators = votes.identified("one column per annotator")
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
    columns |= {name: _named_choices(votes.classes, grid[:, code]) for code, name in enumerate(people)}
    meta = {
        "layout": "annotators", "item": "item", "classes": list(votes.classes),
        "items": votes.items.tolist(), "annotators": annotators.tolist(),
    }  # fmt: skip
    return pa.table(columns).replace_schema_metadata({METADATA: json.dumps(meta).encode()})


def _free_name(wanted: str, taken: list[str]) -> str:
    while wanted in taken:
        wanted += "_code"
    return wanted
