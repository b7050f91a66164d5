"""The question "choose": one class, a vote."""

from __future__ import annotations

import numpy as np

from dissensus.elicit.questions.attention import expects_class
from dissensus.elicit.questions.question import FRAME, SHUFFLE, Answer, ExampleTrial, Option, Question, QuestionKind
from dissensus.labels.refusals import one_of


def _check(question: Question, answer: Answer) -> Answer:
    one_of("class", answer["choice"], question.classes, place="choice")
    return answer


def _simulate(question: Question, truth: np.ndarray, rng: np.random.Generator) -> Answer:
    return {"choice": question.classes[int(rng.choice(truth.size, p=truth))]}


CHOOSE = QuestionKind(
    summary="a class",
    gives="vote",
    prompt="What is it?",
    script="choose",
    fields={"choice": "the chosen class"},
    example={"choice": "3"},
    check=_check,
    first=lambda answer: answer["choice"],
    simulate=_simulate,
    attention=expects_class("the class", lambda answer, name: bool(answer["choice"] == name), _simulate),
    example_practice=ExampleTrial(("digit37",), "Most people see a nine, some see a five."),
    example_attention=ExampleTrial(("digit185",), "0"),
    options={
        "layout": Option("around", "around the picture; list; search (for many classes)", ("around", "list", "search")),
        "shuffle": SHUFFLE,
        "frame": FRAME,
    },
    least_classes=2,
    searchable=True,
)
