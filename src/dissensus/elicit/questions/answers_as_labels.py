"""Conversion of answers to votes or beliefs."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

import numpy as np

from dissensus.elicit.questions.question import Answer, BeliefRow, Question
from dissensus.elicit.questions.question_kinds import QUESTIONS
from dissensus.labels.beliefs import Beliefs
from dissensus.labels.names import positions_of
from dissensus.labels.refusals import one_of
from dissensus.labels.votes import Votes


def labels_from(
    question: Question, answers: Sequence[Answer], about: Sequence[str], classes: tuple[str, ...], **given: Any
) -> Votes | Beliefs:
    """Convert answers to votes or beliefs, depending on the question.

    answers  m answers as stored
    about    m classes that the items are about; empty strings if the question does not ask about a class
    classes  the classes of the labels: those of the question, or those that items are about
    given    the other columns of Votes and Beliefs: item, items, annotator, annotators, seconds
    """
    kind = QUESTIONS[question.kind]
    if kind.gives == "vote":
        chosen = class_codes([kind.first(answer) for answer in answers], classes)
        return Votes(**given, classes=classes, choice=chosen)
    assert kind.as_belief is not None, f"{question.kind} answers are not labels of items"
    rows = [kind.as_belief(question, answer, name) for answer, name in zip(answers, about, strict=True)]
    return Beliefs(**given, classes=classes, **_arrays(rows, classes))


def _arrays(rows: Sequence[BeliefRow], classes: tuple[str, ...]) -> dict[str, np.ndarray]:
    """stated (m, k), ruled_out (m, k), named (m, r)"""
    stated = np.full((len(rows), len(classes)), np.nan)
    stated[_cells([row.probabilities for row in rows], classes)] = [
        probability for row in rows for probability in row.probabilities.values()
    ]
    ruled_out = np.zeros(stated.shape, dtype=bool)
    ruled_out[_cells([row.ruled_out for row in rows], classes)] = True
    named = np.full((len(rows), len(rows[0].named) if rows else 0), -1, dtype=np.int32)
    for place in range(named.shape[1]):
        filled = [i for i, row in enumerate(rows) if row.named[place] is not None]
        named[filled, place] = class_codes([rows[i].named[place] for i in filled], classes)
    return {"stated": stated, "ruled_out": ruled_out, "named": named}


def _cells(rows: Sequence[Collection[str]], classes: tuple[str, ...]) -> tuple[np.ndarray, np.ndarray]:
    """The row and column of every class that a row names."""
    row = np.repeat(np.arange(len(rows)), [len(names) for names in rows])
    return row, class_codes([name for names in rows for name in names], classes)


def class_codes(names: Sequence[Any], classes: tuple[str, ...]) -> np.ndarray:
    """Return the index of each name among the classes.  (r,)"""
    distinct = list(dict.fromkeys(names))  # few, even for many answers
    code = dict(zip(distinct, positions_of(distinct, classes).tolist(), strict=True))
    missing = next((name for name in distinct if code[name] < 0), None)
    if missing is not None:
        one_of("class", missing, classes, place="an answer")
    return np.fromiter((code[name] for name in names), dtype=np.int64, count=len(names))
