"""Appendix A run as a pilot: estimate what each kind of label is worth, try a few, update, pick."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from dissensus.datasets.catalogue import load
from dissensus.labels.beliefs import Beliefs
from dissensus.labels.distributions import Distributions
from dissensus.labels.sampling import evenly_spaced
from dissensus.labels.votes import Votes
from dissensus.papers.paper import Scale, Tell
from dissensus.plan.error_rates import ErrorRates
from dissensus.plan.label_kinds import LabelKind
from dissensus.plan.pilot import PilotAnswers, PilotOption, rank_options, wrong_comparisons
from dissensus.plan.tradeoff import Costs, Preferences
from dissensus.plan.utilities import UTILITIES

IMAGES = 100  # of the real pilot
PEOPLE = 10  # votes for each of them
HARD_SECONDS = 1.8  # the median of CIFAR-10H on the images of CIFAR-10S, as Collins 2022 prints it
OPTIONS: tuple[tuple[LabelKind, int], ...] = (("hard", 1), ("sparse", 2), ("sparse", 4), ("soft", 10))
CLASSES = 10
BETA = 0.3
ANSWERS, CROWD = 40, 8  # of each kind in a simulated pilot, and how many people give them
WORLDS: dict[Scale, int] = {"quick": 40, "laptop": 400, "overnight": 400, "full": 2_000}


def guidance(scale: Scale, folder: Path, needs: Mapping[str, Path], tell: Tell) -> dict[str, Any]:
    """A pilot on real answers, and pilots in worlds whose costs and errors are known."""
    real = real_pilot()
    tell(0.3)
    worlds = [world(np.random.default_rng([2023, number])) for number in range(WORLDS[scale])]
    return {"real": real, "worlds": worlds}


def real_pilot() -> dict[str, Any]:
    """Votes of CIFAR-10H and beliefs of CIFAR-10S about the same images, held against the other votes on them."""
    votes, stated = load("cifar10h-annotators").labels, load("cifar10s").labels
    assert isinstance(votes, Votes) and isinstance(stated, Beliefs)
    some = evenly_spaced(stated.n_items, IMAGES)
    told = stated.select(items=some)
    chosen = votes.select(items=stated.items[some].astype(np.int64))
    tried = chosen.select(answers=_first_answers(chosen, PEOPLE))
    left = chosen.counts() - tried.counts() + 1e-9  # (n, k), of those who were not in the pilot
    others = Distributions.from_mass(left, items=chosen.items, classes=chosen.classes)
    assert tried.annotator is not None and told.annotator is not None and told.seconds is not None
    timed = np.isfinite(told.seconds) & (told.seconds > 0)
    wrong = {"hard": wrong_comparisons(tried, others), "sparse": wrong_comparisons(told, others)}
    answers = [
        PilotAnswers("hard", 1, np.full(tried.choice.size, HARD_SECONDS), wrong["hard"], tried.annotator),
        PilotAnswers("sparse", 2, told.seconds[timed], wrong["sparse"][timed], told.annotator[timed]),
    ]
    ranked = rank_options(answers, 10_000, CLASSES, Preferences(beta=BETA), np.random.default_rng(0))
    return {"images": IMAGES, "options": [_as_json(option) for option in ranked]}


def world(rng: np.random.Generator) -> dict[str, Any]:
    """One data set whose labels cost and err as drawn: what a pilot picks, and what one would pick without it."""
    n, utility = int(rng.choice([50, 200, 1_000])), str(rng.choice(list(UTILITIES)))
    seconds = 2.0 * np.array([1.0, *np.sort(rng.uniform(1.0, 10.0, len(OPTIONS) - 1))])
    wrong = rng.uniform(0.0, 0.4, len(OPTIONS))
    assumed = Preferences(utility=utility, beta=BETA)
    true = Preferences(
        utility=utility,
        beta=BETA,
        costs=Costs(hard=seconds[0], ratio=seconds[-1] / seconds[0], partial=_partial(seconds)),
        errors=ErrorRates(hard=wrong[0], soft=wrong[-1], partial=_partial(wrong)),
    )
    losses = {name: _losses(preferences, n) for name, preferences in (("assumed", assumed), ("true", true))}
    answers = [_simulate_pilot(kind, k_hat, seconds[i], wrong[i], rng) for i, (kind, k_hat) in enumerate(OPTIONS)]
    ranked = rank_options(answers, n, CLASSES, assumed, rng, replicates=50)
    after = OPTIONS.index((ranked[0].kind, ranked[0].k_hat))
    before = int(np.argmin(losses["assumed"]))
    lowest = float(losses["true"].min())
    return {
        "n": n,
        "utility": utility,
        "before": float(losses["true"][before] - lowest),
        "after": float(losses["true"][after] - lowest),
    }


def _losses(preferences: Preferences, n: int) -> np.ndarray:
    return np.array([float(preferences.loss(kind, n, CLASSES, k_hat)) for kind, k_hat in OPTIONS])


def _partial(values: np.ndarray) -> Any:
    return tuple((kind, k_hat, float(values[i])) for i, (kind, k_hat) in enumerate(OPTIONS) if kind == "sparse")


def _simulate_pilot(
    kind: LabelKind, k_hat: int, seconds: float, wrong: float, rng: np.random.Generator
) -> PilotAnswers:
    """Answers of people who differ in pace, each with the share of its comparisons that came out wrong."""
    person = np.arange(ANSWERS) % CROWD
    pace = np.exp(rng.normal(0.0, 0.3, CROWD))[person]
    took = seconds * pace * np.exp(rng.normal(0.0, 0.3, ANSWERS))
    return PilotAnswers(kind, k_hat, took, rng.binomial(9, wrong, ANSWERS) / 9, person)


def _first_answers(votes: Votes, each: int) -> np.ndarray:
    """So many votes for each item, in the order in which they stand.  (m,) bool"""
    order = np.argsort(votes.item, kind="stable")
    starts = np.searchsorted(votes.item[order], np.arange(votes.n_items))
    place = np.empty(order.size, dtype=np.int64)
    place[order] = np.arange(order.size) - starts[votes.item[order]]
    return place < each


def _as_json(option: PilotOption) -> dict[str, Any]:
    flips = option.flip_rate
    numbers: dict[str, Sequence[float] | None] = {
        "seconds": _ends(option.seconds),
        "each": _ends(option.each),
        "loss": _ends(option.loss),
        "ratio": _ends(option.ratio),
        "wrong": None if flips is None else _ends(flips),
    }
    return {"kind": option.name, "answers": option.answers, "people": option.people, "best": option.best, **numbers}


def _ends(interval: Any) -> list[float]:
    return [float(interval.value), float(interval.low), float(interval.high)]
