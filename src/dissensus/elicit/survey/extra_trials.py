"""Trials beside those that are counted: practice with feedback, and attention checks, whose answer is obvious."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from dissensus.elicit.questions.question import Answer, Question
from dissensus.elicit.questions.question_kinds import QUESTIONS
from dissensus.elicit.survey.toml_tables import check_keys, check_text


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


def read_practice(question: Question, given: Any) -> tuple[Practice, ...]:
    """The tables [[practice]]; ValueError names the one that this kind of question cannot show."""
    practice: list[Practice] = []
    for where, row in _rows("practice", given):
        check_keys(where, row, {"item", "items", "feedback"})
        if "feedback" not in row:
            raise ValueError(f"{where} has no feedback; expected a text that is said after the answer")
        items = _items(where, row, question)
        practice.append(Practice(items, check_text(f"{where}: feedback", row["feedback"])))
    _check_different("practice", [each.items for each in practice], question)
    return tuple(practice)


def read_attention(question: Question, given: Any) -> tuple[Attention, ...]:
    """The tables [[attention]], or [attention] with the answer of each item; ValueError names what is wrong."""
    rule, shows = QUESTIONS[question.kind].attention, QUESTIONS[question.kind].shows
    checks: list[Attention] = []
    if isinstance(given, Mapping):
        if given and shows > 1:
            raise ValueError(
                f"[attention] names single items, but a {question.kind} question shows {shows}; expected tables "
                f"[[attention]] with {_names(shows)} and answer, {rule.meaning}"
            )
        for name, answer in given.items():
            checks.append(Attention((name,), rule.check(f"attention.{name}", question, (name,), answer)))
        return tuple(checks)
    for where, row in _rows("attention", given):
        check_keys(where, row, {"item", "items", "answer"})
        items = _items(where, row, question)
        if "answer" not in row:
            raise ValueError(f"{where} has no answer; expected {rule.meaning}")
        checks.append(Attention(items, rule.check(f"{where}: answer", question, items, row["answer"])))
    _check_different("attention", [each.items for each in checks], question)
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


def _rows(name: str, given: Any) -> list[tuple[str, dict[str, Any]]]:
    if not isinstance(given, list) or not all(isinstance(row, dict) for row in given):
        raise ValueError(f"{name} is {given!r}; expected tables [[{name}]]")
    return [(f"[[{name}]] number {i + 1}", row) for i, row in enumerate(given)]


def _items(where: str, row: Mapping[str, Any], question: Question) -> tuple[str, ...]:
    """The items of a practice or attention trial: as many as the kind of question shows at once."""
    kind = QUESTIONS[question.kind]
    expected = f"{_names(kind.shows)}, as a {question.kind} question shows {kind.shows}"
    if ("item" in row) == ("items" in row):
        raise ValueError(f"{where} has {'both item and items' if 'item' in row else 'no items'}; expected {expected}")
    key = "item" if "item" in row else "items"
    names = [row["item"]] if key == "item" else row["items"]
    if (
        not isinstance(names, list)
        or not all(isinstance(name, str) for name in names)
        or len(names) != kind.shows
        or (key == "item" and kind.shows > 1)
    ):
        raise ValueError(f"{where}: {key} is {row[key]!r}; expected {expected}")
    compared = names[kind.in_place :]
    if kind.gives == "comparison" and len(set(compared)) < len(compared):
        raise ValueError(f"{where}: items is {names!r}; expected different ones to compare, not {compared[0]!r} twice")
    return tuple(names)


def _names(shows: int) -> str:
    several = ", ".join(['"…"'] * shows)
    return 'item = "…"' if shows == 1 else f"items = [{several}]"


def _check_different(name: str, units: Sequence[tuple[str, ...]], question: Question) -> None:
    keys = [unit_key(items, QUESTIONS[question.kind].in_place) for items in units]
    for number, key in enumerate(keys, start=1):
        if key in keys[: number - 1]:
            before = keys.index(key) + 1
            raise ValueError(
                f"[[{name}]] number {number} shows {' and '.join(units[number - 1])}, as number {before} does; one of "
                "them is enough"
            )
