"""The questions "allocate" and "tokens": 100 percent, or tokens, divided among the classes."""

from __future__ import annotations

from typing import Any

import numpy as np

from dissensus.elicit.questions.attention import HIGHEST, expects_class, is_highest
from dissensus.elicit.questions.class_numbers import check_numbers, draw_belief, largest
from dissensus.elicit.questions.question import (
    FRAME,
    SHUFFLE,
    Answer,
    BeliefRow,
    ExampleTrial,
    Option,
    Question,
    QuestionKind,
)


def _check_parts(field: str, given: Any, classes: tuple[str, ...], total: int) -> dict[str, int]:
    parts = check_numbers(field, given, classes)
    for name, value in parts.items():
        if value != int(value):
            raise ValueError(f"{field} gives {name!r} {value!r}; expected a whole number")
    if sum(parts.values()) != total:
        raise ValueError(f"{field} sums to {sum(parts.values()):g}; expected {total}")
    return {name: int(value) for name, value in parts.items() if value}


def _draw_parts(question: Question, truth: np.ndarray, total: int, rng: np.random.Generator) -> dict[str, int]:
    parts = rng.multinomial(total, draw_belief(truth, rng))
    return {name: int(part) for name, part in zip(question.classes, parts, strict=True) if part}


def _shares(question: Question, parts: dict[str, int], total: int) -> BeliefRow:
    return BeliefRow({name: parts.get(name, 0) / total for name in question.classes})


def _simulate_percents(question: Question, truth: np.ndarray, rng: np.random.Generator) -> Answer:
    return {"percents": _draw_parts(question, truth, 100, rng)}


def _simulate_tokens(question: Question, truth: np.ndarray, rng: np.random.Generator) -> Answer:
    return {"tokens": _draw_parts(question, truth, question.options["tokens"], rng)}


ALLOCATE = QuestionKind(
    summary="percents that sum to 100",
    gives="belief",
    prompt="Divide 100 percent among the classes.",
    script="allocate",
    fields={"percents": "whole percents by class that sum to 100; classes with 0 left out"},
    example={"percents": {"3": 75, "8": 25}},
    check=lambda question, answer: {"percents": _check_parts("percents", answer["percents"], question.classes, 100)},
    first=lambda answer: largest(answer["percents"]),
    simulate=_simulate_percents,
    attention=expects_class(HIGHEST, lambda answer, name: is_highest(answer["percents"], name), _simulate_percents),
    example_practice=ExampleTrial(("digit37",), "Many people give most to 9 and some to 5."),
    example_attention=ExampleTrial(("digit185",), "0"),
    as_belief=lambda question, answer, about: _shares(question, answer["percents"], 100),
    options={"shuffle": SHUFFLE, "frame": FRAME},
    least_classes=2,
    row_per_class=True,
)

TOKENS = QuestionKind(
    summary="tokens placed on classes",
    gives="belief",
    prompt="Place the tokens on the classes.",
    script="tokens",
    fields={"tokens": "number of tokens by class; classes with 0 left out"},
    example={"tokens": {"3": 14, "8": 6}},
    check=lambda question, answer: {
        "tokens": _check_parts("tokens", answer["tokens"], question.classes, question.options["tokens"])
    },
    first=lambda answer: largest(answer["tokens"]),
    simulate=_simulate_tokens,
    attention=expects_class(HIGHEST, lambda answer, name: is_highest(answer["tokens"], name), _simulate_tokens),
    example_practice=ExampleTrial(("digit37",), "Many people place most tokens on 9 and some on 5."),
    example_attention=ExampleTrial(("digit185",), "0"),
    as_belief=lambda question, answer, about: _shares(question, answer["tokens"], question.options["tokens"]),
    options={"shuffle": SHUFFLE, "frame": FRAME, "tokens": Option(20, "number of tokens", scale=True)},
    least_classes=2,
    row_per_class=True,
)
