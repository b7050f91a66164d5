"""Every kind of question by its name in survey.toml; a new kind is one entry here and one script."""

from __future__ import annotations

from typing import Any

from dissensus.elicit.questions.choose import CHOOSE
from dissensus.elicit.questions.parts import ALLOCATE, TOKENS
from dissensus.elicit.questions.question import Answer, Question, QuestionKind
from dissensus.elicit.questions.ratings import SIMILARITY, TYPICALITY
from dissensus.elicit.questions.sliders import SLIDERS
from dissensus.elicit.questions.top_two import TOP_TWO
from dissensus.elicit.questions.triplet import TRIPLET

# The kinds of question by name. Each entry defines the options, checks, labels and simulation of its kind.
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
    """Check an answer and return exactly the fields that its kind records; ValueError names the wrong field."""
    if not isinstance(answer, dict):
        raise ValueError(f"the answer is {type(answer).__name__}; expected an object of fields")
    kind = QUESTIONS[question.kind]
    unknown = sorted(set(answer) - set(kind.fields))
    missing = sorted(set(kind.fields) - set(answer))
    if unknown or missing:
        raise ValueError(
            f"missing {missing}, unknown {unknown}; expected the fields {sorted(kind.fields)} for {question.kind}"
        )
    checked = kind.check(question, answer)
    return {name: checked[name] for name in kind.fields}


def find_replaced_words(question: Question) -> tuple[list[str], list[str]]:
    """Return the options that select texts, as `name = "value"`, and which of these texts survey.toml replaces."""
    kind = QUESTIONS[question.kind]
    wordings = {name: option.default for name, option in kind.options.items() if option.words}
    chosen = [name for name, default in wordings.items() if question.options[name] != default]
    selected = kind.texts(question.options, {})
    default = kind.texts({**question.options, **wordings}, {})
    texts = [name for name in question.own if name in selected and selected[name] != default.get(name)]
    return [f'{name} = "{question.options[name]}"' for name in chosen], texts
