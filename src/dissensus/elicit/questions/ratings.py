"""The questions "typicality" and "similarity": one number for an item or a pair."""

from __future__ import annotations

import numpy as np

from dissensus.elicit.questions.attention import EXPECTS_NUMBER
from dissensus.elicit.questions.question import Answer, BeliefRow, ExampleTrial, Option, Question, QuestionKind


def _check(question: Question, answer: Answer) -> Answer:
    value, low, high = answer["value"], question.options["low"], question.options["high"]
    if isinstance(value, bool) or not isinstance(value, int | float) or not low <= value <= high:
        raise ValueError(f"value is {value!r}; expected a number from {low:g} to {high:g}")
    if question.options["step"] == 1 and value != int(value):
        raise ValueError(f"value is {value!r}; expected a whole number from {low:g} to {high:g}")
    return answer


def _simulate(question: Question, truth: np.ndarray, rng: np.random.Generator) -> Answer:
    """Return the first entry of the truth as a share of the scale, with noise."""
    low, high, step = (question.options[name] for name in ("low", "high", "step"))
    value = np.clip(truth[0] + 0.1 * rng.standard_normal(), 0, 1) * (high - low) + low
    return {"value": round(value) if step == 1 else round(float(value), 2)}


def _typical(question: Question, answer: Answer, about: str) -> BeliefRow:
    """Rescale a rating to the probability of the class that the item is about, from 0 to 1."""
    low, high = question.options["low"], question.options["high"]
    return BeliefRow({about: (answer["value"] - low) / (high - low)})


def _scale(low: float, high: float, step: float, left: str, right: str) -> dict[str, Option]:
    return {
        "low": Option(low, "the lowest number", scale=True),
        "high": Option(high, "the highest number", scale=True),
        "step": Option(step, "1 for whole numbers only", scale=True),
        "left": Option(left, "label of the low end"),
        "right": Option(right, "label of the high end"),
    }


TYPICALITY = QuestionKind(
    summary="how typical an item is of its class",
    gives="rating",
    prompt="How typical is it of its class?",
    script="rating",
    fields={"value": "how typical, from low to high"},
    example={"value": 0.85},
    check=_check,
    first=lambda answer: answer["value"],
    simulate=_simulate,
    attention=EXPECTS_NUMBER,
    example_practice=ExampleTrial(("digit37",), "Most people find this a rather untypical nine."),
    example_attention=ExampleTrial(("digit185",), [0.5, 1]),
    as_belief=_typical,
    options=_scale(0, 1, 0.01, "not at all typical", "extremely typical"),
    about=True,
)

SIMILARITY = QuestionKind(
    summary="0 to 6 for a pair",
    gives="rating",
    prompt="How similar are these two?",
    script="rating",
    fields={"value": "how similar, from low to high"},
    example={"value": 4},
    check=_check,
    first=lambda answer: answer["value"],
    simulate=_simulate,
    attention=EXPECTS_NUMBER,
    example_practice=ExampleTrial(("digit37", "digit555"), "Most people find these two quite similar: 3 or 4."),
    example_attention=ExampleTrial(("digit185", "digit777"), [0, 2]),
    options=_scale(0, 6, 1, "completely dissimilar", "completely similar"),
    shows=2,
)
