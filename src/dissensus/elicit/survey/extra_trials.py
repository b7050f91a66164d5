"""Practice trials with feedback, and attention checks, whose answer is obvious."""

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
    """A practice trial: its items, and the feedback after the answer."""

    items: tuple[str, ...]
    feedback: str


@dataclass(frozen=True)
class Attention:
    """An attention check: its items, and the expected answer."""

    items: tuple[str, ...]
    answer: Any


def read_practice(question: Question, given: Any, text: TomlText) -> tuple[Practice, ...]:
    """Read the tables [[practice]]."""
    practice: list[Practice] = []
    for path, row in text.rows(given, ("practice",)):
        text.check_keys(row, ("item", "items", "feedback"), path)
        if "feedback" not in row:
            text.refuse(path, "has no feedback; expected the text shown after the answer")
        items = _read_items(path, row, question, text)
        feedback = text.check(Setting("feedback", "", "", "str"), row["feedback"], (*path, "feedback"))
        practice.append(Practice(items, feedback))
    _check_different("practice", [trial.items for trial in practice], question, text)
    return tuple(practice)


def read_attention(question: Question, given: Any, text: TomlText) -> tuple[Attention, ...]:
    """Read the tables [[attention]], or [attention] with the answer of each item."""
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
    _check_different("attention", [check.items for check in checks], question, text)
    return tuple(checks)


def attention_check(checks: Sequence[Attention], question: Question, shown: Sequence[str]) -> Attention | None:
    """Return the attention check with these items, in any order; None if the survey has none."""
    in_place = QUESTIONS[question.kind].in_place
    key = unit_key(shown, in_place)
    return next((check for check in checks if unit_key(check.items, in_place) == key), None)


def passes_check(checks: Sequence[Attention], question: Question, shown: Sequence[str], answer: Answer) -> bool | None:
    """Return whether an answer passes its attention check, or None if the survey no longer has the check.

    shown  the items in the order shown
    """
    check = attention_check(checks, question, shown)
    if check is None:
        return None
    return QUESTIONS[question.kind].attention.passes(question, check.answer, answer, shown)


def unit_key(items: Sequence[str], in_place: int) -> tuple[str, ...]:
    """Return a key that is equal for equivalent units: only the first `in_place` items depend on their place."""
    return (*items[:in_place], *sorted(items[in_place:]))


def _read_items(path: Sequence[str], row: Mapping[str, Any], question: Question, text: TomlText) -> tuple[str, ...]:
    """The items of a practice or attention trial, as many as the kind of question shows."""
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
        text.refuse_value((*path, "items"), names, f"different items to compare, not {compared[0]!r} twice")
    return tuple(names)


def _names(shows: int) -> str:
    several = ", ".join(['"…"'] * shows)
    return 'item = "…"' if shows == 1 else f"items = [{several}]"


def _check_different(name: str, units: Sequence[tuple[str, ...]], question: Question, text: TomlText) -> None:
    keys = [unit_key(items, QUESTIONS[question.kind].in_place) for items in units]
    for number, key in enumerate(keys, start=1):
        if key in keys[: number - 1]:
            first = keys.index(key) + 1
            shown = " and ".join(units[number - 1])
            text.refuse((name, str(number)), f"has the items {shown} of {name}.{first}; remove one of them")
