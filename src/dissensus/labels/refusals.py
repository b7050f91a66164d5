"""Errors as values: the problem, its place, and the ways out, worded by whichever front reports them.

The library raises a `Refusal` and names settings by their Python parameters. `str()` words it for Python. The command
line and TOML files have fronts of their own, which write the same settings as `--drop note` or `drop = ["note"]`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Hashable, Iterable, Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from types import EllipsisType
from typing import Any, Self, TypeVar

Name = TypeVar("Name", bound=Hashable)
Kind = TypeVar("Kind", bound="Refusal")
SHOWN_NAMES = 60  # a longer list of valid names is cut


@dataclass(frozen=True, init=False)
class Way:
    """One way out of a refusal.

    Parameters
    ----------
    text : what to do, with `{name}` for each setting: "leave it out with {drop}"
    settings : values by parameter name; `...` stands for a value that the user has to choose

    Examples
    --------
    >>> str(Way("leave it out with {drop}", drop=["note"]))
    "leave it out with drop=['note']"
    """

    text: str
    settings: Mapping[str, Any] = field(default_factory=dict)

    def __init__(self, text: str, /, **settings: Any) -> None:
        object.__setattr__(self, "text", text)
        object.__setattr__(self, "settings", settings)

    def __str__(self) -> str:
        return fill(self.text, {name: PYTHON.write(name, value) or name for name, value in self.settings.items()})

    def __reduce__(self) -> tuple[Any, ...]:
        return _build_way, (type(self), self.text, dict(self.settings))


class PythonWay(Way):
    """A way out that only Python code can take, such as another function; other fronts leave it out."""


class Refusal(ValueError):  # noqa: N818  # the word of the project for it
    """An input that is refused.

    Parameters
    ----------
    problem : what is wrong, with the row, the value and what was expected; `{name}` stands for a setting that was given
    place : the file, the table or the argument it is about
    ways : the ways out, of which the user takes one
    settings : values of the settings that the problem mentions

    Examples
    --------
    >>> from dissensus.labels.refusals import Way
    >>> way = Way("leave it out with {drop}", drop=["note"])
    >>> print(Refusal("column 'note' is text", place="votes.csv", ways=[way]))
    votes.csv: column 'note' is text. Leave it out with drop=['note']
    """

    def __init__(self, problem: str, place: str = "", ways: Iterable[Way] = (), **settings: Any) -> None:
        super().__init__(problem)
        self.problem = problem
        self.place = place
        self.ways = tuple(ways)
        self.settings = settings

    def __str__(self) -> str:
        return self.word(PYTHON)

    def __reduce__(self) -> tuple[Any, ...]:
        return _build_refusal, (type(self), self.__dict__)

    def word(self, front: Front) -> str:
        """Return the whole error in one line, with settings as this front writes them."""
        ways = [worded for way in self.ways if (worded := front.word(way, self.place)) is not None]
        named = {name: _write_setting(front, name, value) for name, value in self.settings.items()}
        problem = fill(self.problem, named)
        if ways:
            stop = "" if problem.endswith(("?", ".", ":")) else "."
            problem = f"{problem}{stop} {ways[0][0].upper()}{ways[0][1:]}{''.join(f', or {way}' for way in ways[1:])}"
        return f"{self.place}: {problem}" if self.place else problem

    def at(self, place: str) -> Self:
        """Return the same refusal with the place that contains it, unless it begins with that place already."""
        if not self.place and self.problem.startswith(f"{place}: "):
            return self.change(problem=self.problem.removeprefix(f"{place}: "), place=place)
        if self.place.startswith(place) or (not self.place and self.problem.startswith(place)):
            return self
        return self.change(place=f"{place}: {self.place}" if self.place else place)

    def settle(self, front: Front) -> Self:
        """Return the same refusal in the words of one front, which no other front changes any more."""
        worded = [front.word(way, self.place) for way in self.ways]
        named = {name: _write_setting(front, name, value) for name, value in self.settings.items()}
        ways = tuple(Way(way) for way in worded if way is not None)
        return self.change(problem=fill(self.problem, named), ways=ways, settings={})

    def change(self, **fields: Any) -> Self:
        """Return a copy with other fields, of the same class."""
        return _build_refusal(type(self), self.__dict__ | fields)


def _write_setting(front: Front, name: str, value: Any) -> str:
    """Return a setting as the front writes it; with its value, also where the front has no such setting."""
    return front.write(name, value) or (name if value is ... else f"{name} {value!r}")


def add_place(error: Exception, place: str) -> Refusal:
    """Return an error as a refusal at this place: `raise add_place(error, "votes.csv") from None`.

    Examples
    --------
    >>> print(add_place(ValueError("row 3 is empty"), "votes.csv"))
    votes.csv: row 3 is empty
    """
    return (error if isinstance(error, Refusal) else Refusal(str(error))).at(place)


def one_of(what: str, name: Name, among: Iterable[Any], *, place: str = "") -> Name:
    """Return a name if it is a valid one, else raise a `Refusal` with the nearest valid name and all of them.

    Parameters
    ----------
    what : the noun for such a name: "metric"
    name : the name to look up
    among : the valid names
    place : the file or table that contains the name

    Examples
    --------
    >>> one_of("metric", "kll", ["kl", "accuracy"])
    Traceback (most recent call last):
        ...
    dissensus.labels.refusals.Refusal: unknown metric 'kll'; did you mean 'kl'? Choose from: kl, accuracy
    """
    names = list(among)
    if isinstance(name, Hashable) and name in names:
        return name
    near = find_nearest(name, names) if isinstance(name, str) else None
    hint = f"; did you mean {near!r}?" if near is not None else ""
    shown = ", ".join(str(known) for known in names[:SHOWN_NAMES]) or "(there are none)"
    more = f", … ({len(names)} in total)" if len(names) > SHOWN_NAMES else ""
    raise Refusal(f"unknown {what} {name!r:.80}{hint}", place, [Way(f"choose from: {shown}{more}")])


def find_nearest(name: object, among: Iterable[Any]) -> str | None:
    """Return the valid name that is spelled most like this one, None if no name comes near."""
    spelled = {str(known).casefold(): str(known) for known in among}
    near = get_close_matches(str(name).casefold(), spelled, n=1, cutoff=0.6)
    return spelled[near[0]] if near else None


class Front:
    """How one front writes settings and ways out; this one is Python: `drop=['note']`."""

    def write(self, name: str, value: object) -> str | None:
        """Return a setting with its value, or with `...` only its name; None if this front has no such setting."""
        return f"{name}=" if isinstance(value, EllipsisType) else f"{name}={value!r}"

    def word(self, way: Way, place: str = "") -> str | None:
        """Return a way out in words; None if it does not exist here."""
        if isinstance(way, PythonWay) and not self.is_python:
            return None
        written = {name: self.write(name, value) for name, value in way.settings.items()}
        if None in written.values():
            return self.replace_way(way, place)
        return fill(way.text, written)

    def replace_way(self, way: Way, place: str) -> str | None:
        """Return another way to the same end where a setting does not exist here; None if there is none."""
        return None

    @property
    def is_python(self) -> bool:
        return type(self) is Front


class Toml(Front):
    """A table of a TOML file: `drop = ["note"]`.

    keys : those that the table may have; None: every setting is a key
    """

    def __init__(self, keys: Collection[str] | None = None) -> None:
        self.keys = keys

    def write(self, name: str, value: object) -> str | None:
        if self.keys is not None and name not in self.keys:
            return None
        return name if isinstance(value, EllipsisType) else f"{name} = {_toml_value(value)}"


PYTHON = Front()


def fill(text: str, written: Mapping[str, str | None]) -> str:
    """Put words in place of `{name}` for each of these names; other braces stay, since they are a user's own."""
    return re.sub(r"\{(\w+)\}", lambda match: written.get(match[1]) or match[0], text)


def _toml_value(value: object) -> str:
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{key} = {_toml_value(held)}" for key, held in value.items()) + "}"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(map(_toml_value, value)) + "]"
    return json.dumps(value, ensure_ascii=False, default=str)


def _build_way(kind: type[Way], text: str, settings: dict[str, Any]) -> Way:
    return kind(text, **settings)


def _build_refusal(kind: type[Kind], fields: Mapping[str, Any]) -> Kind:
    refusal = kind.__new__(kind, fields["problem"])
    refusal.__dict__.update(fields)
    return refusal
