"""Quotes of delimited text that do not end where their value does, and so have swallowed what follows."""

from __future__ import annotations

import codecs
import mmap
import re
from pathlib import Path

import numpy as np

QUOTE = ord('"')


class QuoteWatch:
    """Checks block by block whether every odd quote follows a delimiter, an end of line or a quote, and every even one
    precedes one of these.

    Then all values are quoted correctly. Text with a quote inside a plain value needs the slower check.
    """

    def __init__(self, delimiter: str) -> None:
        self._edges = np.zeros(256, dtype=bool)
        self._edges[[QUOTE, ord(delimiter), ord("\n"), ord("\r")]] = True
        self._open = self._just_closed = False
        self._last = ord("\n")
        self._paired = True

    def look(self, block: bytes) -> None:
        if not block or not self._paired:
            return
        data = np.frombuffer(block, dtype=np.uint8)
        quotes = np.flatnonzero(data == QUOTE) if b'"' in block else np.empty(0, dtype=np.int64)
        opens, closes = quotes[int(self._open) :: 2], quotes[1 - int(self._open) :: 2]
        before = np.where(opens > 0, data[opens - 1], self._last)
        after = data[closes[closes < data.size - 1] + 1]
        follows = self._edges[data[0]] or not self._just_closed
        self._paired = bool(follows and self._edges[before].all() and self._edges[after].all())
        self._open ^= quotes.size % 2 == 1
        self._just_closed = bool(closes.size and closes[-1] == data.size - 1)
        self._last = int(data[-1])

    def all_in_pairs(self) -> bool:
        """The verdict, after all blocks."""
        return self._paired and not self._open


def check_quotes(path: Path, delimiter: str, encoding: str) -> None:
    """Refuse a quoted value that goes on after its closing quote, or never has one."""
    if codecs.lookup(encoding).name.startswith(("utf-16", "utf-32")):
        _check(path, path.read_bytes().decode(encoding).encode(), delimiter)
        return
    with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as mapped:
        _check(path, mapped, delimiter)


def _check(path: Path, content: bytes | mmap.mmap, delimiter: str) -> None:
    if content.find(b'"') < 0:
        return
    mark = re.escape(delimiter.encode())
    # A value that opens with a quote, doubled quotes in it; group 1 is a closing quote that ends the value.
    value = re.compile(
        rb"(?:\A(?:\xef\xbb\xbf)?|[\r\n]|" + mark + rb')"[^"]*+(?:""[^"]*+)*+("(?=\Z|[\r\n]|' + mark + rb"))?"
    )
    loose = next((quoted for quoted in value.finditer(content) if quoted[1] is None), None)
    if loose is None:
        return
    start, end = loose.span()
    opened = loose[0].index(b'"')
    line = 1 + content[: start + opened].count(b"\n")
    until = line + loose[0].count(b"\n", opened)
    after = bytes(content[end + 1 : end + 40]).split(b"\n")[0].decode(errors="replace").rstrip("\r")
    closed = f"is closed in line {until} before {after!r}" if end < len(content) else "is never closed"
    raise ValueError(
        f"{path}: line {line} opens a quote that {closed}; expected a second quote at the end of the value: close it, "
        "or double quotes that belong to the text"
    )
