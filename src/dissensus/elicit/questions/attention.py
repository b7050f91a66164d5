"""Attention checks: what is expected where the answer is obvious, for classes, for numbers and for comparisons."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from dissensus.elicit.questions.question import Answer, AttentionRule, Question

HIGHEST = "the class that has to get more than any other"


def expects_class(
    meaning: str,
    passes: Callable[[Answer, str], bool],
    simulate: Callable[[Question, np.ndarray, np.random.Generator], Answer],
) -> AttentionRule:
    """A class is expected; `passes` says of an answer whether it gives that class what is due to it."""

    def obvious(question: Question, expected: str, items: Sequence[str]) -> Answer:
        certain = np.eye(len(question.classes))[question.classes.index(expected)]
        return simulate(question, certain, np.random.default_rng(0))

    return AttentionRule(
        meaning, _check_class, lambda question, expected, answer, items: passes(answer, expected), obvious
    )


def _check_class(where: str, question: Question, items: Sequence[str], given: Any) -> str:
    if given not in question.classes:
        quotes = f', in quotes: "{given}"' if str(given) in question.classes else ""
        raise ValueError(f"{where} is {given!r}; expected one of {', '.join(question.classes)}{quotes}")
    return str(given)


def highest(numbers: dict[str, float], name: str) -> bool:
    """Whether this class has more than every other, which somebody who gives all the same does not say."""
    return all(numbers.get(name, 0) > value for other, value in numbers.items() if other != name) and name in numbers


def _check_number(where: str, question: Question, items: Sequence[str], given: Any) -> tuple[float, float]:
    low, high, step = (question.options[name] for name in ("low", "high", "step"))
    ends = given if isinstance(given, list) and len(given) == 2 else [given, given]
    numbers = all(isinstance(end, int | float) and not isinstance(end, bool) for end in ends)
    if not numbers or not low <= ends[0] <= ends[1] <= high or (step == 1 and any(end != int(end) for end in ends)):
        expected = f"[lowest, highest] between {low:g} and {high:g}"
        one = f"a whole number from {low:g} to {high:g}, or " if step == 1 else ""
        raise ValueError(f"{where} is {given!r}; expected {one}{expected}")
    if step != 1 and ends[0] == ends[1]:
        raise ValueError(
            f"{where} is {given!r}, which nobody hits on a slider; expected [lowest, highest] between {low:g} and "
            f"{high:g}, such as [{low:g}, {(low + high) / 2:g}]"
        )
    return ends[0], ends[1]


def _middle(question: Question, expected: tuple[float, float], items: Sequence[str]) -> Answer:
    middle = sum(expected) / 2
    return {"value": int(middle) if question.options["step"] == 1 else round(middle, 2)}


EXPECTS_NUMBER = AttentionRule(
    "the [lowest, highest] that pass; where answers are whole numbers, a single one will do",
    _check_number,
    lambda question, expected, answer, items: expected[0] <= answer["value"] <= expected[1],
    _middle,
)


def _check_closer(where: str, question: Question, items: Sequence[str], given: Any) -> str:
    if given not in items[1:]:
        raise ValueError(f"{where} is {given!r}; expected one of the two that are compared, {' or '.join(items[1:])}")
    return str(given)


def _closer(question: Question, expected: str, items: Sequence[str]) -> Answer:
    return {"closer": "first" if items[1] == expected else "second"}


EXPECTS_CLOSER = AttentionRule(
    "which of the last two is closer to the first",
    _check_closer,
    lambda question, expected, answer, items: answer == _closer(question, expected, items),
    _closer,
)
