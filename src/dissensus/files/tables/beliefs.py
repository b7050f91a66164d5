"""A table of partial probabilities -> Beliefs."""

from __future__ import annotations

import ast
import re
from typing import Any

import numpy as np
import pyarrow as pa

from dissensus.files.tables.columns import Reading, top_two_columns
from dissensus.files.tables.rows import extra_columns, flags, nan_as_null, numbers, shared_fields, who, whole_floats
from dissensus.labels.beliefs import Beliefs
from dissensus.labels.names import class_order


def beliefs_from_table(table: pa.Table, reading: Reading, source: str, *, top_two: bool) -> Beliefs:
    table, reading, roles, shared = shared_fields(table, reading, source)
    if top_two:
        columns = top_two_columns(table)
        if columns is None:
            raise ValueError(f"{source}: no top1, top1_prob, top2, top2_prob columns among {table.column_names}")
        used = [name for name in columns if name is not None]
        stated, ruled_out, named, classes = _top_two(table, columns, reading, source)
    else:
        used, stated, ruled_out, named, classes = _stated_columns(table, reading, source)
    _check(table, roles, classes, stated, ruled_out, named, reading, source)
    scale = _scale(stated, classes, reading) if reading.scale is None else reading.scale
    return Beliefs(
        **shared, classes=classes, stated=stated / scale, ruled_out=ruled_out, named=named,
        extra=extra_columns(table, [*roles.values(), *used], reading),
    )  # fmt: skip


def _stated_columns(table: pa.Table, reading: Reading, source: str) -> tuple[Any, ...]:
    classes = [name.removeprefix("stated.") for name in table.column_names if name.startswith("stated.")]
    if reading.classes is not None and set(reading.classes) != set(classes):
        raise ValueError(
            f"{source}: the stated. columns are for {classes}, but the classes asked for are {reading.classes}"
        )
    if reading.classes is not None:
        classes = list(reading.classes)
    if not classes:
        raise ValueError(f"{source}: no column is named stated.CLASS; the columns are {table.column_names}")
    count = sum(name.startswith("named.") for name in table.column_names)
    places = [f"named.{place + 1}" for place in range(count)]
    if not set(places) <= set(table.column_names):
        raise ValueError(f"{source}: expected the columns {places} for the classes named; got {table.column_names}")
    out_columns = [f"ruled_out.{name}" for name in classes if f"ruled_out.{name}" in table.column_names]
    m = table.num_rows
    stated = np.column_stack([numbers(table, f"stated.{name}", reading, source) for name in classes])
    ruled_out = np.zeros((m, len(classes)), dtype=bool)
    for code, name in enumerate(classes):
        if f"ruled_out.{name}" in out_columns:
            ruled_out[:, code] = _ruled_out(table, f"ruled_out.{name}", source)
    named = np.full((m, len(places)), -1, dtype=np.int32)
    for place, column_name in enumerate(places):
        named[:, place] = _class_codes(table, column_name, classes, reading, source)
    used = [f"stated.{name}" for name in classes] + out_columns + places
    return used, stated, ruled_out, named, tuple(classes)


def _top_two(table: pa.Table, columns: Any, reading: Reading, source: str) -> tuple[Any, ...]:
    first, first_prob, second, second_prob, out = columns
    lists = _ruled_out_lists(table, out, reading, source) if out else [[]] * table.num_rows
    classes: Any = reading.classes
    if classes is None:
        columns = [whole_floats(nan_as_null(table, name)[name], name, None) for name in (first, second)]
        texts = {str(v) for column in columns for v in column.unique().to_pylist() if v is not None}
        classes = class_order(_with_ruled_out(texts - {"-1", ""}, lists, reading, source))
    m, k = table.num_rows, len(classes)
    rows = np.arange(m)
    stated = np.full((m, k), np.nan)
    named = np.column_stack([_class_codes(table, name, classes, reading, source) for name in (first, second)])
    for place, column in enumerate((first_prob, second_prob)):
        prob = numbers(table, column, reading, source)
        # One class named twice keeps the probability given last, unless that is 0: so the released CIFAR-10S labels.
        again = (named[:, 0] == named[:, place]) & (prob == 0) if place else False
        said = (named[:, place] >= 0) & ~np.isnan(prob) & ~np.asarray(again)
        stated[rows[said], named[said, place]] = prob[said]
    ruled_out = np.zeros((m, k), dtype=bool)
    code = {name: i for i, name in enumerate(classes)}
    for row, values in enumerate(lists):
        for value in values:
            if value not in code:
                raise ValueError(
                    f"{source}: row {reading.row(row)} rules out {value!r}, but the classes are {list(classes)}: "
                    "separate several with |"
                )
            ruled_out[row, code[value]] = True
    return stated, ruled_out, named.astype(np.int32), tuple(classes)


def look_like_percents(stated: np.ndarray) -> bool:
    return bool((stated > 1).sum() > (stated > 0).sum() / 2)


def _scale(stated: np.ndarray, classes: Any, reading: Reading) -> float:
    """What probabilities are out of: 100 where most of those above 0 are above 1, so that one slip moves no other."""
    above = np.argwhere(stated > 1)
    if not above.size:
        return 1.0
    if look_like_percents(stated):
        reading.say("probabilities are percents (scale = 100)")
        return 100.0
    row, code = above[0]
    reading.say(
        f"row {reading.row(row)} states {stated[row, code]:g} for class {classes[code]!r}, as {len(above)} of "
        f"{(~np.isnan(stated)).sum()} probabilities above 1: out of range, read as they stand; pass scale=100 if all "
        "are percents"
    )
    return 1.0


def _check(
    table: pa.Table, roles: Any, classes: Any, stated: np.ndarray, ruled_out: np.ndarray, named: np.ndarray,
    reading: Reading, source: str,
) -> None:  # fmt: skip
    """Refuse what is no probability, and answers that say nothing."""
    bad = np.argwhere((stated < 0) | np.isinf(stated))
    if bad.size:
        row, code = (int(place) for place in bad[0])
        raise ValueError(
            f"{source}: row {reading.row(row)} ({who(table, roles, row)}) states {stated[row, code]:g} for class "
            f"{classes[code]!r}; expected a probability of 0 or more, or nothing; {len(bad)} entries are wrong"
        )
    silent = np.flatnonzero(np.isnan(stated).all(axis=1) & ~ruled_out.any(axis=1) & ~(named >= 0).any(axis=1))
    if silent.size:
        row = int(silent[0])
        raise ValueError(
            f"{source}: row {reading.row(row)} ({who(table, roles, row)}) states no probability, names no class and "
            f"rules none out; {silent.size} of {len(stated)} rows say nothing: leave them out"
        )


def _ruled_out(table: pa.Table, column: str, source: str) -> np.ndarray:
    """A column of true and false, where nothing means false.  (m,) bool"""
    found = flags(table[column])
    if found is None:
        known = ("true", "false", "0", "1")
        odd = next(v for v in table[column].to_pylist() if v is not None and str(v).lower() not in known)
        raise ValueError(f"{source}: column {column!r} holds {odd!r:.80}; expected true or false")
    return found


def _ruled_out_lists(table: pa.Table, column: str, reading: Reading, source: str) -> list[list[str]]:
    """The classes each row rules out: a list, a list written as text, or text separated by |."""
    lists: list[list[str]] = []
    for row, value in enumerate(whole_floats(nan_as_null(table, column)[column], column, None).to_pylist()):
        if isinstance(value, str) and value.startswith("["):
            value = _written_list(value)
            if value is None:
                raise ValueError(
                    f"{source}: row {reading.row(row)} has {table[column][row].as_py()!r:.80} in column {column!r}; "
                    "expected a list of names: separate them with |"
                )
        names = value if isinstance(value, list) else [] if value in (None, "") else str(value).split("|")
        lists.append([str(name) for name in names])
    return lists


def _written_list(text: str) -> list[Any] | None:
    """The names in a list as JSON or pandas writes it, ["ship", "fox"] or ['ship', 'fox']; None if it is none."""
    try:
        parts = ast.parse(text, mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    if not isinstance(parts, ast.List):
        return None
    names = [part.value for part in parts.elts if isinstance(part, ast.Constant)]
    plain = len(names) == len(parts.elts) and all(isinstance(name, str | int | float) for name in names)
    # Python joins strings with only blanks between them, and so NumPy prints its arrays: ['ship' 'fox'].
    return names if plain and not re.search(r"['\"]\s+['\"]", text) else None


def _with_ruled_out(named: set[str], lists: list[list[str]], reading: Reading, source: str) -> set[str]:
    """The classes that were named or ruled out; what reads as several names that nobody named is refused."""
    only = dict.fromkeys(name for row in lists for name in row if name not in named)
    for name in only:
        if any(mark in name for mark in ",;[]\n"):
            row = next(place for place, names in enumerate(lists) if name in names)
            raise ValueError(
                f"{source}: row {reading.row(row)} rules out {name!r:.80}, a class that nobody named; several are "
                "separated with |: correct it, or list all classes with classes="
            )
    if only:
        reading.say(f"classes that are only ruled out, never named: {', '.join(list(only)[:8])}")
    return named | set(only)


def _class_codes(table: pa.Table, column: str, classes: Any, reading: Reading, source: str) -> np.ndarray:
    """Codes of a column that names classes, -1 where it is null (or holds -1 or "" and no class is called that)."""
    values = whole_floats(nan_as_null(table, column)[column], column, None).to_pylist()
    code = {str(name): i for i, name in enumerate(classes)}
    absent = {"-1", ""} - set(code)
    codes = np.array(
        [-1 if value is None or str(value) in absent else code.get(str(value), -2) for value in values], dtype=np.int32
    )
    bad = np.flatnonzero(codes == -2)
    if bad.size:
        raise ValueError(
            f"{source}: row {reading.row(bad[0])} names {values[bad[0]]!r} in column {column!r}, but the classes "
            f"are {list(classes)}"
        )
    return codes
