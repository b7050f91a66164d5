"""A survey as its folder describes it: survey.toml, checked, with every setting in place."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dissensus.elicit.questions.question import Question, QuestionKind
from dissensus.elicit.questions.question_kinds import QUESTIONS
from dissensus.elicit.survey.ends import End, read_ends
from dissensus.elicit.survey.extra_trials import Attention, Practice, read_attention, read_practice
from dissensus.files.toml import TomlText, read_toml
from dissensus.labels.names import first_repeated
from dissensus.labels.settings import Setting, document_settings, setting

SOURCES = ("open", "links", "prolific", "mturk")
DRAWS = ("least-answered", "expected-error", "batches")
KEYS = (
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
)
_TEXT = Setting("text", "", "", "str")


@document_settings
@dataclass(frozen=True)
class Protocol:
    """How one person goes through the survey. Texts are plain; a blank line starts a paragraph, **so** is bold."""

    consent: str = setting("", "Text that people agree to first")
    instructions: tuple[str, ...] = setting((), "Pages of instructions")
    per_person: int = setting(20, "Trials per person", low=1)
    per_item: int = setting(5, "Answers to collect per item", low=1)
    draw: str = setting("least-answered", "Rule that draws the next item", among=DRAWS)
    batches: str = setting("", "Table with the items of each batch, for the draw batches")
    enough: float = setting(
        0.0, "Width of the interval at which an item has enough answers, such as 0.3; 0: never", low=0, below=1
    )
    hold_minutes: float = setting(
        3.0, "Minutes without activity after which a person's item is given to others", above=0
    )
    attention_every: int = setting(0, "Trials between two attention checks; 0: none", low=0)
    repeats: int = setting(0, "Items that a person answers twice; 0: none", low=0)
    break_every: int = setting(0, "Trials between two breaks; 0: none", low=0)
    attempts: int = setting(2, "Attempts at the comprehension questions", low=1)
    debrief_text: str = setting("", "Text at the end")


@document_settings
@dataclass(frozen=True)
class People:
    """The source of people, and what they get at the end: `ends` of the survey has one entry per outcome."""

    source: str = setting("open", "Source of the people", among=SOURCES)
    keep_ids: bool = setting(False, "Keep the ids of people in exports")
    completion_code: str = setting("", "Code for people who complete the survey")
    redirect: str = setting("", "Link for people who complete the survey")
    pay_per_person: float = setting(0.0, "Pay per person", low=0)
    currency: str = setting("USD", "Currency of the pay")


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
    """The content of the folder's survey.toml.

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
    """The survey of a folder; a refusal names the line, the key, the value, and what was expected."""
    folder = Path(folder)
    path = folder / "survey.toml"
    if not path.is_file() and (folder / "study.toml").is_file():
        raise ValueError(f"{path}: no such file, but there is a study.toml, its former name; rename it to survey.toml")
    if not path.is_file():
        raise ValueError(f"{path}: no such file; `dissensus elicit init {folder}` makes one")
    values, text = read_toml(path)
    with text.at(()):
        return _read_survey(folder, values, text)


def _read_survey(folder: Path, table: dict[str, Any], text: TomlText) -> Survey:
    text.check_keys(table, KEYS, ())
    title = text.check(_TEXT, table.get("title", ""), ("title",)).strip()
    if not title:
        text.refuse(("title",), "is missing; expected a line for the top of every page")
    protocol = text.read_record(Protocol, table.get("protocol", {}), ("protocol",))
    people = text.read_record(People, table.get("people", {}), ("people",))
    _check_draw(protocol, text)
    question = _read_question(table.get("question"), text)
    with text.at(("ends",)):
        ends = read_ends(table, text, source=people.source, code=people.completion_code, redirect=people.redirect)
    survey = Survey(
        folder,
        title,
        question,
        protocol,
        people,
        ends,
        items_from=text.check(_TEXT, table.get("items", "items"), ("items",)),
        contact=text.check(_TEXT, table.get("contact", ""), ("contact",)),
        units=text.check(_TEXT, table.get("units", ""), ("units",)),
        attention=read_attention(question, table.get("attention", []), text),
        comprehension=text.read_records(Check, table.get("comprehension", []), ("comprehension",)),
        practice=read_practice(question, table.get("practice", []), text),
        debrief=text.read_records(Field, table.get("debrief", []), ("debrief",)),
    )
    _check_whole(survey, text)
    return survey


def _check_whole(survey: Survey, text: TomlText) -> None:
    """Refuse settings that do not fit each other."""
    protocol = survey.protocol
    if protocol.attention_every and not survey.attention:
        text.refuse(
            ("protocol", "attention_every"),
            f"is {protocol.attention_every}, but there is no [[attention]]: no item whose answer is obvious; name "
            "some, or set it to 0",
        )
    if protocol.draw == "expected-error" and not survey.kind.needs_classes:
        text.refuse(
            ("protocol", "draw"),
            f'is "expected-error", but {survey.question.kind} answers name no classes; use least-answered',
        )
    names = [field.name for field in survey.debrief]
    repeated = first_repeated(names)
    if repeated is not None:
        number = len(names) - names[::-1].index(repeated)
        text.refuse(
            ("debrief", str(number)), f"has the name {repeated!r} of another [[debrief]]; give it a name of its own"
        )
    for number, check in enumerate(survey.comprehension, 1):
        text.one_of(check.correct, check.options, ("comprehension", str(number), "correct"), "option")


def _check_draw(protocol: Protocol, text: TomlText) -> None:
    if protocol.enough and protocol.draw != "expected-error":
        text.refuse(("protocol", "enough"), 'is set, but only protocol.draw = "expected-error" uses it')
    if protocol.draw == "batches" and not protocol.batches:
        text.refuse(("protocol", "batches"), 'is empty, but protocol.draw is "batches"; expected a file')


def _read_question(table: Any, text: TomlText) -> Question:
    if not isinstance(table, dict):
        text.refuse(("question",), "is missing; expected a table with kind and classes")
    if "kind" not in table:
        text.refuse(("question",), f"has no kind; expected one of {', '.join(QUESTIONS)}")
    text.one_of(table["kind"], QUESTIONS, ("question", "kind"), "kind of question")
    kind = QUESTIONS[table["kind"]]
    text.check_keys(table, ("kind", "prompt", "classes", "texts", *kind.options), ("question",))
    classes = table.get("classes", [])
    at = ("question", "classes")
    if not isinstance(classes, list) or not all(isinstance(name, str) and name.strip() for name in classes):
        text.refuse_value(at, classes, "a list of names")
    if (repeated := first_repeated(classes)) is not None:
        text.refuse(at, f"has {repeated!r} twice")
    if len(classes) < kind.least_classes:
        text.refuse(
            at,
            f"has {len(classes)} {'name' if len(classes) == 1 else 'names'}; a {table['kind']} question needs "
            f"{kind.least_classes} or more",
        )
    options = read_options(kind, {name: value for name, value in table.items() if name in kind.options}, text)
    own = table.get("texts", {})
    if not isinstance(own, dict):
        text.refuse_value(("question", "texts"), own, "a table [question.texts]")
    with text.at(("question", "texts")):
        texts = kind.texts(options, own)
    prompt = text.check(_TEXT, table.get("prompt", texts.pop("prompt", kind.prompt)), ("question", "prompt"))
    named = (*(["prompt"] if "prompt" in table else []), *own)
    return Question(table["kind"], prompt, tuple(classes), options, texts, named)


def read_options(
    kind: QuestionKind,
    given: Mapping[str, Any],
    text: TomlText = TomlText(),  # noqa: B008  (frozen)
) -> dict[str, Any]:
    """Every setting of this kind of question, as given or else its default; a refusal names one that is wrong."""
    text.check_keys(given, kind.options, ("question",))
    options = {}
    for name, option in kind.options.items():
        value, default = given.get(name, option.default), option.default
        path = ("question", name)
        numbers = isinstance(value, int | float) and isinstance(default, int | float)
        if type(value) is not type(default) and (not numbers or bool in (type(value), type(default))):
            expected = Setting(name, "", default, type(default).__name__).expected
            text.refuse_value(path, value, f"{expected}, such as {default!r}")
        options[name] = text.one_of(value, option.choices, path) if option.choices else value
    return options
