"""Votes, Beliefs or Distributions -> a table that reads back to the same value."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pyarrow as pa

from dissensus.labels.answers import Answers
from dissensus.labels.beliefs import Beliefs
from dissensus.labels.distributions import Distributions
from dissensus.labels.names import class_order, encode
from dissensus.labels.table_read import METADATA, Labels
from dissensus.labels.votes import Votes


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
        return _distributions_table(value)
    if layout == "annotators":
        return _annotator_columns(_votes_only(value, layout))
    if layout == "crowd-kit":
        return as_table(_votes_only(value, layout)).rename_columns({"item": "task", "annotator": "worker"})
    if layout is not None:
        raise ValueError(f"no layout {layout!r} to write; there are 'crowd-kit' and 'annotators', for votes")
    columns = _answer_columns(value)
    meta: dict[str, Any] = {
        "layout": "beliefs" if isinstance(value, Beliefs) else "votes",
        "classes": list(value.classes),
    }
    if isinstance(value, Beliefs):
        columns |= _belief_columns(value)
        meta["scale"] = 1
    else:
        columns["label"] = _named_choices(value.classes, value.choice)
    if value.seconds is not None:
        columns["seconds"] = pa.array(value.seconds, from_pandas=True)
    meta |= _order_of_names(value, columns)
    for role in ("item", "annotator", "label", "seconds"):
        if role in columns and value.extra is not None and role in value.extra.column_names:
            meta[role] = _free_name(f"{role}_code", value.extra.column_names)
            columns = {meta[role] if name == role else name: column for name, column in columns.items()}
    table = pa.table(columns)
    for field, column in zip(value.extra.schema, value.extra.columns, strict=True) if value.extra is not None else ():
        if field.name in table.column_names:
            raise ValueError(
                f"an extra column is named {field.name!r}, as one of the value's own columns; rename it first"
            )
        table = table.append_column(field, column)
    return table.replace_schema_metadata({METADATA: json.dumps(meta).encode()})


def lost_in_plain_columns(value: Labels) -> list[str]:
    """What a text format cannot carry, in words; empty where the columns alone read back to the same value."""
    if isinstance(value, Distributions):
        return []
    table = as_table(value)
    meta = json.loads(table.schema.metadata[METADATA])
    lost = []
    if isinstance(value, Votes) and list(class_order(table[meta.get("label", "label")].to_pylist())) != meta["classes"]:
        lost.append(f"the list and order of classes {meta['classes']}: read it back with classes=")
    for kind in ("items", "annotators"):
        if kind in meta:
            lost.append(f"the order of {kind}, or {kind} without answers: read it back with {kind}=")
    moved = [role for role in ("item", "annotator", "label", "seconds") if role in meta]
    if moved:
        lost.append(f"which column is the {moved[0]}, as an extra column has its name: read it back with {moved[0]}=")
    return lost


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
    grid = np.full((votes.n_items, annotators.size), -1, dtype=np.int32)
    grid[votes.item, annotator] = votes.choice
    columns: dict[str, Any] = {"item": pa.array(votes.items)}
    columns |= {str(name): _named_choices(votes.classes, grid[:, code]) for code, name in enumerate(annotators)}
    return pa.table(columns)


def _votes_only(value: Answers, layout: str) -> Votes:
    if not isinstance(value, Votes):
        raise ValueError(f"layout {layout!r} holds votes, and these are beliefs; take beliefs.first_choices() first")
    return value


def _free_name(wanted: str, taken: list[str]) -> str:
    while wanted in taken:
        wanted += "_"
    return wanted
