"""A survey as its folder describes it: survey.toml, checked, with every setting in place."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from dissensus.elicit.questions import QUESTIONS, Question
from dissensus.elicit.wording import WORDINGS, texts_of

SOURCES = ("open", "links", "prolific", "mturk")
TYPES: dict[str, Any] = {"str": str, "int": int, "bool": bool, "float": (int, float)}
DRAWS = ("least-answered", "expected-error", "batches")
LAYOUTS = {"choose": ("around", "list", "search"), "top-two": ("compact", "search", "form")}
CHOICES = {"source": SOURCES, "draw": DRAWS, "frame": ("own", "crowd"), "wording": WORDINGS}


@dataclass(frozen=True)
class Protocol:
    """How one person goes through the survey. Texts are plain; a blank line starts a paragraph, **so** is bold."""

    consent: str = ""
    instructions: tuple[str, ...] = ()
    per_person: int = 20
    per_item: int = 5
    draw: str = "least-answered"
    batches: str = ""
    enough: float = 0.0
    hold_minutes: int = 60
    attention_every: int = 0
    repeats: int = 0
    break_every: int = 0
    attempts: int = 2
    debrief_text: str = ""


@dataclass(frozen=True)
class People:
    """Where people come from, and what they get at the end."""

    source: str = "open"
    keep_ids: bool = False
    completion_code: str = ""
    redirect: str = ""
    pay_per_person: float = 0.0
    currency: str = "USD"


@dataclass(frozen=True)
class Check:
    """A comprehension question with its options and the right one."""

    question: str
    options: tuple[str, ...]
    correct: str


@dataclass(frozen=True)
class Practice:
    """An item to practise on, and what is said after the answer."""

    item: str
    feedback: str


@dataclass(frozen=True)
class Field:
    """A question of the debriefing: free text, or a choice where it has options."""

    name: str
    question: str
    options: tuple[str, ...] = ()
    required: bool = False


@dataclass(frozen=True)
class Survey:
    """Everything that the folder's survey.toml says.

    attention  items whose answer is obvious, with the class that is expected
    """

    folder: Path
    title: str
    question: Question
    protocol: Protocol
    people: People
    items_from: str = "items"
    contact: str = ""
    comprehension: tuple[Check, ...] = ()
    practice: tuple[Practice, ...] = ()
    debrief: tuple[Field, ...] = ()
    attention: Mapping[str, str] | None = None
    units: str = ""

    @property
    def shows(self) -> int:
        """Items in one trial."""
        return QUESTIONS[self.question.kind].shows


def read_survey(folder: Path | str) -> Survey:
    """The survey of a folder; ValueError names the key, the value, and what was expected."""
    folder = Path(folder)
    path = folder / "survey.toml"
    if not path.is_file() and (folder / "study.toml").is_file():
        raise ValueError(f"{path}: no such file, but there is a study.toml, its former name; rename it to survey.toml")
    if not path.is_file():
        raise ValueError(f"{path}: no such file; `dissensus elicit init {folder}` makes one")
    try:
        told = tomllib.loads(path.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ValueError(f"{path}: not valid TOML: {error}") from None
    try:
        return _survey(folder, told)
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from None


def _survey(folder: Path, told: dict[str, Any]) -> Survey:
    known = {"title", "contact", "items", "units", "question", "protocol", "people", "comprehension", "practice",
             "debrief", "attention"}  # fmt: skip
    _only("the file", told, known)
    if not isinstance(told.get("title"), str) or not told["title"].strip():
        raise ValueError("title is missing; expected a line that people see at the top of every page")
    protocol, people = _section(Protocol, "protocol", told), _section(People, "people", told)
    for name, value in (("protocol.draw", protocol.draw), ("people.source", people.source)):
        _one_of(name, value, CHOICES[name.split(".")[1]])
    for name in ("per_person", "per_item", "hold_minutes", "attempts"):
        if getattr(protocol, name) < 1:
            raise ValueError(f"protocol.{name} is {getattr(protocol, name)}; expected 1 or more")
    for name in ("attention_every", "repeats", "break_every"):
        if getattr(protocol, name) < 0:
            raise ValueError(f"protocol.{name} is {getattr(protocol, name)}; expected 0 (none) or more")
    if not 0 <= protocol.enough < 1:
        raise ValueError(f"protocol.enough is {protocol.enough}; expected 0 (never) or a width below 1, such as 0.3")
    if protocol.enough and protocol.draw != "expected-error":
        raise ValueError('protocol.enough is set, but only protocol.draw = "expected-error" heeds it')
    if protocol.draw == "batches" and not protocol.batches:
        raise ValueError('protocol.draw is "batches", but protocol.batches names no file')
    if people.redirect and not people.redirect.startswith(("https://", "http://")):
        raise ValueError(f"people.redirect is {people.redirect!r}; expected an address that starts with https://")
    if people.pay_per_person < 0:
        raise ValueError(f"people.pay_per_person is {people.pay_per_person}; expected 0 or more")
    attention = told.get("attention") or None
    if protocol.attention_every and not attention:
        raise ValueError("protocol.attention_every is set, but [attention] names no items with their expected class")
    survey = Survey(
        folder, told["title"].strip(), _question(told.get("question")), protocol, people,
        items_from=_text("items", told.get("items", "items")), contact=_text("contact", told.get("contact", "")),
        units=_text("units", told.get("units", "")), attention=attention,
        comprehension=tuple(_rows(Check, "comprehension", told)), practice=tuple(_rows(Practice, "practice", told)),
        debrief=tuple(_rows(Field, "debrief", told)),
    )  # fmt: skip
    if protocol.draw == "expected-error" and not QUESTIONS[survey.question.kind].needs_classes:
        raise ValueError(
            f'protocol.draw is "expected-error", but {survey.question.kind} answers name no classes; '
            "take least-answered"
        )
    asked = [field.name for field in survey.debrief]
    twice = [name for i, name in enumerate(asked) if name in asked[:i]]
    if twice:
        raise ValueError(f"two [[debrief]] have the name {twice[0]!r}, so that one answer would replace the other")
    for check in survey.comprehension:
        _one_of("comprehension.correct", check.correct, check.options)
    for item, expected in (attention or {}).items():
        if survey.question.classes:
            _one_of(f"attention.{item}", expected, survey.question.classes)
    return survey


def _question(told: Any) -> Question:
    if not isinstance(told, dict):
        raise ValueError("[question] is missing; expected a table with kind and classes")
    _one_of("question.kind", told.get("kind"), tuple(QUESTIONS))
    kind = QUESTIONS[told["kind"]]
    _only("[question]", told, {"kind", "prompt", "classes", "texts", *kind.options})
    classes = told.get("classes", [])
    if not isinstance(classes, list) or not all(isinstance(name, str) and name.strip() for name in classes):
        raise ValueError(f"question.classes is {classes!r}; expected a list of names")
    repeated = [name for i, name in enumerate(classes) if name in classes[:i]]
    if repeated:
        raise ValueError(f"question.classes names {repeated[0]!r} twice")
    if kind.needs_classes and len(classes) < 2:
        raise ValueError(f"question.classes has {len(classes)} names; a {told['kind']} question needs two or more")
    options = {}
    for name, default in kind.options.items():
        value = told.get(name, default)
        if type(value) is not type(default) and not (
            isinstance(value, int | float) and isinstance(default, int | float)
        ):
            raise ValueError(f"question.{name} is {value!r}; expected a {type(default).__name__}, such as {default!r}")
        if name in CHOICES or name == "layout":
            _one_of(f"question.{name}", value, LAYOUTS[told["kind"]] if name == "layout" else CHOICES[name])
        options[name] = value
    own = told.get("texts", {})
    if not isinstance(own, dict):
        raise ValueError(f"question.texts is {own!r}; expected a table [question.texts]")
    texts = texts_of(options, own)
    prompt = _text("question.prompt", told.get("prompt", texts.pop("prompt", kind.prompt)))
    return Question(told["kind"], prompt, tuple(classes), options, texts)


def _section(kind: type, name: str, told: dict[str, Any]) -> Any:
    table = told.get(name, {})
    if not isinstance(table, dict):
        raise ValueError(f"[{name}] is {table!r}; expected a table")
    return _record(kind, f"[{name}]", table)


def _rows(kind: type, name: str, told: dict[str, Any]) -> list[Any]:
    rows = told.get(name, [])
    if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        raise ValueError(f"{name} is {rows!r}; expected tables [[{name}]]")
    return [_record(kind, f"[[{name}]] number {i + 1}", row) for i, row in enumerate(rows)]


def _record(kind: type, where: str, table: dict[str, Any]) -> Any:
    """A frozen record from a table: known keys only, each of the type that its default or annotation has."""
    _only(where, table, {field.name for field in fields(kind)})
    given: dict[str, Any] = {}
    for field in fields(kind):
        if field.name not in table:
            if field.default is field.default_factory:  # both are MISSING
                raise ValueError(f"{where} has no {field.name}")
            continue
        value, wanted = table[field.name], str(field.type)
        if wanted.startswith("tuple"):
            if not isinstance(value, list) or not all(isinstance(part, str) for part in value):
                raise ValueError(f"{where}: {field.name} is {value!r}; expected a list of texts")
            value = tuple(value)
        if not isinstance(value, TYPES.get(wanted, object)) or (isinstance(value, bool) and wanted != "bool"):
            raise ValueError(f"{where}: {field.name} is {value!r}; expected {wanted}")
        given[field.name] = value
    return kind(**given)


def _only(where: str, table: Mapping[str, Any], known: set[str]) -> None:
    unknown = sorted(set(table) - known)
    if unknown:
        raise ValueError(f"{where} has the unknown key {unknown[0]!r}; known are {', '.join(sorted(known))}")


def _one_of(name: str, value: Any, allowed: tuple[str, ...]) -> None:
    if value not in allowed:
        quotes = f", in quotes: {_quoted(value)}" if str(value) in allowed else ""
        raise ValueError(f"{name} is {value!r}; expected one of {', '.join(allowed)}{quotes}")


def _quoted(value: Any) -> str:
    return f'"{value}"'


def _text(name: str, value: Any) -> str:
    if not isinstance(value, str):
        raise ValueError(f"{name} is {value!r}; expected a text")
    return value
