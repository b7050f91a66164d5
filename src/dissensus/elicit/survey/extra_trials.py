"""Trials beside those that are counted: practice with feedback, and attention checks, whose answer is obvious."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from dissensus.elicit.questions.question import Answer, Question
from dissensus.elicit.questions.question_kinds import QUESTIONS
from dissensus.files.toml import TomlText
from dissensus.labels.settings import Setting


@dataclass(frozen=True)
class Practice:
    """A trial to practise on: the items that it shows, and what is said after the answer."""

    items: tuple[str, ...]
    feedback: str


@dataclass(frozen=True)
class Attention:
    """A trial whose answer is obvious: the items that it shows, and what the kind of question expects of an answer."""

    items: tuple[str, ...]
    answer: Any


def read_practice(question: Question, given: Any, text: TomlText) -> tuple[Practice, ...]:
    """The tables [[practice]]; a refusal names the one that this kind of question cannot show."""
    practice: list[Practice] = []
    for path, row in text.rows(given, ("practice",)):
        text.check_keys(row, ("item", "items", "feedback"), path)
        if "feedback" not in row:
            text.refuse(path, "has no feedback; expected a text that is shown after the answer")
        items = _read_items(path, row, question, text)
        feedback = text.check(Setting("feedback", "", "", "str"), row["feedback"], (*path, "feedback"))
        practice.append(Practice(items, feedback))
    _check_different("practice", [each.items for each in practice], question, text)
    return tuple(practice)


def read_attention(question: Question, given: Any, text: TomlText) -> tuple[Attention, ...]:
    """The tables [[attention]], or [attention] with the answer of each item; a refusal names what is wrong."""
    rule, shows = QUESTIONS[question.kind].attention, QUESTIONS[question.kind].shows
    checks: list[Attention] = []
    if isinstance(given, Mapping):
        if given and shows > 1:
            text.refuse(
                ("attention",),
                f"has single items, but a {question.kind} question shows {shows}; expected tables [[attention]] with "
                f"{_names(shows)} and answer, {rule.meaning}",
            )
        for name, answer in given.items():
            with text.at(("attention", name)):
                checks.append(Attention((name,), rule.check(f"attention.{name}", question, (name,), answer)))
        return tuple(checks)
    for path, row in text.rows(given, ("attention",)):
        text.check_keys(row, ("item", "items", "answer"), path)
        items = _read_items(path, row, question, text)
        if "answer" not in row:
            text.refuse(path, f"has no answer; expected {rule.meaning}")
        with text.at((*path, "answer")):
            checks.append(Attention(items, rule.check(f"{'.'.join(path)}.answer", question, items, row["answer"])))
    _check_different("attention", [each.items for each in checks], question, text)
    return tuple(checks)


def attention_check(checks: Sequence[Attention], question: Question, shown: Sequence[str]) -> Attention | None:
    """The attention check that shows these items, in whichever order; None where there is none, or no longer."""
    in_place = QUESTIONS[question.kind].in_place
    key = unit_key(shown, in_place)
    return next((check for check in checks if unit_key(check.items, in_place) == key), None)


def passes_check(checks: Sequence[Attention], question: Question, shown: Sequence[str], answer: Answer) -> bool | None:
    """Whether the answer to an attention check is the expected one; None where the survey no longer has that check.

    shown  the items in the order in which they were shown
    """
    check = attention_check(checks, question, shown)
    if check is None:
        return None
    return QUESTIONS[question.kind].attention.passes(question, check.answer, answer, shown)


def unit_key(items: Sequence[str], in_place: int) -> tuple[str, ...]:
    """The same for units that ask the same: only the first `in_place` items mean something by their place."""
    return (*items[:in_place], *sorted(items[in_place:]))


def _read_items(path: Sequence[str], row: Mapping[str, Any], question: Question, text: TomlText) -> tuple[str, ...]:
    """The items of a practice or attention trial: as many as the kind of question shows at once."""
    kind = QUESTIONS[question.kind]
    expected = f"{_names(kind.shows)}, as a {question.kind} question shows {kind.shows}"
    if ("item" in row) == ("items" in row):
        text.refuse(path, f"has {'both item and items' if 'item' in row else 'no items'}; expected {expected}")
    key = "item" if "item" in row else "items"
    names = [row["item"]] if key == "item" else row["items"]
    if (
        not isinstance(names, list)
        or not all(isinstance(name, str) for name in names)
        or len(names) != kind.shows
        or (key == "item" and kind.shows > 1)
    ):
        text.refuse_value((*path, key), row[key], expected)
    compared = names[kind.in_place :]
    if kind.gives == "comparison" and len(set(compared)) < len(compared):
        text.refuse_value((*path, "items"), names, f"different ones to compare, not {compared[0]!r} twice")
    return tuple(names)


def _names(shows: int) -> str:
    several = ", ".join(['"…"'] * shows)
    return 'item = "…"' if shows == 1 else f"items = [{several}]"


def _check_different(name: str, units: Sequence[tuple[str, ...]], question: Question, text: TomlText) -> None:
    keys = [unit_key(items, QUESTIONS[question.kind].in_place) for items in units]
    for number, key in enumerate(keys, start=1):
        if key in keys[: number - 1]:
            before = keys.index(key) + 1
            shown = " and ".join(units[number - 1])
            text.refuse((name, str(number)), f"has the items {shown} of {name}.{before}; one of them is enough")
