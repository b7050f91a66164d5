"""TOML files whose errors name the file, the line, the key, the value and what was expected.

`read_toml` returns the values and a `TomlText`, which knows the line of every key. Studies and surveys check their keys
through it, so that both report errors alike.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import MISSING, dataclass, field, fields
from pathlib import Path
from typing import Any, NoReturn, TypeVar

from dissensus.labels.refusals import Refusal, Way, one_of
from dissensus.labels.settings import Setting, read_setting

_HEADER = re.compile(r"^\s*(\[\[|\[)(.+?)\]{1,2}\s*(#.*)?$")
_KEY = re.compile(r"""^\s*((?:[A-Za-z0-9_-]+|"[^"]*"|'[^']*'|\s*\.\s*)+?)\s*=""")
_Record = TypeVar("_Record")


@dataclass(frozen=True)
class TomlText:
    """Where settings were written, so that an error can point there.

    source  the file, or a name for settings made in Python
    lines   line of each key by its path, such as ("labels", "votes"): the first line is 1
    text    as written; empty for settings made in Python
    """

    source: str = ""
    lines: Mapping[tuple[str, ...], int] = field(default_factory=dict)
    text: str = ""

    def place(self, path: Sequence[str] = ()) -> str:
        """The file, and the line of a key or of the nearest table around it: "study.toml, line 3"."""
        keys = tuple(path)
        line = next(filter(None, (self._line(keys[:end]) for end in range(len(keys), 0, -1))), None)
        return self.source if line is None else f"{self.source}, line {line}"

    def _line(self, keys: tuple[str, ...]) -> int | None:
        """The line of a key, or of the first below it: [[labels]] and baseline.delivery = … have no line themselves."""
        below = (line for path, line in self.lines.items() if path[: len(keys)] == keys)
        return self.lines.get(keys) or next(below, None)

    def refuse(self, path: Sequence[str], problem: str, *ways: Way) -> NoReturn:
        """Raise an error that names the file, the line and the key; a problem may begin with "is" or "has"."""
        key = ".".join(path)
        joint = " " if problem.startswith(("is ", "has ")) else ": "
        raise Refusal(f"{key}{joint}{problem}" if key else problem, self.place(path), ways) from None

    def refuse_value(self, path: Sequence[str], value: Any, expected: str) -> NoReturn:
        """Raise an error that names the key, its value, and what was expected."""
        self.refuse(path, f"is {value!r}; expected {expected}")

    @contextmanager
    def at(self, path: Sequence[str]) -> Iterator[None]:
        """Add the file and the line of a key to errors of a block that have no place in this file."""
        try:
            yield
        except ValueError as error:
            refusal = error if isinstance(error, Refusal) else Refusal(str(error))
            place = self.place(path)
            raise refusal if self.source and refusal.place.startswith(self.source) else refusal.at(place) from None

    def check_keys(self, given: Mapping[str, Any], known: Collection[str], path: Sequence[str]) -> None:
        """Refuse unknown keys of a table, with the valid ones."""
        for key in given:
            place = ": ".join(filter(None, (self.place((*path, key)), ".".join(path))))
            one_of("key", key, known, place=place)

    def one_of(self, value: Any, known: Collection[str], path: Sequence[str], what: str = "") -> str:
        """Return a name, or raise an error with the valid ones; `what` is the noun for it, else the key."""
        if not isinstance(value, str) and str(value) in known:
            self.refuse_value(path, value, f'it in quotes: "{value}"')
        place = ": ".join(filter(None, (self.place(path), ".".join(path))))
        return str(one_of(what or path[-1].replace("_", " "), value, known, place=place))

    def check(self, known: Setting, value: Any, path: Sequence[str]) -> Any:
        """Return the value of a setting in its one spelling."""
        if known.among is not None and not known.several and not (value is None and known.optional):
            return self.one_of(value, (*known.among, "none") if known.optional else known.among, path)
        try:
            return known.check(value)
        except Refusal:
            self.refuse_value(path, value, known.expected + (', or "none"' if known.optional else ""))

    def read_record(self, record: type[_Record], table: Any, path: Sequence[str]) -> _Record:
        """A dataclass from a table: known keys only, each value of the type and in the range of its field."""
        if not isinstance(table, Mapping):
            self.refuse_value(path, table, f"a table [{'.'.join(path)}]")
        entries = {entry.name: entry for entry in fields(record)}  # type: ignore[arg-type]
        self.check_keys(table, entries, path)
        for name, entry in entries.items():
            if name not in table and entry.default is MISSING and entry.default_factory is MISSING:
                help = read_setting(entry).help
                self.refuse(path, f"has no {name}" + (f": {help[0].lower()}{help[1:]}" if help else ""))
        return record(**{name: self.check(read_setting(entries[name]), table[name], (*path, name)) for name in table})

    def read_records(self, record: type[_Record], tables: Any, path: Sequence[str]) -> tuple[_Record, ...]:
        """A dataclass from each table of an array, [[name]]."""
        return tuple(self.read_record(record, row, at) for at, row in self.rows(tables, path))

    def rows(self, tables: Any, path: Sequence[str]) -> list[tuple[tuple[str, ...], dict[str, Any]]]:
        """The tables of an array [[name]], each with its path."""
        if not isinstance(tables, list | tuple) or not all(isinstance(row, Mapping) for row in tables):
            self.refuse_value(path, tables, f"tables [[{'.'.join(path)}]]")
        return [((*path, str(number)), dict(row)) for number, row in enumerate(tables, 1)]


def read_toml(path: Path, *, missing: str = "") -> tuple[dict[str, Any], TomlText]:
    """The values of a TOML file, and the line of each; `missing` is the way out if there is no such file."""
    try:
        # Notepad puts a mark before the first letter; line ends stay, for callers that write the text again.
        with path.open(encoding="utf-8-sig", newline="") as file:
            text = file.read()
    except FileNotFoundError:
        raise Refusal("no such file", str(path), [Way(missing)] if missing else []) from None
    except (OSError, UnicodeDecodeError) as problem:
        raise Refusal(f"cannot be read: {problem}", str(path)) from None
    return parse_toml(text, str(path))


def parse_toml(text: str, source: str) -> tuple[dict[str, Any], TomlText]:
    """The values of a text in TOML, and the line of each."""
    try:
        values = tomllib.loads(text)
    except tomllib.TOMLDecodeError as problem:
        raise Refusal(f"not valid TOML: {problem}", source, _ways_out(text, str(problem))) from None
    return values, TomlText(source, _find_lines(text, values), text)


def _ways_out(text: str, problem: str) -> list[Way]:
    """Advice for a value that is valid in another language but not in TOML."""
    place = re.search(r"at line (\d+)", problem)
    line = text.split("\n")[int(place[1]) - 1] if place else ""
    if "\\" in line:
        return [Way("write / in paths, or put the path in single quotes: a backslash in double quotes is an escape")]
    if re.search(r"[=\[,]\s*(True|False)\b", line):
        return [Way("write true or false in small letters")]
    if re.search(r"[=\[,]\s*(None|null|nil)\b", line):
        return [Way('write "none", or leave the key out: TOML has no null')]
    if re.search(r"[=\[,]\s*[A-Za-z_][\w.|/-]*", line):
        return [Way("put the text in quotes: strings need quotes")]
    return []


def _find_lines(text: str, values: Mapping[str, Any]) -> dict[tuple[str, ...], int]:
    """The line of each header and of each key below it, as far as lines tell: a key inside braces has its table's.

    A line of a list or of a text of several lines may look like a key; it is not among the values.
    """
    lines: dict[tuple[str, ...], int] = {}
    table: tuple[str, ...] = ()
    times: dict[tuple[str, ...], int] = {}
    closing_mark = ""  # of the text of several lines that contains the line
    for number, line in enumerate(text.split("\n"), 1):
        if closing_mark:
            closing_mark = "" if closing_mark in line else closing_mark
            continue
        closing_mark = next((mark for mark in ('"""', "'''") if line.count(mark) % 2), "")
        if (header := _HEADER.match(line)) and _has_value(path := _split_key(header[2]), values):
            table = path
            if header[1] == "[[":
                times[table] = times.get(table, 0) + 1
                table = (*table, str(times[table]))
            lines.setdefault(table, number)
        elif (key := _KEY.match(line)) and _has_value(path := (*table, *_split_key(key[1])), values):
            lines.setdefault(path, number)
    return lines


def _split_key(dotted: str) -> tuple[str, ...]:
    """The parts of a dotted key; a dot in quotes separates nothing."""
    try:
        inside: Any = tomllib.loads(f"{dotted} = 0")
    except tomllib.TOMLDecodeError:
        return ()
    path: list[str] = []
    while isinstance(inside, dict):
        key, inside = next(iter(inside.items()))
        path.append(key)
    return tuple(path)


def _has_value(path: tuple[str, ...], values: Any) -> bool:
    """Whether there is a value at a path; in an array of tables, in any of them."""
    if isinstance(values, list) and path:
        below = path[1:] if path[0].isdecimal() else path
        return not below or any(_has_value(below, each) for each in values)
    if not path or not isinstance(values, dict) or path[0] not in values:
        return False
    return len(path) == 1 or _has_value(path[1:], values[path[0]])
