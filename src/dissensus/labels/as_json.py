"""Values in JSON: one shape of an interval, one rule for NaN, one spelling of infinity."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import fields, is_dataclass
from os import PathLike, fspath
from typing import Any

import numpy as np

from dissensus.labels.intervals import Interval

INFINITE = "\x00infinite"  # marks a number that JSON writes as 1e999


def as_json(value: Any) -> Any:
    """Convert a value to dicts, lists, strings, numbers, booleans and None.

    An `Interval` becomes `{"value", "low", "high"}`, NaN becomes None, and infinite numbers stay floats, which
    `json_text` can write. NumPy values become Python values. Objects with a method `as_json` are asked for it; other
    dataclasses become dicts of their fields.

    Parameters
    ----------
    value : a number, text, array, path, dataclass, mapping or sequence, nested at will

    Returns
    -------
    what `json.dumps` takes

    Raises
    ------
    TypeError
        For any other type, and for a key that is not a name or a number.

    Examples
    --------
    >>> as_json({"kl": Interval(0.5, 0.25, 0.75, sd=0.1, coverage=0.95), "seconds": np.array([1.0, np.nan])})
    {'kl': {'value': 0.5, 'low': 0.25, 'high': 0.75}, 'seconds': [1.0, None]}
    """
    if value is None or isinstance(value, str | bool | int):
        return value
    if isinstance(value, float):
        return None if math.isnan(value) else float(value)
    if isinstance(value, Interval):
        return {end: as_json(getattr(value, end)) for end in ("value", "low", "high")}
    if isinstance(value, np.ndarray | np.generic):
        return as_json(value.tolist())
    if isinstance(value, PathLike):
        return fspath(value)
    if isinstance(value, Mapping):
        return {_key(name): as_json(inner) for name, inner in value.items()}
    if isinstance(value, Sequence):
        return [as_json(inner) for inner in value]
    if not isinstance(value, type):
        if callable(getattr(value, "as_json", None)):
            return as_json(value.as_json())
        if is_dataclass(value):
            return {field.name: as_json(getattr(value, field.name)) for field in fields(value)}
    raise TypeError(f"JSON has no type for {type(value).__name__}, such as {value!r:.60}")


def json_text(value: Any, indent: int | None = 2, *, ascii_only: bool = True) -> str:
    """Write a value as JSON text, infinite numbers as 1e999.

    JSON has no name for infinity, but 1e999 is a number by its grammar, and Python, JavaScript, pandas and DuckDB read
    it as infinite. jq reads the largest double; pyarrow and polars reject it.

    Parameters
    ----------
    value : what `as_json` takes
    indent : spaces per level; None for a single line
    ascii_only : write other characters as \\u escapes

    Returns
    -------
    JSON text without a line end

    Examples
    --------
    >>> json_text({"kl": np.inf, "classes": ("cat", "dog")}, indent=None)
    '{"kl": 1e999, "classes": ["cat", "dog"]}'
    """
    text = json.dumps(_mark_infinite(as_json(value)), indent=indent, ensure_ascii=ascii_only, allow_nan=False)
    mark = json.dumps(INFINITE)[1:-1]
    return text.replace(f'"{mark}"', "1e999").replace(f'"-{mark}"', "-1e999")


def _key(name: Any) -> str:
    if isinstance(name, str | int | float | np.generic):
        return str(name)
    raise TypeError(f"JSON has no key for {type(name).__name__}, such as {name!r:.60}")


def _mark_infinite(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _mark_infinite(inner) for name, inner in value.items()}
    if isinstance(value, list):
        return [_mark_infinite(inner) for inner in value]
    return f"{'-' * (value < 0)}{INFINITE}" if isinstance(value, float) and math.isinf(value) else value
