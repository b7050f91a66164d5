"""A study as its file has it: the values, and the line that each key stands on, for errors."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from pathlib import Path
from typing import Any, NoReturn

_HEADER = re.compile(r"^\s*(\[\[|\[)(.+?)\]{1,2}\s*(#.*)?$")
_KEY = re.compile(r"""^\s*((?:[A-Za-z0-9_-]+|"[^"]*"|'[^']*'|\s*\.\s*)+?)\s*=""")


@dataclass(frozen=True)
class SpecText:
    """Where a study was written, so that an error can point there.

    source  the file, or "the study" for one made in Python
    lines   line of each key by its path, such as ("labels", "votes"): the first line is 1
    text    as written; empty for one made in Python
    """

    source: str = "the study"
    lines: Mapping[tuple[str, ...], int] = field(default_factory=dict)
    text: str = ""

    def refuse(self, path: Sequence[str], problem: str) -> NoReturn:
        """Raise an error that names the file, the line and the key."""
        keys = tuple(path)
        line = next(filter(None, (self._line(keys[:end]) for end in range(len(keys), 0, -1))), None)
        where = self.source if line is None else f"{self.source}, line {line}"
        raise ValueError(f"{where}: {'.'.join(keys)}: {problem}" if keys else f"{where}: {problem}") from None

    def _line(self, keys: tuple[str, ...]) -> int | None:
        """The line of a key, or of the first below it: [[labels]] and baseline.delivery = … have no line themselves."""
        below = (line for path, line in self.lines.items() if path[: len(keys)] == keys)
        return self.lines.get(keys) or next(below, None)

    def check_keys(self, given: Mapping[str, Any], known: Sequence[str], path: Sequence[str]) -> None:
        """Refuse keys that mean nothing here, with those that do."""
        for key in given:
            if key not in known:
                near = get_close_matches(key, known, n=1, cutoff=0.6)
                hint = f"; did you mean {near[0]!r}?" if near else ""
                self.refuse((*path, key), f"there is no such key; expected some of {', '.join(known)}{hint}")

    def one_of(self, value: Any, known: Sequence[str], path: Sequence[str]) -> str:
        """A name out of a list, or an error that has the list."""
        if not isinstance(value, str) or value not in known:
            near = get_close_matches(str(value), known, n=1, cutoff=0.5)
            hint = f"; did you mean {near[0]!r}?" if near else ""
            self.refuse(path, f"{value!r} is not known; expected one of {', '.join(known)}{hint}")
        return value


def read_toml(path: Path) -> tuple[dict[str, Any], SpecText]:
    """The values of a TOML file, and where each stands."""
    try:
        # Notepad puts a mark before the first letter; ends of lines stay, since `add_seeds` writes the text again.
        with path.open(encoding="utf-8-sig", newline="") as file:
            text = file.read()
    except FileNotFoundError:
        raise ValueError(f"{path}: no such file; `dissensus study init {path}` writes one to start from") from None
    except (OSError, UnicodeDecodeError) as problem:
        raise ValueError(f"{path}: cannot be read: {problem}") from None
    return toml_of(text, str(path))


def toml_of(text: str, source: str) -> tuple[dict[str, Any], SpecText]:
    """The values of a text in TOML, and where each stands."""
    try:
        values = tomllib.loads(text)
    except tomllib.TOMLDecodeError as problem:
        raise ValueError(f"{source}: is not TOML: {problem}{_advice(text, str(problem))}") from None
    return values, SpecText(source, _lines(text, values), text)


def _advice(text: str, problem: str) -> str:
    """What to write instead, where a line has something that other languages write so."""
    place = re.search(r"at line (\d+)", problem)
    line = text.split("\n")[int(place[1]) - 1] if place else ""
    if "\\" in line:
        return (
            "; a backslash means something of its own between double quotes: write / or put the path in single quotes"
        )
    if re.search(r"[=\[,]\s*(True|False)\b", line):
        return "; TOML writes true and false"
    if re.search(r"[=\[,]\s*(None|null|nil)\b", line):
        return '; TOML has no word for nothing: write "none", or leave the key out'
    if re.search(r"[=\[,]\s*[A-Za-z_][\w.|/-]*", line):
        return "; a text stands between quotes"
    return ""


def _lines(text: str, values: Mapping[str, Any]) -> dict[tuple[str, ...], int]:
    """The line of each header and of each key below it, as far as lines tell: a key inside braces has its table's.

    What only looks like one, in a list or a text of several lines, is not among the values.
    """
    lines: dict[tuple[str, ...], int] = {}
    table: tuple[str, ...] = ()
    times: dict[tuple[str, ...], int] = {}
    inside = ""  # what ends the text of several lines that a line stands in
    for number, line in enumerate(text.split("\n"), 1):
        if inside:
            inside = "" if inside in line else inside
            continue
        inside = next((mark for mark in ('"""', "'''") if line.count(mark) % 2), "")
        if (header := _HEADER.match(line)) and _is_there(path := _path(header[2]), values):
            table = path
            if header[1] == "[[":
                times[table] = times.get(table, 0) + 1
                table = (*table, str(times[table]))
            lines.setdefault(table, number)
        elif (key := _KEY.match(line)) and _is_there(path := (*table, *_path(key[1])), values):
            lines.setdefault(path, number)
    return lines


def _path(dotted: str) -> tuple[str, ...]:
    """The parts of a dotted key; a dot between quotes is no end of one."""
    try:
        inside: Any = tomllib.loads(f"{dotted} = 0")
    except tomllib.TOMLDecodeError:
        return ()
    path: list[str] = []
    while isinstance(inside, dict):
        key, inside = next(iter(inside.items()))
        path.append(key)
    return tuple(path)


def _is_there(path: tuple[str, ...], values: Any) -> bool:
    """Whether there is a value at a path; in an array of tables in any of them."""
    if isinstance(values, list) and path:
        rest = path[1:] if path[0].isdecimal() else path
        return not rest or any(_is_there(rest, each) for each in values)
    if not path or not isinstance(values, dict) or path[0] not in values:
        return False
    return len(path) == 1 or _is_there(path[1:], values[path[0]])
