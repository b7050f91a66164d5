"""What one trial asks, apart from what it shows: options, recorded fields, validation, and a simulated answer."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from dissensus.elicit.belief_questions import (
    check_allocation,
    check_sliders,
    check_tokens,
    check_top_two,
    simulate_allocation,
    simulate_sliders,
    simulate_tokens,
    simulate_top_two,
)

Answer = dict[str, Any]


@dataclass(frozen=True)
class Question:
    """A question of a survey.

    kind     a name in QUESTIONS
    prompt   what people read above the answer
    classes  the labels to choose from; empty for ratings, pairs and triplets
    options  the kind's own settings, all of them (defaults filled in)
    texts    what people read beyond the prompt
    """

    kind: str
    prompt: str
    classes: tuple[str, ...] = ()
    options: Mapping[str, Any] = field(default_factory=dict)
    texts: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Kind:
    """How a kind of question is asked, checked and simulated.

    shows     items in one trial: 1, or 2 for a pair, 3 for a triplet
    gives     what an answer is: a vote, a belief, a rating, or a comparison
    prompt    the wording where a survey has none of its own
    options   the settings it takes, with their defaults
    fields    the recorded fields of an answer, with their meaning
    check     (question, answer) -> the answer with exactly these fields, or ValueError
    simulate  (question, truth (k,), rng) -> an answer of somebody whose view follows the truth
    """

    shows: int
    gives: str
    prompt: str
    options: Mapping[str, Any]
    fields: Mapping[str, str]
    check: Callable[[Question, Answer], Answer]
    simulate: Callable[[Question, np.ndarray, np.random.Generator], Answer]

    @property
    def needs_classes(self) -> bool:
        return self.gives in ("vote", "belief")


def check_answer(question: Question, answer: Any) -> Answer:
    """The answer with exactly the fields its kind records; ValueError says which field is wrong and why."""
    if not isinstance(answer, dict):
        raise ValueError(f"an answer is an object of fields, not {type(answer).__name__}")
    kind = QUESTIONS[question.kind]
    unknown = sorted(set(answer) - set(kind.fields))
    missing = sorted(set(kind.fields) - set(answer))
    if unknown or missing:
        raise ValueError(
            f"a {question.kind} answer has the fields {sorted(kind.fields)}; missing {missing}, unknown {unknown}"
        )
    checked = kind.check(question, answer)
    return {name: checked[name] for name in kind.fields}


def _check_choose(question: Question, answer: Answer) -> Answer:
    choice = answer["choice"]
    if choice not in question.classes:
        raise ValueError(f"choice {choice!r} is not one of the {len(question.classes)} classes")
    return {"choice": choice}


def _simulate_choose(question: Question, truth: np.ndarray, rng: np.random.Generator) -> Answer:
    return {"choice": question.classes[int(rng.choice(truth.size, p=truth))]}


def _check_rating(question: Question, answer: Answer) -> Answer:
    value, low, high = answer["value"], question.options["low"], question.options["high"]
    if isinstance(value, bool) or not isinstance(value, int | float) or not low <= value <= high:
        raise ValueError(f"value {value!r} is not a number from {low:g} to {high:g}")
    if question.options["step"] == 1 and value != int(value):
        raise ValueError(f"value {value!r} is not a whole number from {low:g} to {high:g}")
    return {"value": value}


def _simulate_rating(question: Question, truth: np.ndarray, rng: np.random.Generator) -> Answer:
    """The truth's first entry, as a share of the scale, with some noise."""
    low, high, step = (question.options[name] for name in ("low", "high", "step"))
    value = np.clip(truth[0] + 0.1 * rng.standard_normal(), 0, 1) * (high - low) + low
    return {"value": round(value) if step == 1 else round(float(value), 2)}


def _check_triplet(question: Question, answer: Answer) -> Answer:
    if answer["closer"] not in ("first", "second"):
        raise ValueError(f"closer is {answer['closer']!r}; expected first or second")
    return {"closer": answer["closer"]}


def _simulate_triplet(question: Question, truth: np.ndarray, rng: np.random.Generator) -> Answer:
    """The first with the probability that the truth gives it."""
    return {"closer": "first" if rng.random() < truth[0] else "second"}


QUESTIONS: dict[str, Kind] = {
    "choose": Kind(
        1, "vote", "What is it?",
        {"layout": "around", "shuffle": True, "frame": "own"},
        {"choice": "the chosen class"},
        _check_choose, _simulate_choose,
    ),
    "top-two": Kind(
        1, "belief", "What is it, and how sure are you?",
        {"layout": "compact", "shuffle": True, "frame": "own", "wording": "plain", "second": True, "ruling_out": True},
        {"first": "the most probable class", "first_percent": "its probability, 0 to 100",
         "second": "the second most probable class, or null", "second_percent": "its probability, or null",
         "ruled_out": "the classes that it is definitely not"},
        check_top_two, simulate_top_two,
    ),
    "sliders": Kind(
        1, "belief", "How well does each word describe it?",
        {"shuffle": True, "frame": "own", "left": "not at all", "right": "completely"},
        {"values": "for every class a number from 0 to 1"},
        check_sliders, simulate_sliders,
    ),
    "allocate": Kind(
        1, "belief", "Share 100 percent among the classes.",
        {"shuffle": True, "frame": "own"},
        {"percents": "for each class with any, whole percents that sum to 100"},
        check_allocation, simulate_allocation,
    ),
    "tokens": Kind(
        1, "belief", "Place the tokens where you think they belong.",
        {"shuffle": True, "frame": "own", "tokens": 20},
        {"tokens": "for each class with any, how many; together all of them"},
        check_tokens, simulate_tokens,
    ),
    "typicality": Kind(
        1, "rating", "How typical is it of its class?",
        {"low": 0, "high": 1, "step": 0.01, "left": "not at all typical", "right": "extremely typical"},
        {"value": "how typical, from low to high"},
        _check_rating, _simulate_rating,
    ),
    "similarity": Kind(
        2, "rating", "How similar are these two?",
        {"low": 0, "high": 6, "step": 1, "left": "completely dissimilar", "right": "completely similar"},
        {"value": "how similar, from low to high"},
        _check_rating, _simulate_rating,
    ),
    "triplet": Kind(
        3, "comparison", "Which of the two is closer to the one above?",
        {},
        {"closer": "first or second, in the order shown"},
        _check_triplet, _simulate_triplet,
    ),
}  # fmt: skip
