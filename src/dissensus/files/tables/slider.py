"""Answers on one slider between two classes -> Beliefs."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from dissensus.files.notices import Notice
from dissensus.files.spelling import as_numbers
from dissensus.files.tables.columns import Reading, choose
from dissensus.files.tables.rows import extra_columns, is_list, nan_as_null, shared_fields, without_missing
from dissensus.files.tables.source import SourceTable
from dissensus.labels.beliefs import Beliefs
from dissensus.labels.frames import whole_floats
from dissensus.labels.refusals import Way


def beliefs_from_slider(source: SourceTable, reading: Reading) -> Beliefs:
    """A number from 0 to `scale` as the probability of the second class, its rest as that of the first.

    stated = (1 - value/scale, value/scale)   (m, 2)
    """
    label = choose(source, "label", reading)
    assert label is not None
    if reading.classes is None or len(reading.classes) != 2:
        given = "none were given" if reading.classes is None else f"got {list(reading.classes)}"
        raise source.refusal(
            f"a slider has a class at either end, and {given}",
            Way("name the class at its lower and at its upper end, such as {classes}", classes=["no", "yes"]),
        )
    if is_list(source.table[label].type):
        raise source.refusal(f"column {label!r} has lists; expected one number per answer")
    source = without_missing(source.with_table(nan_as_null(source.table, label)), label, "label", reading)
    source, roles, shared = shared_fields(source, reading, skip=label)
    values = source.numbers(label)
    if reading.scale is None:
        raise source.refusal(
            f"the upper end of the slider is not known; the numbers in column {label!r} go up to {values.max():g}",
            Way("pass the upper end, such as {scale}", scale=100),
        )
    outside = np.flatnonzero(~((values >= 0) & (values <= reading.scale)))
    if outside.size:
        raise source.refusal(
            f"row {source.row(outside[0])} has {values[outside[0]]:g} in column {label!r}; expected 0 to "
            f"{reading.scale:g}, and {outside.size} of {source.size} rows are outside",
            Way("correct them"),
            Way("pass another {scale}", scale=...),
        )
    low, high = reading.classes
    source.say(f"slider from 0 ({low}) to {reading.scale:g} ({high})")
    upper = values / reading.scale  # (m,)
    with source.name_rows():
        return Beliefs(
            **shared,
            classes=tuple(reading.classes),
            extra=extra_columns(source, [*roles.values(), label]),
            stated=np.column_stack([1 - upper, upper]),
            ruled_out=np.zeros((source.size, 2), dtype=bool),
            named=np.empty((source.size, 0), dtype=np.int32),
        )


def hint_at_slider(source: SourceTable, label: str) -> None:
    """Report numbers that are read as classes and may be positions of a slider: fractions, or many with gaps."""
    labels = whole_floats(source.table[label])
    numbers = as_numbers(labels) if source.text else labels
    if not (pa.types.is_integer(numbers.type) or pa.types.is_floating(numbers.type)):
        return
    seen = numbers.drop_null().unique().to_numpy()
    if np.isfinite(seen).all() and ((seen != np.floor(seen)).any() or 20 < seen.size < np.ptp(seen) + 1):
        problem = (
            f"each of the {seen.size} numbers from {seen.min():g} to {seen.max():g} in column {label!r} is a class"
        )
        way = "read positions of a slider with {layout}, its two {classes} and its upper end {scale}"
        source.say(Notice(problem, Way(way, layout="slider", classes=..., scale=...)))
