"""Attention checks, whose answer is obvious, for classes, numbers and comparisons."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from dissensus.elicit.questions.question import Answer, AttentionRule, Question
from dissensus.labels.refusals import Refusal, Way, one_of

HIGHEST = "the class that must get more than any other"


def expects_class(
    meaning: str,
    passes: Callable[[Answer, str], bool],
    simulate: Callable[[Question, np.ndarray, np.random.Generator], Answer],
) -> AttentionRule:
    """Make the rule of a check that expects a class; `passes` tells whether an answer gives that class."""

    def obvious(question: Question, expected: str, items: Sequence[str]) -> Answer:
        certain = np.eye(len(question.classes))[question.classes.index(expected)]
        return simulate(question, certain, np.random.default_rng(0))

    return AttentionRule(
        meaning, _check_class, lambda question, expected, answer, items: passes(answer, expected), obvious
    )


def _check_class(where: str, question: Question, items: Sequence[str], given: Any) -> str:
    if given not in question.classes and str(given) in question.classes:
        raise Refusal(f"{where} is {given!r}, a number", ways=[Way(f'write the class in quotes: "{given}"')])
    return str(one_of("class", given, question.classes, place=where))


def is_highest(numbers: dict[str, float], name: str) -> bool:
    """Whether this class has a larger number than every other class; equal numbers fail."""
    if name not in numbers:
        return False
    return all(value < numbers[name] for class_name, value in numbers.items() if class_name != name)


def _check_number(where: str, question: Question, items: Sequence[str], given: Any) -> tuple[float, float]:
    low, high, step = (question.options[name] for name in ("low", "high", "step"))
    ends = given if isinstance(given, list) and len(given) == 2 else [given, given]
    numbers = all(isinstance(end, int | float) and not isinstance(end, bool) for end in ends)
    if not numbers or not low <= ends[0] <= ends[1] <= high or (step == 1 and any(end != int(end) for end in ends)):
        expected = f"[lowest, highest] between {low:g} and {high:g}"
        whole = f"a whole number from {low:g} to {high:g}, or " if step == 1 else ""
        raise ValueError(f"{where} is {given!r}; expected {whole}{expected}")
    if step != 1 and ends[0] == ends[1]:
        raise ValueError(
            f"{where} is {given!r}, but a slider cannot be set so exactly; expected [lowest, highest] between {low:g} "
            f"and {high:g}, such as [{low:g}, {(low + high) / 2:g}]"
        )
    return ends[0], ends[1]


def _middle(question: Question, expected: tuple[float, float], items: Sequence[str]) -> Answer:
    middle = sum(expected) / 2
    return {"value": int(middle) if question.options["step"] == 1 else round(middle, 2)}


EXPECTS_NUMBER = AttentionRule(
    "the range that passes, [lowest, highest]; for whole numbers also a single number",
    _check_number,
    lambda question, expected, answer, items: expected[0] <= answer["value"] <= expected[1],
    _middle,
)


def _check_closer(where: str, question: Question, items: Sequence[str], given: Any) -> str:
    return str(one_of("compared item", given, items[1:], place=where))


def _closer(question: Question, expected: str, items: Sequence[str]) -> Answer:
    return {"closer": "first" if items[1] == expected else "second"}


EXPECTS_CLOSER = AttentionRule(
    "which of the last two items is closer to the first",
    _check_closer,
    lambda question, expected, answer, items: answer == _closer(question, expected, items),
    _closer,
)
