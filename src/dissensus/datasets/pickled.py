"""A reader of the official CIFAR pickles that executes nothing.

A pickle is a program for a stack machine, and `pickle.load` runs whatever it calls. These files need little
of it: containers, text, numbers, and NumPy arrays rebuilt from bytes. This reader walks the opcodes with
`pickletools.genops` and builds only those; any other opcode, and any name that is not one of NumPy's three
array builders, is refused before anything is done with it.
"""

from __future__ import annotations

import pickletools
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

_MARK = object()
_BUILDERS = {
    "numpy.core.multiarray _reconstruct": "array",
    "numpy._core.multiarray _reconstruct": "array",
    "numpy ndarray": "type",
    "numpy dtype": "dtype",
}
_PLAIN = {
    "BININT",
    "BININT1",
    "BININT2",
    "INT",
    "LONG",
    "LONG1",
    "FLOAT",
    "BINFLOAT",
    "STRING",
    "BINSTRING",
    "SHORT_BINSTRING",
    "BINUNICODE",
    "SHORT_BINUNICODE",
    "UNICODE",
    "BINBYTES",
    "SHORT_BINBYTES",
}
_CONSTANTS: dict[str, Any] = {"NONE": None, "NEWTRUE": True, "NEWFALSE": False}
_EMPTY: dict[str, Callable[[], Any]] = {"EMPTY_DICT": dict, "EMPTY_LIST": list, "EMPTY_TUPLE": tuple}
_TUPLES = {"TUPLE1": 1, "TUPLE2": 2, "TUPLE3": 3}


class _Builder:
    """A NumPy name in the file; it is never called."""

    def __init__(self, role: str) -> None:
        self.role = role


class _Array:
    """An array, or its dtype, that gets its content from a later BUILD."""

    def __init__(self, code: str = "") -> None:
        self.code = code
        self.content: np.ndarray | None = None


def read_pickle(path: Path) -> Any:
    """Read dicts, lists, tuples, text, bytes, numbers and NumPy arrays of a pickle; text of Python 2 as latin-1."""
    data = path.read_bytes()
    try:
        return _run(data)
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError) as problem:
        raise ValueError(
            f"{path}: not an official CIFAR pickle: {problem}. Nothing in it was executed. Download it again from its "
            "source"
        ) from problem


def _run(data: bytes) -> Any:
    stack: list[Any] = []
    memo: dict[int, Any] = {}
    opcodes: Iterator[tuple[Any, Any, Any]] = pickletools.genops(data)
    for opcode, argument, position in opcodes:
        name = opcode.name
        if name in ("PROTO", "FRAME"):
            continue
        if name == "STOP":
            return _finish(stack.pop())
        if name in _PLAIN:
            stack.append(argument)
        elif name in _CONSTANTS:
            stack.append(_CONSTANTS[name])
        elif name in _EMPTY:
            stack.append(_EMPTY[name]())
        elif name == "MARK":
            stack.append(_MARK)
        elif name in ("PUT", "BINPUT", "LONG_BINPUT"):
            memo[argument] = stack[-1]
        elif name == "MEMOIZE":
            memo[len(memo)] = stack[-1]
        elif name in ("GET", "BINGET", "LONG_BINGET"):
            stack.append(memo[argument])
        elif name == "GLOBAL":
            stack.append(_global(argument, position))
        elif name == "REDUCE":
            arguments = stack.pop()
            stack.append(_reduce(stack.pop(), arguments, position))
        elif name == "BUILD":
            state = stack.pop()
            _build(stack[-1], state, position)
        else:
            _fill(name, stack, position)
    raise ValueError("it ends before its last opcode")


def _fill(name: str, stack: list[Any], position: int) -> None:
    """Apply an opcode that moves values from the stack into a container."""
    if name in _TUPLES:
        count = _TUPLES[name]
        stack[-count:] = [tuple(stack[-count:])]
    elif name in ("TUPLE", "LIST", "DICT"):
        values = _above_mark(stack)
        stack.append(tuple(values) if name == "TUPLE" else values if name == "LIST" else _pairs(values))
    elif name in ("APPEND", "APPENDS"):
        values = [stack.pop()] if name == "APPEND" else _above_mark(stack)
        stack[-1].extend(values)
    elif name in ("SETITEM", "SETITEMS"):
        values = [stack.pop(-2), stack.pop()] if name == "SETITEM" else _above_mark(stack)
        stack[-1].update(_pairs(values))
    else:
        raise ValueError(f"opcode {name} at byte {position} is not allowed; expected plain arrays and text")


def _above_mark(stack: list[Any]) -> list[Any]:
    values = []
    while (value := stack.pop()) is not _MARK:
        values.append(value)
    return values[::-1]


def _pairs(values: list[Any]) -> dict[Any, Any]:
    return dict(zip(values[::2], values[1::2], strict=True))


def _global(name: str, position: int) -> _Builder | Callable[..., bytes]:
    if name == "_codecs encode":  # how Python 3 writes bytes in the old protocols: text encoded as latin-1
        return _latin1
    if name not in _BUILDERS:
        raise ValueError(f"it imports {name.replace(' ', '.')} at byte {position}; expected NumPy arrays and text only")
    return _Builder(_BUILDERS[name])


def _latin1(text: str, encoding: str) -> bytes:
    if encoding != "latin1":
        raise ValueError(f"bytes are encoded as {encoding!r}; expected 'latin1'")
    return text.encode("latin-1")


def _reduce(builder: Any, arguments: tuple[Any, ...], position: int) -> Any:
    if builder is _latin1:
        return _latin1(*arguments)
    if isinstance(builder, _Builder) and builder.role == "array":
        return _Array()
    if isinstance(builder, _Builder) and builder.role == "dtype":
        return _Array(str(arguments[0]))
    raise ValueError(f"a call at byte {position} does not build a NumPy array")


def _build(target: Any, state: tuple[Any, ...], position: int) -> None:
    if not isinstance(target, _Array):
        raise ValueError(f"the object built at byte {position} is not a NumPy array")
    if target.code:  # a dtype: (version, byte order, ...); the order applies to numbers wider than a byte
        order = state[1]
        target.code = (order if order in "<>" else "") + target.code
        return
    _, shape, dtype, fortran, content = state
    kind = np.dtype(dtype.code)
    if kind.hasobject:
        raise ValueError(f"the array at byte {position} contains Python objects; expected numbers")
    raw = content.encode("latin-1") if isinstance(content, str) else content
    target.content = np.frombuffer(raw, dtype=kind).reshape(shape, order="F" if fortran else "C")


def _finish(value: Any) -> Any:
    """Replace every placeholder of an array by its content."""
    if isinstance(value, _Array):
        if value.content is None:
            raise ValueError("an array has no content")
        return value.content
    if isinstance(value, dict):
        return {_finish(key): _finish(part) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return type(value)(_finish(part) for part in value)
    if isinstance(value, _Builder) or callable(value):
        raise ValueError("it contains a function; expected data")
    return value
