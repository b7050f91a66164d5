"""Answers on one slider between two classes -> Beliefs."""

from __future__ import annotations

import numpy as np

from dissensus.files.tables.columns import Reading, choose
from dissensus.files.tables.rows import extra_columns, is_list, nan_as_null, shared_fields, without_missing
from dissensus.files.tables.source import SourceTable
from dissensus.labels.beliefs import Beliefs


def beliefs_from_slider(source: SourceTable, reading: Reading) -> Beliefs:
    """A number from 0 to `scale` as the probability of the second class, its rest as that of the first.

    stated = (1 - value/scale, value/scale)   (m, 2)
    """
    label = choose(source, "label", reading)
    assert label is not None
    if reading.classes is None or len(reading.classes) != 2:
        given = "none were given" if reading.classes is None else f"got {list(reading.classes)}"
        raise ValueError(
            f"{source.name}: a slider stands between two classes, and {given}; name what is at its lower and its upper "
            "end: classes=['no', 'yes'] (--classes no,yes)"
        )
    if is_list(source.table[label].type):
        raise ValueError(f"{source.name}: column {label!r} holds lists; expected one number per answer")
    source = without_missing(source.holding(nan_as_null(source.table, label)), label, "label", reading)
    source, roles, shared = shared_fields(source, reading, skip=label)
    values = source.numbers(label)
    if reading.scale is None:
        raise ValueError(
            f"{source.name}: where does the slider end? The numbers in column {label!r} go up to {values.max():g}; "
            "pass the upper end, scale=100 (--scale 100) or another"
        )
    outside = np.flatnonzero(~((values >= 0) & (values <= reading.scale)))
    if outside.size:
        raise ValueError(
            f"{source.name}: row {source.row(outside[0])} has {values[outside[0]]:g} in column {label!r}; expected 0 "
            f"to {reading.scale:g}, and {outside.size} of {source.size} rows are outside: correct them, or pass "
            "another scale= (--scale)"
        )
    low, high = reading.classes
    source.say(f"slider from 0 ({low}) to {reading.scale:g} ({high})")
    upper = values / reading.scale  # (m,)
    with source.naming_rows():
        return Beliefs(
            **shared, classes=tuple(reading.classes), extra=extra_columns(source, [*roles.values(), label]),
            stated=np.column_stack([1 - upper, upper]), ruled_out=np.zeros((source.size, 2), dtype=bool),
            named=np.empty((source.size, 0), dtype=np.int32),
        )  # fmt: skip
