"""The question "triplet": which of two items is closer to a third, a comparison."""

from __future__ import annotations

import numpy as np

from dissensus.elicit.questions.attention import EXPECTS_CLOSER
from dissensus.elicit.questions.question import Answer, ExampleTrial, Question, QuestionKind


def _check(question: Question, answer: Answer) -> Answer:
    if answer["closer"] not in ("first", "second"):
        raise ValueError(f"closer is {answer['closer']!r}; expected first or second")
    return answer


def _simulate(question: Question, truth: np.ndarray, rng: np.random.Generator) -> Answer:
    """Choose the first with the first probability of the truth."""
    return {"closer": "first" if rng.random() < truth[0] else "second"}


TRIPLET = QuestionKind(
    summary="which of two is closer to a third",
    gives="comparison",
    prompt="Which of the two is closer to the one above?",
    script="triplet",
    fields={"closer": "first or second, in the order shown"},
    example={"closer": "first"},
    check=_check,
    first=lambda answer: answer["closer"],
    simulate=_simulate,
    attention=EXPECTS_CLOSER,
    example_practice=ExampleTrial(
        ("digit37", "digit555", "digit74"), "People differ here: one is closer in shape, the other in meaning."
    ),
    example_attention=ExampleTrial(("digit185", "digit666", "digit777"), "digit666"),
    shows=3,
    in_place=1,
)
