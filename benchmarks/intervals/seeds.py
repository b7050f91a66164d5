"""Intervals over runs of training that differ in their seed: `over_seeds`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial

import numpy as np

from benchmarks.intervals.case import Case
from dissensus.evaluate.over_runs import over_seeds
from dissensus.labels.intervals import Interval


def cases() -> Iterator[Case]:
    spreads = {"runs alike": 0.0, "runs differ a little": 0.03, "runs differ as much as items": 0.3}
    for runs, n in ((3, 200), (5, 200), (5, 2000), (10, 200), (20, 50)):
        for said, between in spreads.items():
            world, truth = f"{runs} seeds, {n} items, {said}", {"mean over seeds and items": 0.5}
            yield Case("seeds", world, truth, partial(_drawn, runs, n, between))


def _drawn(runs: int, n: int, between: float, rng: np.random.Generator) -> Mapping[str, Interval]:
    """score = 0.5 + run + item + rest: runs with a spread of `between`, items and the rest with one of 0.3."""
    score = 0.5 + between * rng.normal(size=(runs, 1)) + 0.3 * rng.normal(size=n) + 0.3 * rng.normal(size=(runs, n))
    return {"mean over seeds and items": over_seeds(score)}
