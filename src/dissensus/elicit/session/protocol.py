"""The protocol of a session as rules without a database: the next page, the kind of trial, the order of items."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal, get_args

import numpy as np

from dissensus.elicit.survey.extra_trials import Attention
from dissensus.elicit.survey.settings import Protocol, Survey

TrialKind = Literal["main", "attention", "repeat", "practice"]
TRIAL_KINDS: tuple[TrialKind, ...] = get_args(TrialKind)
STAGES = ("consent", "instructions", "comprehension", "practice", "trials", "debrief", "done")
ENDS = ("done", "declined", "failed", "full")


@dataclass(frozen=True)
class Trial:
    """A trial that a person was given."""

    kind: TrialKind
    unit: int
    answered: bool


def first_stage(survey: Survey) -> str:
    return next(stage for stage in STAGES if _has(survey, stage))


def stage_after(survey: Survey, stage: str) -> str:
    """The next stage that this survey has."""
    return next(name for name in STAGES[STAGES.index(stage) + 1 :] if _has(survey, name))


def next_trial_kind(protocol: Protocol, given: Sequence[Trial], attention_items: int) -> TrialKind | None:
    """What kind of trial comes after those that were given; None at the end.

    After every `attention_every` main trials one attention check; after the last main trial the repeats.
    """
    kinds = [trial.kind for trial in given if trial.kind != "practice"]
    main = kinds.count("main")
    if attention_items and protocol.attention_every and main and main % protocol.attention_every == 0:
        checks_due = min(main // protocol.attention_every, attention_items)
        if kinds.count("attention") < checks_due:
            return "attention"
    if main < protocol.per_person:
        return "main"
    if kinds.count("repeat") < min(protocol.repeats, main):
        return "repeat"
    return None


def repeat_of(given: Sequence[Trial], seed: int) -> int:
    """The unit to ask again: one of the earlier half that was not repeated, the same for the same person."""
    main = [trial.unit for trial in given if trial.kind == "main"]
    repeated = [trial.unit for trial in given if trial.kind == "repeat"]
    early = main[: max((len(main) + 1) // 2, len(repeated) + 1)]
    left = [unit for unit in early if unit not in repeated]
    return left[int(np.random.default_rng([seed, 1, len(repeated)]).integers(len(left)))]


def attention_order(survey: Survey, seed: int) -> list[Attention]:
    """The attention checks in this person's own order."""
    return [survey.attention[i] for i in np.random.default_rng([seed, 2]).permutation(len(survey.attention))]


def class_order(survey: Survey, seed: int) -> tuple[str, ...]:
    """The classes as this person sees them in every trial: shuffled between persons, steady within one."""
    classes = survey.question.classes
    if not survey.question.options.get("shuffle", False):
        return classes
    return tuple(classes[i] for i in _order(seed, len(classes)))


@lru_cache(maxsize=10_000)
def _order(seed: int, classes: int) -> tuple[int, ...]:
    return tuple(np.random.default_rng([seed, 3]).permutation(classes).tolist())


def item_order(items: Sequence[str], in_place: int, seed: int, place: int) -> tuple[str, ...]:
    """The items in random order, but for the first `in_place`: a triplet's first is what others are compared with."""
    rest = items[in_place:]
    if len(rest) < 2:
        return tuple(items)
    order = np.random.default_rng([seed, 4, place]).permutation(len(rest))
    return (*items[:in_place], *(rest[i] for i in order))


def break_due(protocol: Protocol, given: Sequence[Trial]) -> int:
    """The number of the break that is due before the next trial, or 0: one after every `break_every` main answers."""
    main = sum(trial.kind == "main" and trial.answered for trial in given)
    if not protocol.break_every or not main or main % protocol.break_every or main >= protocol.per_person:
        return 0
    last = next((trial for trial in reversed(given) if trial.answered), None)
    return main // protocol.break_every if last is not None and last.kind in ("main", "attention") else 0


def passed(survey: Survey, chosen: Sequence[str]) -> bool:
    """Whether all comprehension questions were answered correctly."""
    return list(chosen) == [check.correct for check in survey.comprehension]


def _has(survey: Survey, stage: str) -> bool:
    return {
        "consent": bool(survey.protocol.consent),
        "instructions": bool(survey.protocol.instructions),
        "comprehension": bool(survey.comprehension),
        "practice": bool(survey.practice),
        "debrief": bool(survey.debrief or survey.protocol.debrief_text),
    }.get(stage, True)
