"""The human ceiling in worlds with known truths: what the truth scores "at best", and what half a crowd does.

Worlds and settings were looked at with seeds below 100; `benchmarks/coverage.py` counts with others. Fewer refits than
by default (10, not 30) keep a repetition cheap; Student's quantile allows for them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial

import numpy as np

from benchmarks.intervals.case import Case
from benchmarks.intervals.worlds import WORLDS, World, drawn
from dissensus.aggregate.priors.shrinkage import shrinkage
from dissensus.evaluate.ceiling import human_ceiling
from dissensus.evaluate.metrics import METRICS
from dissensus.labels.distributions import Distributions
from dissensus.labels.intervals import Interval

SIZES = (("Dirichlet", 50, 5), ("Dirichlet", 200, 5), ("Dirichlet", 200, 20), ("logit-normal", 200, 5),
         ("logit-normal", 200, 20), ("sparse confusion", 200, 5), ("sparse confusion", 200, 20), ("guessing", 200, 5),
         ("guessing", 200, 20))  # fmt: skip
HALVES = ("Dirichlet", 200, 6), ("sparse confusion", 100, 10)
CLUSTERS = 40
ENDLESS = 100_000  # items whose mean is taken for the truth
QUICK = {"splits": 2, "draws": 4, "refits": 10, "replicates": 100}


def cases() -> Iterator[Case]:
    for name, n, votes in SIZES:
        yield Case(
            "ceiling",
            f"at best: {name}, {n} items, {votes} votes",
            at_best(WORLDS[name], votes),
            partial(_best, WORLDS[name], n, votes),
        )
    for name, n, votes in HALVES:
        yield Case(
            "ceiling",
            f"half crowd: {name}, {n} items, {votes} votes",
            half_crowd(WORLDS[name], n, votes),
            partial(_half, WORLDS[name], n, votes),
        )
    yield Case(
        "ceiling", f"at best: {CLUSTERS} clusters of 5 items alike, 10 votes", at_best(_alike, 10), _best_of_clusters
    )


def at_best(world: World, votes: int) -> dict[str, float]:
    """What the true distributions score against the share of `votes` votes; scores that exist in this world only."""
    truth, counts = drawn(world, ENDLESS, votes, np.random.default_rng(0))
    return _scores(truth.probs, counts / votes)


def half_crowd(world: World, n: int, votes: int) -> dict[str, float]:
    """What half of the votes on n items score against the other half, mean over many sets of items.

    The halves of an even number of votes are two crowds of half the size, independent of each other.
    """
    rng, found = np.random.default_rng(0), []
    for _ in range(100):
        truth, first = drawn(world, n, votes // 2, rng)
        guess = shrinkage(Distributions.from_counts(first)).distributions.probs
        found.append(_scores(guess, rng.multinomial(votes // 2, truth.probs) / (votes // 2)))
    return {name: float(np.mean([scores[name] for scores in found])) for name in found[0]}


def _scores(prediction: np.ndarray, share: np.ndarray) -> dict[str, float]:
    with np.errstate(invalid="ignore"):
        values = {
            name: float(np.nanmean(metric.function(prediction, share)))
            for name, metric in METRICS.items()
            if metric.ceiling
        }
    return {name: value for name, value in values.items() if not np.isnan(value)}


def _best(world: World, n: int, votes: int, rng: np.random.Generator) -> Mapping[str, Interval]:
    counts = drawn(world, n, votes, rng)[1]
    return human_ceiling(Distributions.from_counts(counts), rng, **QUICK).corrected


def _half(world: World, n: int, votes: int, rng: np.random.Generator) -> Mapping[str, Interval]:
    counts = drawn(world, n, votes, rng)[1]
    return human_ceiling(Distributions.from_counts(counts), rng, splits=4, draws=2, refits=2, replicates=200).half


def _alike(n: int, rng: np.random.Generator) -> np.ndarray:
    """Five items at a time with the same distribution, over 4 classes.  -> (n, 4)"""
    return np.repeat(WORLDS["Dirichlet"](-(-n // 5), rng), 5, axis=0)[:n]


def _best_of_clusters(rng: np.random.Generator) -> Mapping[str, Interval]:
    counts = drawn(_alike, 5 * CLUSTERS, 10, rng)[1]
    clusters = np.repeat(np.arange(CLUSTERS), 5)
    return human_ceiling(Distributions.from_counts(counts), rng, **QUICK, clusters=clusters).corrected
