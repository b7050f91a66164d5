"""Every kind of question by the name that survey.toml gives it; a new kind is one entry here and one script."""

from __future__ import annotations

from typing import Any

from dissensus.elicit.questions.choose import CHOOSE
from dissensus.elicit.questions.parts import ALLOCATE, TOKENS
from dissensus.elicit.questions.question import Answer, Question, QuestionKind
from dissensus.elicit.questions.ratings import SIMILARITY, TYPICALITY
from dissensus.elicit.questions.sliders import SLIDERS
from dissensus.elicit.questions.top_two import TOP_TWO
from dissensus.elicit.questions.triplet import TRIPLET

QUESTIONS: dict[str, QuestionKind] = {
    "choose": CHOOSE,
    "top-two": TOP_TWO,
    "sliders": SLIDERS,
    "allocate": ALLOCATE,
    "tokens": TOKENS,
    "typicality": TYPICALITY,
    "similarity": SIMILARITY,
    "triplet": TRIPLET,
}


def check_answer(question: Question, answer: Any) -> Answer:
    """The answer with exactly the fields that its kind records; ValueError says which field is wrong and why."""
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


def find_replaced_words(question: Question) -> tuple[list[str], list[str]]:
    """The options that choose words, as `name = "value"`, and the texts of theirs that the survey's own replace."""
    kind = QUESTIONS[question.kind]
    wordings = {name: option.default for name, option in kind.options.items() if option.words}
    chosen = [name for name, default in wordings.items() if question.options[name] != default]
    says = kind.texts(question.options, {})
    usual = kind.texts({**question.options, **wordings}, {})
    texts = [name for name in question.own if name in says and says[name] != usual.get(name)]
    return [f'{name} = "{question.options[name]}"' for name in chosen], texts
