"""Which of two items is closer to a third: a comparison."""

from __future__ import annotations

import numpy as np

from dissensus.elicit.questions.question import Answer, Question, QuestionKind


def _check(question: Question, answer: Answer) -> Answer:
    if answer["closer"] not in ("first", "second"):
        raise ValueError(f"closer is {answer['closer']!r}; expected first or second")
    return answer


def _simulate(question: Question, truth: np.ndarray, rng: np.random.Generator) -> Answer:
    """The first with the probability that the truth gives it."""
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
    shows=3,
    in_place=1,
)
