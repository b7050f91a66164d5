"""Quotes of delimited text that do not end where their value does, and so have swallowed what follows."""

from __future__ import annotations

import codecs
import mmap
import re
from pathlib import Path

import numpy as np

BLOCK = 16 << 20  # bytes looked at together


def check_quotes(path: Path, delimiter: str, encoding: str) -> None:
    """Refuse a quoted value that goes on behind its closing quote, or never has one.

    A file without quotes is looked through once, at the speed of memory.
    """
    if codecs.lookup(encoding).name.startswith(("utf-16", "utf-32")):
        try:
            content = path.read_bytes().decode(encoding).encode()
        except UnicodeError:
            return  # the reader says where
        _check(path, content, delimiter)
        return
    with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as mapped:
        if not _all_in_pairs(mapped, delimiter):
            _check(path, mapped, delimiter)


def _all_in_pairs(content: mmap.mmap, delimiter: str) -> bool:
    """Whether every odd quote follows a delimiter, an end of line or a quote, and every even one precedes such.

    Then all values are quoted as they should be. Text with a quote inside a plain value needs the slower look.
    """
    data = np.frombuffer(content, dtype=np.uint8)
    quote, edges = ord('"'), np.zeros(256, dtype=bool)
    edges[[quote, ord(delimiter), ord("\n"), ord("\r")]] = True
    blocks = range(0, data.size, BLOCK)
    quotes = np.concatenate([start + np.flatnonzero(data[start : start + BLOCK] == quote) for start in blocks])
    opens, closes = quotes[::2], quotes[1::2]
    inside, ahead = opens[opens > 0], closes[closes < data.size - 1]
    return bool(quotes.size % 2 == 0 and edges[data[inside - 1]].all() and edges[data[ahead + 1]].all())


def _check(path: Path, content: bytes | mmap.mmap, delimiter: str) -> None:
    mark = re.escape(delimiter.encode())
    # A value that opens with a quote, doubled quotes in it; group 1 is a closing quote that ends the value.
    value = re.compile(
        rb"(?:\A(?:\xef\xbb\xbf)?|[\r\n]|" + mark + rb')"[^"]*+(?:""[^"]*+)*+("(?=\Z|[\r\n]|' + mark + rb"))?"
    )
    loose = next((found for found in value.finditer(content) if found[1] is None), None)
    if loose is None:
        return
    start, end = loose.span()
    opened = loose[0].index(b'"')
    line = 1 + content[: start + opened].count(b"\n")
    until = line + loose[0].count(b"\n", opened)
    behind = bytes(content[end + 1 : end + 40]).split(b"\n")[0].decode(errors="replace").rstrip("\r")
    closed = f"is closed in line {until} before {behind!r}" if end < len(content) else "is never closed"
    raise ValueError(
        f"{path}: line {line} opens a quote that {closed}; expected a second quote at the end of the value: close it, "
        "or double quotes that belong to the text"
    )
