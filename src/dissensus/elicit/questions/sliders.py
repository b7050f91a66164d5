"""A slider for every class: numbers from 0 to 1 that need not sum to anything."""

from __future__ import annotations

import numpy as np

from dissensus.elicit.questions.attention import HIGHEST, expects_class, highest
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


def _check(question: Question, answer: Answer) -> Answer:
    values = check_numbers("values", answer["values"], question.classes)
    untouched = [name for name in question.classes if name not in values]
    if untouched:
        raise ValueError(f"values has no number for {untouched[0]!r}; every slider has to be touched")
    high = [name for name, value in values.items() if value > 1]
    if high:
        raise ValueError(f"values gives {high[0]!r} {values[high[0]]:g}; expected a number from 0 to 1")
    return {"values": values}


def _simulate(question: Question, truth: np.ndarray, rng: np.random.Generator) -> Answer:
    held = draw_belief(truth, rng)
    return {"values": {name: round(float(p), 2) for name, p in zip(question.classes, held, strict=True)}}


SLIDERS = QuestionKind(
    summary="a number from 0 to 1 for every class",
    gives="belief",
    prompt="How well does each word describe it?",
    script="sliders",
    fields={"values": "for every class a number from 0 to 1"},
    example={"values": {**{str(digit): 0.05 for digit in range(10)}, "3": 0.8, "8": 0.4}},
    check=_check,
    first=lambda answer: largest(answer["values"]),
    simulate=_simulate,
    attention=expects_class(HIGHEST, lambda answer, name: highest(answer["values"], name), _simulate),
    example_practice=ExampleTrial(("digit37",), "Many set 9 high and 5 somewhere in the middle."),
    example_attention=ExampleTrial(("digit185",), "0"),
    as_belief=lambda question, answer, about: BeliefRow(answer["values"]),
    options={
        "shuffle": SHUFFLE,
        "frame": FRAME,
        "left": Option("not at all", "the words at the low end"),
        "right": Option("completely", "the words at the high end"),
    },
    least_classes=2,
    row_per_class=True,
)
