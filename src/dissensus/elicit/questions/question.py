"""The values that define a question: the question of a survey, and the kinds of question with their checks."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

import numpy as np

from dissensus.elicit.questions.wording import intro_texts

Answer = dict[str, Any]
Gives = Literal["vote", "belief", "rating", "comparison"]


@dataclass(frozen=True)
class Question:
    """The question of a survey.

    kind     a name in QUESTIONS
    prompt   the text above the answer
    classes  the classes to choose from; empty for ratings, pairs and triplets
    options  all options of the kind, with defaults filled in
    texts    texts beyond the prompt
    own      names of the texts that survey.toml sets itself, which may include `prompt`
    """

    kind: str
    prompt: str
    classes: tuple[str, ...] = ()
    options: Mapping[str, Any] = field(default_factory=dict)
    texts: Mapping[str, str] = field(default_factory=dict)
    own: tuple[str, ...] = ()


@dataclass(frozen=True)
class Option:
    """A setting of a kind of question.

    default  the default value, which also sets the type
    meaning  its comment in a new survey.toml
    choices  the allowed values; empty if any value of the type is allowed
    scale    whether it sets the scale of answers, so that it cannot change once there are answers
    words    whether it selects texts, which texts in survey.toml would replace
    """

    default: Any
    meaning: str
    choices: tuple[str, ...] = ()
    scale: bool = False
    words: bool = False


SHUFFLE = Option(True, "show the classes in a random order, different for each person")
FRAME = Option(
    "own", "own: the person's own answer; crowd: what 100 other people would say", ("own", "crowd"), words=True
)


class BeliefRow(NamedTuple):
    """An answer as a row of Beliefs.

    probabilities  the stated probabilities by class
    named          the named classes, most probable first, with None for empty places
    ruled_out      the classes ruled out
    """

    probabilities: Mapping[str, float]
    named: tuple[str | None, ...] = ()
    ruled_out: tuple[str, ...] = ()


@dataclass(frozen=True)
class AttentionRule:
    """The attention checks of a kind of question.

    meaning  the meaning of `answer` in [[attention]], in a few words
    check    (where, question, items, value in survey.toml) -> the expected answer, or ValueError that names `where`
    passes   (question, expected, answer, items as shown) -> whether the answer passes
    obvious  (question, expected, items as shown) -> an answer that passes
    """

    meaning: str
    check: Callable[[str, Question, Sequence[str], Any], Any]
    passes: Callable[[Question, Any, Answer, Sequence[str]], bool]
    obvious: Callable[[Question, Any, Sequence[str]], Answer]


class ExampleTrial(NamedTuple):
    """Items of the survey that `make_survey` creates, with the feedback (practice) or expected answer (attention)."""

    items: tuple[str, ...]
    reply: Any


@dataclass(frozen=True)
class QuestionKind:
    """A kind of question: everything that the app knows about it.

    summary        an answer, in a few words
    gives          the type of an answer: a vote or a belief, or a rating or a comparison, which are not pooled
    prompt         the default prompt
    script         its script in pages/static/questions, without the extension; trial.js documents the interface
    fields         the recorded fields of an answer, with their meaning
    example        an answer to the survey that `make_survey` creates, whose classes are the digits 0 to 9
    attention      its attention checks
    example_practice    items of that survey for practice, with the feedback
    example_attention   items of that survey for an attention check, with the expected answer
    check          (question, answer with exactly these fields) -> the answer to store, or ValueError
    first          (answer) -> its first choice, or its value
    simulate       (question, truth (k,), rng) -> an answer of an annotator who follows the truth;
                   k is the number of classes, or 2 without classes
    as_belief      (question, answer, class that the item is about) -> its row of Beliefs; None if answers are votes
                   or do not concern classes
    options        its options
    shows          items per trial: 1, or 2 for a pair, 3 for a triplet
    in_place       number of items, from the first, that keep their place, such as the first of a triplet; the others
                   are shuffled, and units that differ only in their order are the same unit
    least_classes  minimum number of classes; 0 if it needs none
    about          whether each item names a class that it is about, in the column class of the items
    row_per_class  whether every class takes a row of the page, which gets long with many classes
    searchable     whether people can find classes by typing, which suits many classes
    texts          (options, texts of survey.toml) -> the texts beyond the prompt
    """

    summary: str
    gives: Gives
    prompt: str
    script: str
    fields: Mapping[str, str]
    example: Answer
    check: Callable[[Question, Answer], Answer]
    first: Callable[[Answer], Any]
    simulate: Callable[[Question, np.ndarray, np.random.Generator], Answer]
    attention: AttentionRule
    example_practice: ExampleTrial
    example_attention: ExampleTrial
    as_belief: Callable[[Question, Answer, str], BeliefRow] | None = None
    options: Mapping[str, Option] = field(default_factory=dict)
    shows: int = 1
    in_place: int = 0
    least_classes: int = 0
    about: bool = False
    row_per_class: bool = False
    searchable: bool = False
    texts: Callable[[Mapping[str, Any], Mapping[str, Any]], dict[str, str]] = intro_texts

    def __post_init__(self) -> None:
        assert self.gives not in ("vote", "belief") or self.least_classes >= 2, "votes and beliefs need classes"
        assert self.gives != "belief" or self.as_belief is not None, "beliefs need as_belief"
        assert self.in_place <= self.shows, "in_place exceeds shows"
        assert self.example.keys() == self.fields.keys(), "the example must have the recorded fields"
        assert len(self.example_practice.items) == len(self.example_attention.items) == self.shows, (
            "the example trials must show as many items as a trial"
        )

    @property
    def needs_classes(self) -> bool:
        return self.least_classes > 0

    @property
    def labels_items(self) -> bool:
        """Whether answers are labels of items."""
        return self.gives == "vote" or self.as_belief is not None

    @property
    def pools(self) -> bool:
        """Whether the answers to an item can be pooled to a distribution over the classes."""
        return self.gives in ("vote", "belief")

    @property
    def defaults(self) -> dict[str, Any]:
        return {name: option.default for name, option in self.options.items()}
