"""Answers that tick classes in columns of their own, 1 for a tick and 0 for none -> a list of classes per answer."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pyarrow as pa

from dissensus.files.tables.columns import Reading
from dissensus.files.tables.rows import flags
from dissensus.files.tables.source import SourceTable
from dissensus.labels.refusals import Refusal, Way


def with_ticks_in_one_column(source: SourceTable, reading: Reading) -> tuple[SourceTable, Reading]:
    """The table with the names of the ticked classes in a column `label`, if the caller says how to read several
    classes and which columns have them; else as it was."""
    classes = reading.classes or ()
    if reading.several is None or reading.label is not None or not classes or not set(classes) <= set(source.columns):
        return source, reading
    if "label" in source.columns and "label" not in classes:
        raise Refusal(
            "{classes} names columns of ticks, and there is a column 'label' as well",
            source.name,
            [
                Way("leave it out with {drop}", drop=["label"]),
                Way("pass {label} if the answers are there", label="label"),
            ],
            classes=...,
        )
    ticks = np.column_stack([_ticks(source, name) for name in classes])  # (m, k)
    offsets = np.concatenate([[0], ticks.sum(axis=1).cumsum()]).astype(np.int32)
    names = pa.array(list(classes), pa.string()).take(pa.array(np.nonzero(ticks)[1]))
    table = source.table.drop_columns(list(classes))
    lists = pa.ListArray.from_arrays(pa.array(offsets), names)
    return source.with_table(table.append_column("label", lists)), replace(reading, label="label")


def tick_columns(source: SourceTable, names: list[str]) -> list[str]:
    """Those of some columns that have only 0 and 1, or true and false."""
    return [name for name in names if flags(source.table[name]) is not None]


def _ticks(source: SourceTable, name: str) -> np.ndarray:
    ticked = flags(source.table[name])
    if ticked is None:
        raise source.refusal(
            f"column {name!r} should tick a class, but has values besides 0 and 1",
            Way("correct it"),
            Way("leave {several} out if the columns have counts or probabilities", several=...),
        )
    return ticked
