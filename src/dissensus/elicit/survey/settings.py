"""A survey as its folder describes it: survey.toml, checked, with every setting in place."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dissensus.elicit.questions.question import Question, QuestionKind
from dissensus.elicit.questions.question_kinds import QUESTIONS
from dissensus.elicit.survey.ends import End, read_ends
from dissensus.elicit.survey.extra_trials import Attention, Practice, read_attention, read_practice
from dissensus.elicit.survey.toml_tables import EXPECTED, check_keys, check_one_of, check_text, read_rows, read_section

SOURCES = ("open", "links", "prolific", "mturk")
DRAWS = ("least-answered", "expected-error", "batches")


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
    hold_minutes: float = 3.0
    attention_every: int = 0
    repeats: int = 0
    break_every: int = 0
    attempts: int = 2
    debrief_text: str = ""


@dataclass(frozen=True)
class People:
    """Where people come from, and what they get at the end: `ends` of the survey says what for which outcome."""

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
class Field:
    """A question of the debriefing: free text, or a choice where it has options."""

    name: str
    question: str
    options: tuple[str, ...] = ()
    required: bool = False


@dataclass(frozen=True)
class Survey:
    """Everything that the folder's survey.toml says.

    ends  for each outcome the code and the link that people get
    """

    folder: Path
    title: str
    question: Question
    protocol: Protocol
    people: People
    ends: Mapping[str, End]
    items_from: str = "items"
    contact: str = ""
    comprehension: tuple[Check, ...] = ()
    practice: tuple[Practice, ...] = ()
    debrief: tuple[Field, ...] = ()
    attention: tuple[Attention, ...] = ()
    units: str = ""

    @property
    def kind(self) -> QuestionKind:
        """The kind of its question."""
        return QUESTIONS[self.question.kind]

    @property
    def extra_units(self) -> tuple[tuple[str, ...], ...]:
        """The items of every trial that is for practice or attention."""
        return (*(each.items for each in self.practice), *(each.items for each in self.attention))

    @property
    def shows(self) -> int:
        """Items in one trial."""
        return self.kind.shows


def read_survey(folder: Path | str) -> Survey:
    """The survey of a folder; ValueError names the key, the value, and what was expected."""
    folder = Path(folder)
    path = folder / "survey.toml"
    if not path.is_file() and (folder / "study.toml").is_file():
        raise ValueError(f"{path}: no such file, but there is a study.toml, its former name; rename it to survey.toml")
    if not path.is_file():
        raise ValueError(f"{path}: no such file; `dissensus elicit init {folder}` makes one")
    try:
        table = tomllib.loads(path.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ValueError(f"{path}: not valid TOML: {error}") from None
    try:
        return _survey(folder, table)
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from None


def _survey(folder: Path, table: dict[str, Any]) -> Survey:
    known = {
        "title",
        "contact",
        "items",
        "units",
        "question",
        "protocol",
        "people",
        "comprehension",
        "practice",
        "debrief",
        "attention",
        "ends",
    }
    check_keys("the file", table, known)
    if not isinstance(table.get("title"), str) or not table["title"].strip():
        raise ValueError("title is missing; expected a line that people see at the top of every page")
    protocol, people = read_section(Protocol, "protocol", table), read_section(People, "people", table)
    _check_protocol(protocol)
    _check_people(people)
    ends = read_ends(table, source=people.source, code=people.completion_code, redirect=people.redirect)
    question = _question(table.get("question"))
    survey = Survey(
        folder,
        table["title"].strip(),
        question,
        protocol,
        people,
        ends,
        items_from=check_text("items", table.get("items", "items")),
        contact=check_text("contact", table.get("contact", "")),
        units=check_text("units", table.get("units", "")),
        attention=read_attention(question, table.get("attention", [])),
        comprehension=tuple(read_rows(Check, "comprehension", table)),
        practice=read_practice(question, table.get("practice", [])),
        debrief=tuple(read_rows(Field, "debrief", table)),
    )
    if protocol.attention_every and not survey.attention:
        raise ValueError(
            f"protocol.attention_every is {protocol.attention_every}, but there is no [[attention]]: no item whose "
            "answer is obvious; name some, or set it to 0"
        )
    if protocol.draw == "expected-error" and not survey.kind.needs_classes:
        raise ValueError(
            f'protocol.draw is "expected-error", but {survey.question.kind} answers name no classes; use least-answered'
        )
    asked = [field.name for field in survey.debrief]
    twice = [name for i, name in enumerate(asked) if name in asked[:i]]
    if twice:
        raise ValueError(f"two [[debrief]] have the name {twice[0]!r}, so one answer would replace the other")
    for check in survey.comprehension:
        check_one_of("comprehension.correct", check.correct, check.options)
    return survey


def _check_protocol(protocol: Protocol) -> None:
    check_one_of("protocol.draw", protocol.draw, DRAWS)
    for name in ("per_person", "per_item", "attempts"):
        if getattr(protocol, name) < 1:
            raise ValueError(f"protocol.{name} is {getattr(protocol, name)}; expected 1 or more")
    if not protocol.hold_minutes > 0:
        raise ValueError(f"protocol.hold_minutes is {protocol.hold_minutes}; expected minutes, more than 0, such as 3")
    for name in ("attention_every", "repeats", "break_every"):
        if getattr(protocol, name) < 0:
            raise ValueError(f"protocol.{name} is {getattr(protocol, name)}; expected 0 (none) or more")
    if not 0 <= protocol.enough < 1:
        raise ValueError(f"protocol.enough is {protocol.enough}; expected 0 (never) or a width below 1, such as 0.3")
    if protocol.enough and protocol.draw != "expected-error":
        raise ValueError('protocol.enough is set, but only protocol.draw = "expected-error" makes use of it')
    if protocol.draw == "batches" and not protocol.batches:
        raise ValueError('protocol.draw is "batches", but protocol.batches names no file')


def _check_people(people: People) -> None:
    check_one_of("people.source", people.source, SOURCES)
    if people.pay_per_person < 0:
        raise ValueError(f"people.pay_per_person is {people.pay_per_person}; expected 0 or more")


def _question(table: Any) -> Question:
    if not isinstance(table, dict):
        raise ValueError("[question] is missing; expected a table with kind and classes")
    check_one_of("question.kind", table.get("kind"), tuple(QUESTIONS))
    kind = QUESTIONS[table["kind"]]
    check_keys("[question]", table, {"kind", "prompt", "classes", "texts", *kind.options})
    classes = table.get("classes", [])
    if not isinstance(classes, list) or not all(isinstance(name, str) and name.strip() for name in classes):
        raise ValueError(f"question.classes is {classes!r}; expected a list of names")
    repeated = [name for i, name in enumerate(classes) if name in classes[:i]]
    if repeated:
        raise ValueError(f"question.classes names {repeated[0]!r} twice")
    if len(classes) < kind.least_classes:
        raise ValueError(
            f"question.classes has {len(classes)} {'name' if len(classes) == 1 else 'names'}; "
            f"a {table['kind']} question needs {kind.least_classes} or more"
        )
    options = read_options(kind, {name: value for name, value in table.items() if name in kind.options})
    own = table.get("texts", {})
    if not isinstance(own, dict):
        raise ValueError(f"question.texts is {own!r}; expected a table [question.texts]")
    texts = kind.texts(options, own)
    prompt = check_text("question.prompt", table.get("prompt", texts.pop("prompt", kind.prompt)))
    named = (*(["prompt"] if "prompt" in table else []), *own)
    return Question(table["kind"], prompt, tuple(classes), options, texts, named)


def read_options(kind: QuestionKind, given: Mapping[str, Any]) -> dict[str, Any]:
    """Every setting of this kind of question, as given or else its default; ValueError names one that is wrong."""
    check_keys("[question]", given, set(kind.options))
    options = {}
    for name, option in kind.options.items():
        value, default = given.get(name, option.default), option.default
        numbers = isinstance(value, int | float) and isinstance(default, int | float)
        if type(value) is not type(default) and (not numbers or bool in (type(value), type(default))):
            raise ValueError(
                f"question.{name} is {value!r}; expected {EXPECTED[type(default).__name__]}, such as {default!r}"
            )
        if option.choices:
            check_one_of(f"question.{name}", value, option.choices)
        options[name] = value
    return options
