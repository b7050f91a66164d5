"""Names of items, annotators and classes, and the integer codes that stand for them."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from contextlib import suppress
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from dissensus.labels.refusals import PythonWay, Refusal, Way
from dissensus.labels.row_numbers import are_named

_INTEGER = re.compile(r"-?[0-9]{1,400}")  # ASCII only: int() also reads "٣", which is another name than "3"
_NUMBER = re.compile(r"[-+]?([0-9]{1,400}\.?[0-9]{0,400}|\.[0-9]{1,400})(e[-+]?[0-9]{1,3})?", re.IGNORECASE | re.ASCII)
_CANONICAL = re.compile(r"0|-?[1-9][0-9]{0,18}")  # what str(int) prints


def as_names(values: Any) -> np.ndarray:
    """Names as an array: int64 if every name is or reads as an integer ("7", not "07"), else str objects.  (n,)

    So a name means the same whether it came from a CSV file, where everything is text, or from Parquet.
    """
    if not are_named(values):  # no names, and must not become any
        return values
    array = np.asarray(values)
    if array.ndim != 1:
        raise ValueError(f"names must be one-dimensional; these have shape {array.shape}")
    if array.dtype == object and not array.flags.writeable:  # held by a value: a part of "1", "2", "x" stays text
        return array
    if array.dtype.kind == "i" or (array.dtype.kind == "u" and array.max(initial=0) < 2**63):
        return array.astype(np.int64)
    texts = [str(value) for value in array.tolist()]
    if texts and all(_CANONICAL.fullmatch(text) for text in texts):
        with suppress(OverflowError):  # 19 digits need not fit
            return np.array(texts, dtype=np.int64)
    return np.array(texts, dtype=object)


def encode(
    values: pa.Array | pa.ChunkedArray, names: Sequence[Any] | np.ndarray | None = None
) -> tuple[np.ndarray, np.ndarray]:
    """Codes and names of a column: names that look like integers in numeric order, others as they first appear.

    With `names` given their order is kept and anything else in the column gets code -1.
    values: (m,) without nulls -> codes (m,) int32, names (n,)
    """
    column = values.combine_chunks() if isinstance(values, pa.ChunkedArray) else values
    if not pa.types.is_dictionary(column.type):
        column = column.dictionary_encode()
    if isinstance(column, pa.ChunkedArray):  # combine_chunks keeps chunks when the text exceeds 2 GB
        column = column.unify_dictionaries().combine_chunks()
    raw = column.indices.to_numpy(zero_copy_only=False)
    distinct = as_names(column.dictionary.to_numpy(zero_copy_only=False))
    if names is None:
        used = np.zeros(distinct.size, dtype=bool)
        used[raw] = True
        order = integer_order(distinct)
        order = order[used[order]]
        wanted = distinct[order]
        position = np.full(distinct.size, -1, dtype=np.int32)
        position[order] = np.arange(order.size, dtype=np.int32)
    else:
        wanted = as_names(names)
        position = positions_of(distinct, wanted).astype(np.int32)
    return position[raw] if distinct.size else raw.astype(np.int32), wanted


def positions_of(names: Sequence[Any] | np.ndarray, among: Sequence[Any] | np.ndarray) -> np.ndarray:
    """Position of each name among others, -1 if it is missing.  (r,), (n,) -> (r,) int64

    A name is what it reads as: 7 and "7" are the same, whether or not another name in the same list made them text.
    """
    # As objects: NumPy's own text drops NULs at the end of a name.
    wanted, known = (x if isinstance(x, np.ndarray) else np.array(list(x), dtype=object) for x in (names, among))
    if wanted.dtype.kind == known.dtype.kind == "i" and np.array_equal(wanted, known):
        return np.arange(wanted.size)
    place = {str(name): position for position, name in enumerate(known.tolist())}
    return np.array([place.get(str(name), -1) for name in wanted.tolist()], dtype=np.int64)


def places_named(key: Any, names: np.ndarray, plural: str) -> np.ndarray:
    """Position of a name, or of each name of a list; an error if one is missing.  (r,) int64

    For positions, slices and masks the error names `select`.
    """
    way_out = f"by position or by mask, take select({plural}=...)"
    if isinstance(key, slice | tuple) or key is None or key is Ellipsis:
        raise KeyError(f"{plural} are looked up by name, or by a list of names, not by {key!r}; {way_out}")
    if isinstance(key, str) or not hasattr(key, "__iter__"):
        wanted = np.array([key], dtype=object)
    else:
        wanted = np.array(list(key), dtype=object)
    if wanted.ndim != 1 or any(isinstance(name, bool | np.bool_) for name in wanted.tolist()):
        raise KeyError(f"{plural} are looked up by name, or by a list of names, not by a mask; {way_out}")
    if wanted.size == 1:  # one comparison with each, where a table of all names would take longer
        text = str(wanted[0])
        same = (
            names == (int(text) if _CANONICAL.fullmatch(text) else None) if names.dtype.kind == "i" else names == text
        )
        places = np.flatnonzero(same) if np.any(same) else np.array([-1])
    else:
        places = positions_of(wanted, names)
    if (places < 0).any():
        absent = wanted[np.argmax(places < 0)]
        shown = ", ".join(repr(name) for name in names[:3].tolist()) + (", …" if names.size > 3 else "")
        raise KeyError(f"no {plural[:-1]} is named {absent!r}; there are {names.size:,}: {shown}; {way_out}")
    return places


def is_named(name: Any, names: np.ndarray) -> bool:
    """Whether one of the names is this one."""
    try:
        return bool(places_named(name, names, "names").size)
    except KeyError:
        return False


def item_positions(items: np.ndarray, among: np.ndarray) -> np.ndarray:
    """Position of each item among others, -1 if it is missing; row numbers are not matched to names.

    items: (r,), among: (n,) -> (r,) int64
    """
    if are_named(items) != are_named(among):
        named = (items if are_named(items) else among).tolist()
        shown = ", ".join(map(str, named[:3])) + (", …" if len(named) > 3 else "")
        raise Refusal(
            f"one side has no item names, only row numbers, and the other's items are named {shown}: row 0 need not "
            "be the item called 0, so they are not matched",
            ways=[Way("name the rows in an item column"), PythonWay("name the rows with {items}", items=...)],
        )
    return positions_of(items, among)


def integer_order(names: np.ndarray) -> np.ndarray:
    """The order that sorts names which all look like integers; as they are otherwise.  (n,) -> (n,)"""
    if names.dtype.kind == "i":
        return np.argsort(names, kind="stable")
    if names.size and all(_INTEGER.fullmatch(name) for name in names):
        return np.array(sorted(range(names.size), key=lambda index: int(names[index])))
    return np.arange(names.size)


def class_order(names: Iterable[Any]) -> tuple[str, ...]:
    """Class names in the order they are coded: numeric if all are numbers (2, 2.5, 1e3), else alphabetical."""
    texts = sorted({str(name) for name in names})
    if texts and all(_INTEGER.fullmatch(text) for text in texts):
        texts.sort(key=int)
    elif all(_NUMBER.fullmatch(text) and math.isfinite(float(text)) for text in texts):
        texts.sort(key=float)
    return tuple(texts)


def codes_of_names(values: Sequence[str] | np.ndarray, classes: Sequence[str], what: str) -> np.ndarray:
    """Class names, one per item, as codes; refused if one is not a class.  (n,) -> (n,) int64"""
    codes = positions_of(values, classes)
    bad = np.flatnonzero(codes < 0)
    if bad.size:
        raise ValueError(
            f"{what} give item {bad[0]} the class {str(values[bad[0]])!r}, which is not among "
            f"{', '.join(classes[:10])}; {bad.size} of {codes.size} are not"
        )
    return codes


def refuse_names_for_codes(classes: Sequence[str], what: str) -> None:
    """Refuse class codes if a class has a number as its name that is not its code, such as ratings from 1 to 5."""
    if any(_is_other_number(name, code) for code, name in enumerate(classes)):
        verb = "have" if what.endswith("s") else "has"
        raise ValueError(
            f"{what} {verb} numbers, and the classes are named {', '.join(classes[:10])}: numbers could be names or "
            "codes from 0; give the names as text"
        )


def _is_other_number(name: str, code: int) -> bool:
    try:
        number = float(name)
    except ValueError:
        return False
    return math.isfinite(number) and number != code


def first_repeated(values: Sequence[Any] | np.ndarray) -> Any | None:
    """The first value that occurs a second time, or None."""
    if isinstance(values, np.ndarray) and values.dtype.kind == "i" and bool((values[1:] > values[:-1]).all()):
        return None  # rising numbers, the usual case: no need to look at each
    seen: set[Any] = set()
    for value in values:
        if value in seen:
            return value.item() if isinstance(value, np.generic) else value
        seen.add(value)
    return None


def text_column(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """A column as text, exactly as a person would type its values: True -> 'True', 1.0 -> '1.0'."""
    if pa.types.is_dictionary(column.type):
        column = column.cast(column.type.value_type)
    if pa.types.is_boolean(column.type):
        return pc.if_else(column, "True", "False")
    if pa.types.is_floating(column.type):
        return pa.chunked_array([pa.array([None if v is None else repr(v) for v in column.to_pylist()], pa.string())])
    return column.cast(pa.string())


def ordered_levels(column: pa.ChunkedArray) -> list[str] | None:
    """The levels of an ordered categorical in their order, also those that do not occur; None for other columns."""
    if not (pa.types.is_dictionary(column.type) and column.type.ordered and column.num_chunks):
        return None
    levels: list[str] = text_column(pa.chunked_array([column.unify_dictionaries().chunk(0).dictionary])).to_pylist()
    return levels


def encode_classes(column: pa.ChunkedArray, classes: Sequence[str] | None) -> tuple[np.ndarray, tuple[str, ...]]:
    """Codes and class names of a label column; -1 for a label that is not among `classes`.  (m,), k names"""
    encoded = column.combine_chunks().dictionary_encode() if not pa.types.is_dictionary(column.type) else column
    if isinstance(encoded, pa.ChunkedArray):
        encoded = encoded.unify_dictionaries().combine_chunks()
    distinct = text_column(pa.chunked_array([encoded.dictionary])).to_pylist()
    used = np.unique(encoded.indices.to_numpy(zero_copy_only=False))
    known = class_order(distinct[i] for i in used) if classes is None else tuple(str(name) for name in classes)
    position = positions_of(distinct, known).astype(np.int32)
    return position[encoded.indices.to_numpy(zero_copy_only=False)], known
