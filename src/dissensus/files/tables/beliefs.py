"""A table of partial probabilities -> Beliefs."""

from __future__ import annotations

import ast
import re
from typing import Any

import numpy as np
import pyarrow as pa

from dissensus.files.notices import Notice
from dissensus.files.tables.columns import Reading
from dissensus.files.tables.layouts import top_columns
from dissensus.files.tables.rows import extra_columns, flags, nan_as_null, shared_fields
from dissensus.files.tables.source import SourceTable
from dissensus.labels.beliefs import Beliefs
from dissensus.labels.frames import whole_floats
from dissensus.labels.names import class_order, positions_of
from dissensus.labels.refusals import Refusal, Way


def beliefs_from_table(source: SourceTable, reading: Reading) -> Beliefs:
    source, roles, shared = shared_fields(source, reading)
    used, answers, classes = (_stated_columns if reading.layout == "beliefs" else _top)(source, reading)
    scale = _scale(answers["stated"], classes, source) if reading.scale is None else reading.scale
    extra = extra_columns(source, [*roles.values(), *used])
    with source.name_rows():
        return Beliefs(**shared, **answers | {"stated": answers["stated"] / scale}, classes=classes, extra=extra)


def _stated_columns(source: SourceTable, reading: Reading) -> tuple[list[str], dict[str, np.ndarray], tuple[str, ...]]:
    """The columns used, the fields stated, ruled_out and named, and the classes."""
    classes = [name.removeprefix("stated.") for name in source.columns if name.startswith("stated.")]
    if not classes:
        raise Refusal(
            f"no column is named stated.CLASS; the columns are {source.columns}",
            source.name,
            [Way("rename each column with stated probabilities to stated.CLASS, such as stated.cat")],
        )
    if reading.classes is not None and set(reading.classes) != set(classes):
        raise ValueError(
            f"{source.name}: the stated. columns are for {classes}, but the classes asked for are "
            f"{list(reading.classes)}"
        )
    if reading.classes is not None:
        classes = list(reading.classes)
    count = sum(name.startswith("named.") for name in source.columns)
    places = [f"named.{place + 1}" for place in range(count)]
    if not set(places) <= set(source.columns):
        raise ValueError(f"{source.name}: expected the columns {places} for the classes named; got {source.columns}")
    out_columns = [f"ruled_out.{name}" for name in classes if f"ruled_out.{name}" in source.columns]
    ruled_out = np.zeros((source.size, len(classes)), dtype=bool)
    for code, name in enumerate(classes):
        if f"ruled_out.{name}" in out_columns:
            ruled_out[:, code] = _read_ruled_out(source, f"ruled_out.{name}")
    named = np.full((source.size, len(places)), -1, dtype=np.int32)
    for place, column in enumerate(places):
        named[:, place] = _class_codes(source, column, classes)
    stated = np.column_stack([source.numbers(f"stated.{name}") for name in classes])
    used = [f"stated.{name}" for name in classes] + out_columns + places
    return used, {"stated": stated, "ruled_out": ruled_out, "named": named}, tuple(classes)


def _top(source: SourceTable, reading: Reading) -> tuple[list[str], dict[str, np.ndarray], tuple[str, ...]]:
    """The columns used, the fields stated, ruled_out and named, and the classes."""
    columns = top_columns(source.columns)
    if columns is None or (columns[2] is None and reading.layout == "top-two"):
        needed = "top1, top1_prob, top2, top2_prob" if reading.layout == "top-two" else "top1, top1_prob"
        raise ValueError(f"{source.name}: no {needed} columns among {source.columns}")
    first, first_prob, second, second_prob, out = columns
    if reading.layout == "top-one":
        second = second_prob = None
    chosen = [name for name in (first, second) if name is not None]
    lists = _ruled_out_lists(source, out) if out else [[]] * source.size
    classes: Any = reading.classes
    if classes is None:
        texts = {str(v) for name in chosen for v in _names(source, name).unique().to_pylist() if v is not None}
        classes = class_order(_with_ruled_out(texts - {"-1", ""}, lists, source))
    m, k = source.size, len(classes)
    rows = np.arange(m)
    stated = np.full((m, k), np.nan)
    named = np.column_stack([_class_codes(source, name, classes) for name in chosen])
    for place, column in enumerate(name for name in (first_prob, second_prob) if name is not None):
        prob = source.numbers(column)
        # One class named twice keeps the probability given last, unless that is 0: so the released CIFAR-10S labels.
        again = (named[:, 0] == named[:, place]) & (prob == 0) if place else False
        said = (named[:, place] >= 0) & ~np.isnan(prob) & ~np.asarray(again)
        stated[rows[said], named[said, place]] = prob[said]
    ruled_out = np.zeros((m, k), dtype=bool)
    row_of = np.repeat(rows, [len(names) for names in lists])
    names = [name for row in lists for name in row]
    codes = positions_of(names, classes)
    bad = np.flatnonzero(codes < 0)
    if bad.size:
        raise ValueError(
            f"{source.name}: row {source.row(row_of[bad[0]])} rules out {names[bad[0]]!r}, but the classes are "
            f"{list(classes)}: separate several with |"
        )
    ruled_out[row_of, codes] = True
    used = [name for name in (first, first_prob, second, second_prob, out) if name is not None]
    return used, {"stated": stated, "ruled_out": ruled_out, "named": named}, tuple(classes)


def look_like_percents(stated: np.ndarray) -> bool:
    return bool((stated > 1).sum() > (stated > 0).sum() / 2)


def _scale(stated: np.ndarray, classes: Any, source: SourceTable) -> float:
    """The scale of probabilities: 100 if most of those above 0 are above 1, so one typo changes no other."""
    above = np.argwhere(stated > 1)
    if not above.size:
        return 1.0
    if look_like_percents(stated):
        source.guess("scale = 100 (percents)")
        return 100.0
    row, code = above[0]
    problem = (
        f"row {source.row(row)} states {stated[row, code]:g} for class {classes[code]!r}, as {len(above)} of "
        f"{(~np.isnan(stated)).sum()} probabilities above 1, which are out of range and read unchanged"
    )
    source.say(Notice(problem, Way("pass {scale} if all are percents", scale=100)))
    return 1.0


def _read_ruled_out(source: SourceTable, column: str) -> np.ndarray:
    """A column of true and false; a gap is false.  (m,) bool"""
    values = source.table[column]
    ruled_out = flags(values)
    if ruled_out is None:
        known = ("true", "false", "0", "1")
        odd = next(v for v in values.to_pylist() if v is not None and str(v).lower() not in known)
        raise ValueError(f"{source.name}: column {column!r} has {odd!r:.80}; expected true or false")
    return ruled_out


def _ruled_out_lists(source: SourceTable, column: str) -> list[list[str]]:
    """The classes each row rules out: a list, a list written as text, or text separated by |."""
    lists: list[list[str]] = []
    for row, value in enumerate(_names(source, column).to_pylist()):
        if isinstance(value, str) and value.startswith("["):
            value = parse_list(value)
            if value is None:
                raise ValueError(
                    f"{source.name}: row {source.row(row)} has {source.table[column][row].as_py()!r:.80} in column "
                    f"{column!r}; expected a list of names: separate them with |"
                )
        names = value if isinstance(value, list) else [] if value in (None, "") else str(value).split("|")
        lists.append([str(name) for name in names])
    return lists


def parse_list(text: str) -> list[Any] | None:
    """The names in a list as JSON or pandas writes it, ["ship", "fox"] or ['ship', 'fox']; None if it is not a list."""
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


def _with_ruled_out(named: set[str], lists: list[list[str]], source: SourceTable) -> set[str]:
    """The classes that were named or ruled out; what reads as several names that nobody named is refused."""
    only = dict.fromkeys(name for row in lists for name in row if name not in named)
    for name in only:
        if any(mark in name for mark in ",;[]\n"):
            row = next(place for place, names in enumerate(lists) if name in names)
            raise source.refusal(
                f"row {source.row(row)} rules out {name!r:.80}, a class that nobody named; several need | between",
                Way("correct it"),
                Way("list all classes with {classes}", classes=...),
            )
    if only:
        source.say(f"classes that are only ruled out, never named: {', '.join(list(only)[:8])}")
    return named | set(only)


def _class_codes(source: SourceTable, column: str, classes: Any) -> np.ndarray:
    """Codes of a column that names classes, -1 if it is null (or has -1 or "" and no class is called that)."""
    values = _names(source, column).to_pylist()
    absent = {"-1", ""} - {str(name) for name in classes}
    unnamed = np.array([value is None or str(value) in absent for value in values], dtype=bool)
    codes = positions_of(values, classes).astype(np.int32)
    codes[unnamed] = -1
    bad = np.flatnonzero((codes < 0) & ~unnamed)
    if bad.size:
        raise ValueError(
            f"{source.name}: row {source.row(bad[0])} names {values[bad[0]]!r} in column {column!r}, but the classes "
            f"are {list(classes)}"
        )
    return codes


def _names(source: SourceTable, column: str) -> pa.ChunkedArray:
    """A column of names with gaps: NaN is nothing, whole floats are integers.  (m,)"""
    return whole_floats(nan_as_null(source.table, column)[column])
