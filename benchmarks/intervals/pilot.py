"""Pilots of a few people: seconds, cost in hard labels, error rates, what labels tell, and losses.

People differ in speed, in how much slower soft labels make them, and in how often they are wrong. The truth is about
people like them: the geometric mean of people's median seconds, the mean person's share of wrong comparisons. Between
several intervals was chosen on seed 0; recorded tables use seeds from 1000 on.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import partial

import numpy as np

from benchmarks.intervals.case import Case
from dissensus.labels.intervals import Interval
from dissensus.plan.pilot import PilotAnswers, rank_options
from dissensus.plan.tradeoff import Preferences

N, K = 80, 20
HARD, SOFT = 2.0, 20.0  # seconds, geometric mean over people
PEOPLE = (1, 2, 4, 8, 20)


@dataclass(frozen=True)
class World:
    """How people differ.

    answers  of each kind by each person
    pace     standard deviation of people's ln seconds, shared by both kinds
    habit    of what soft labels add to it, from person to person
    noise    of the ln seconds of one person's answers
    wrong    mean share of wrong hard labels; soft labels have half of it in each answer's comparisons
    alike    how alike people are in that: a person's share is Beta(alike wrong, alike (1 - wrong))
    skewed   some people are much slower than others, exponential in ln seconds, in place of a bell
    """

    answers: int = 12
    pace: float = 0.5
    habit: float = 0.2
    noise: float = 0.4
    wrong: float = 0.1
    alike: float = 20.0
    skewed: bool = False


WORLDS = {
    "12 answers each": World(),
    "3 answers each": World(answers=3),
    "30 answers each, 2% wrong": World(answers=30, wrong=0.02),
    "people alike": World(pace=0.05, habit=0.02, alike=1e6),
    "skewed paces": World(skewed=True),
    "careless few": World(alike=2.0),
}


def cases() -> Iterator[Case]:
    for people in PEOPLE:
        for name, world in WORLDS.items():
            truth = _truth(world)
            yield Case(
                "pilot",
                f"{people} {'person' if people == 1 else 'people'}, {name}",
                truth,
                partial(_drawn, world, people),
            )


def _truth(world: World) -> dict[str, float]:
    measured = {
        "hard": PilotAnswers("hard", 1, np.full(2, HARD), np.full(2, world.wrong)),
        "soft": PilotAnswers("soft", 1, np.full(2, SOFT), np.full(2, world.wrong / 2)),
    }
    options = rank_options(list(measured.values()), N, K, Preferences(), np.random.default_rng(0), replicates=2)
    return {name: interval.value for name, interval in _intervals_by_name(options).items()}


def _drawn(world: World, people: int, rng: np.random.Generator) -> Mapping[str, Interval]:
    tried = drawn_pilot(world, people, rng)
    return _intervals_by_name(rank_options(tried, N, K, Preferences(), rng, replicates=1000))


def drawn_pilot(world: World, people: int, rng: np.random.Generator) -> list[PilotAnswers]:
    """The answers of people from this world: hard labels right or wrong, soft ones wrong in some comparisons."""
    m = people * world.answers
    who = np.repeat(np.arange(people), world.answers)
    pace = rng.exponential(size=people) - 1 if world.skewed else rng.standard_normal(people)
    habit = rng.normal(0, world.habit, people)
    rate = rng.beta(world.alike * world.wrong, world.alike * (1 - world.wrong), people)[who]
    hard = HARD * np.exp(world.pace * pace[who] + world.noise * rng.standard_normal(m))
    soft = SOFT * np.exp((world.pace * pace + habit)[who] + world.noise * rng.standard_normal(m))
    return [
        PilotAnswers("hard", 1, hard, (rng.random(m) < rate).astype(float), who),
        PilotAnswers("soft", 1, soft, rng.binomial(K - 1, rate / 2) / (K - 1), who),
    ]


def _intervals_by_name(options: list) -> dict[str, Interval]:
    by_kind = {option.kind: option for option in options}
    hard, soft = by_kind["hard"], by_kind["soft"]
    return {
        "seconds, hard": hard.seconds,
        "seconds, soft": soft.seconds,
        "cost in hard labels": soft.each,
        "errors, hard": hard.flip_rate,
        "errors, soft": soft.flip_rate,
        "loss, hard": hard.loss,
        "loss, soft": soft.loss,
    }
