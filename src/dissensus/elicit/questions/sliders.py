"""The question "sliders": a number from 0 to 1 for every class, without a fixed sum."""

from __future__ import annotations

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


def _check(question: Question, answer: Answer) -> Answer:
    values = check_numbers("values", answer["values"], question.classes)
    untouched = [name for name in question.classes if name not in values]
    if untouched:
        raise ValueError(f"values has no number for {untouched[0]!r}; expected one for every class")
    high = [name for name, value in values.items() if value > 1]
    if high:
        raise ValueError(f"values gives {high[0]!r} {values[high[0]]:g}; expected a number from 0 to 1")
    return {"values": values}


def _simulate(question: Question, truth: np.ndarray, rng: np.random.Generator) -> Answer:
    belief = draw_belief(truth, rng)
    return {"values": {name: round(float(p), 2) for name, p in zip(question.classes, belief, strict=True)}}


SLIDERS = QuestionKind(
    summary="a number from 0 to 1 for every class",
    gives="belief",
    prompt="How well does each word describe it?",
    script="sliders",
    fields={"values": "a number from 0 to 1 by class"},
    example={"values": {**{str(digit): 0.05 for digit in range(10)}, "3": 0.8, "8": 0.4}},
    check=_check,
    first=lambda answer: largest(answer["values"]),
    simulate=_simulate,
    attention=expects_class(HIGHEST, lambda answer, name: is_highest(answer["values"], name), _simulate),
    example_practice=ExampleTrial(("digit37",), "Many people set 9 high and 5 in the middle."),
    example_attention=ExampleTrial(("digit185",), "0"),
    as_belief=lambda question, answer, about: BeliefRow(answer["values"]),
    options={
        "shuffle": SHUFFLE,
        "frame": FRAME,
        "left": Option("not at all", "label of the low end"),
        "right": Option("completely", "label of the high end"),
    },
    least_classes=2,
    row_per_class=True,
)
