"""What a question is, and what a kind of question brings: how it is asked, checked, understood and simulated."""

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
    prompt   what people read above the answer
    classes  the labels to choose from; empty for ratings, pairs and triplets
    options  the kind's own settings, all of them (defaults filled in)
    texts    what people read beyond the prompt
    own      the texts that the survey words itself, `prompt` among them
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

    default  what holds where survey.toml says nothing; it also gives the type
    meaning  the comment beside it in a new survey.toml
    choices  the values that are allowed; empty where every value of that type is
    scale    whether it says what the numbers of an answer mean, so that it cannot change once there are answers
    words    whether it chooses what people read, which a survey's own words would replace
    """

    default: Any
    meaning: str
    choices: tuple[str, ...] = ()
    scale: bool = False
    words: bool = False


SHUFFLE = Option(True, "each person sees the classes in a random order of their own")
FRAME = Option(
    "own", "own: what the person thinks; crowd: what 100 other people would say", ("own", "crowd"), words=True
)


class BeliefRow(NamedTuple):
    """What an answer says about classes: a row of Beliefs.

    probabilities  by class, only those that were stated
    named          the classes that were named, the most probable first; as many places in every answer, None for empty
    ruled_out      the classes that it is definitely not
    """

    probabilities: Mapping[str, float]
    named: tuple[str | None, ...] = ()
    ruled_out: tuple[str, ...] = ()


@dataclass(frozen=True)
class AttentionRule:
    """What an attention check of a kind expects, and when an answer passes it.

    meaning  what the check gives as its `answer`, in a few words
    check    (where, question, items, what survey.toml gives) -> what is expected; ValueError names the value at `where`
    passes   (question, what is expected, answer, items as shown) -> whether the answer passes
    obvious  (question, what is expected, items as shown) -> an answer that passes
    """

    meaning: str
    check: Callable[[str, Question, Sequence[str], Any], Any]
    passes: Callable[[Question, Any, Answer, Sequence[str]], bool]
    obvious: Callable[[Question, Any, Sequence[str]], Answer]


class ExampleTrial(NamedTuple):
    """Items of the survey that `dissensus elicit init` makes, with what is said or expected of them."""

    items: tuple[str, ...]
    reply: Any


@dataclass(frozen=True)
class QuestionKind:
    """A kind of question: everything that the app knows about it.

    summary        what one answer is, in a few words
    gives          what an answer is: a vote, a belief, or else a rating or a comparison, which are not pooled
    prompt         the wording where a survey has none of its own
    script         its script in pages/static/questions, without the ending; trial.js says what a script has to do
    fields         the recorded fields of an answer, with their meaning
    example        an answer to the survey that `dissensus elicit init` makes, whose classes are the digits 0 to 9
    attention      what its attention checks expect, and when an answer passes
    example_practice    items of that survey to practise on, and the feedback
    example_attention   items of that survey whose answer is obvious, and what is expected
    check          (question, answer with exactly these fields) -> the answer as it is stored, or ValueError
    first          (answer) -> the class that it puts first, or its value
    simulate       (question, truth (k,), rng) -> an answer of somebody whose view follows the truth;
                   k is the number of classes, or 2 without classes
    as_belief      (question, answer, class that the item is about) -> its row of Beliefs; None where answers are votes,
                   or say nothing about classes
    options        the settings it takes
    shows          items in one trial: 1, or 2 for a pair, 3 for a triplet
    in_place       how many of them, from the first, are asked about by their place, as the first of a triplet or both
                   of "is the second better than the first?"; the others are shown in random order, and units that
                   differ only in the order of these are one unit
    least_classes  how many classes a survey has to name at least; 0 where it need not name any
    about          whether each item names a class that it is about, in the column class of the items
    row_per_class  whether every class takes a row of the page, which gets long with many of them
    searchable     whether its page finds classes by typing, which suits many of them
    texts          (options, the survey's own texts) -> what people read beyond the prompt
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
        assert self.gives not in ("vote", "belief") or self.least_classes >= 2, "votes and beliefs are about classes"
        assert self.gives != "belief" or self.as_belief is not None, "a belief has to be stated"
        assert self.in_place <= self.shows, "what is in place is shown"
        assert self.example.keys() == self.fields.keys(), "the example has the recorded fields"
        assert len(self.example_practice.items) == len(self.example_attention.items) == self.shows, (
            "they are shown as a trial is"
        )

    @property
    def needs_classes(self) -> bool:
        return self.least_classes > 0

    @property
    def labels_items(self) -> bool:
        """Whether its answers are labels of items."""
        return self.gives == "vote" or self.as_belief is not None

    @property
    def pools(self) -> bool:
        """Whether the answers about an item can be pooled to one distribution over the classes."""
        return self.gives in ("vote", "belief")

    @property
    def defaults(self) -> dict[str, Any]:
        return {name: option.default for name, option in self.options.items()}
