"""The question "top-two": one or two classes with percentages, and classes ruled out (Collins 2022)."""

from __future__ import annotations

import numpy as np

from dissensus.elicit.questions.attention import expects_class
from dissensus.elicit.questions.class_numbers import check_classes, check_percent, draw_belief
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
from dissensus.elicit.questions.wording import WORDINGS, top_two_texts
from dissensus.labels.refusals import one_of


def _check(question: Question, answer: Answer) -> Answer:
    """Check the first class with its percent, an optional second, and the classes ruled out (Collins 2022, sec. 4)."""
    first, second = answer["first"], answer["second"]
    one_of("class", first, question.classes, place="first")
    check_percent("first_percent", answer["first_percent"])
    if second is None:
        if answer["second_percent"] is not None:
            raise ValueError("second_percent is given without a second class")
    else:
        if not question.options["second"]:
            raise ValueError(f"second is {second!r}, but this question asks for one class")
        one_of("class", second, question.classes, place="second")
        if second == first:
            raise ValueError(f"second is {second!r}, which is also the first class; expected another one")
        check_percent("second_percent", answer["second_percent"])
    ruled_out = check_classes("ruled_out", answer["ruled_out"], question.classes)
    if ruled_out and not question.options["ruling_out"]:
        raise ValueError(f"ruled_out is {ruled_out}, but in this question no class can be ruled out")
    used = sorted(set(ruled_out) & {first, second})
    if used:
        raise ValueError(f"ruled_out has {used[0]!r}, which is also the first or second class")
    return {**answer, "ruled_out": ruled_out}


def _as_belief(question: Question, answer: Answer, about: str) -> BeliefRow:
    named = {answer[role]: answer[f"{role}_percent"] / 100 for role in ("first", "second") if answer[role] is not None}
    return BeliefRow(named, (answer["first"], answer["second"]), tuple(answer["ruled_out"]))


def _simulate(question: Question, truth: np.ndarray, rng: np.random.Generator) -> Answer:
    belief = draw_belief(truth, rng)
    order = np.argsort(-belief, kind="stable")
    percent = np.rint(100 * belief).astype(int)
    two = question.options["second"] and truth.size > 1 and percent[order[1]] > 0
    out = [question.classes[j] for j in order[2 if two else 1 :] if belief[j] < 0.01]
    second, second_percent = (question.classes[order[1]], int(percent[order[1]])) if two else (None, None)
    return {
        "first": question.classes[order[0]],
        "first_percent": int(percent[order[0]]),
        "second": second,
        "second_percent": second_percent,
        "ruled_out": out if question.options["ruling_out"] else [],
    }


TOP_TWO = QuestionKind(
    summary="one or two classes with percentages, and classes ruled out",
    gives="belief",
    prompt="What is it, and how sure are you?",
    script="top_two",
    fields={
        "first": "the most probable class",
        "first_percent": "its probability, 0 to 100",
        "second": "the second most probable class, or null",
        "second_percent": "its probability, or null",
        "ruled_out": "the classes ruled out",
    },
    example={"first": "3", "first_percent": 70, "second": "8", "second_percent": 20, "ruled_out": ["1", "7"]},
    check=_check,
    first=lambda answer: answer["first"],
    simulate=_simulate,
    attention=expects_class(
        "the class that must come first", lambda answer, name: bool(answer["first"] == name), _simulate
    ),
    example_practice=ExampleTrial(
        ("digit37",), "Many people answer: nine 70 percent, five 20 percent. Other answers are fine too."
    ),
    example_attention=ExampleTrial(("digit185",), "0"),
    as_belief=_as_belief,
    options={
        "layout": Option(
            "compact", "compact; search (for many classes); form (as in Collins 2022)", ("compact", "search", "form")
        ),
        "shuffle": SHUFFLE,
        "frame": FRAME,
        "wording": Option(
            "plain",
            "plain; collins (the questions of Collins 2022, reworded); your own: [question.texts]",
            WORDINGS,
            words=True,
        ),
        "second": Option(True, "allow a second class"),
        "ruling_out": Option(True, "allow ruling out classes"),
    },
    least_classes=2,
    searchable=True,
    texts=top_two_texts,
)
