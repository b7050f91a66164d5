"""Intervals of probes: AUROC of telling items outside from those inside, and likeness to people's judgments."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from statistics import NormalDist

import numpy as np

from benchmarks.intervals.case import Case
from dissensus.labels.intervals import Interval
from dissensus.probe.detection import auroc_interval
from dissensus.probe.similarity import similarity_to_people


def cases() -> Iterator[Case]:
    for inside, outside, area in ((1000, 1000, 0.8), (200, 50, 0.9), (100, 100, 0.98), (1000, 20, 0.95), (50, 5, 0.8)):
        world = f"{inside} items inside, {outside} outside"
        yield Case("probe", world, {"AUROC": area}, partial(_auroc, inside, outside, area))
    truth = _correlations(np.random.default_rng(0), 3000)
    for n in (12, 30, 100):
        yield Case("probe", f"pairs of {n} items judged", truth, partial(_similarity, n))


def _auroc(inside: int, outside: int, area: float, rng: np.random.Generator) -> Mapping[str, Interval]:
    apart = NormalDist().inv_cdf(area) * 2**0.5
    return {"AUROC": auroc_interval(rng.normal(size=inside), apart + rng.normal(size=outside))}


def _world(rng: np.random.Generator, n: int) -> tuple[np.ndarray, np.ndarray]:
    """Features, and how alike people find every two items: the cosine of what they see, and chance."""
    seen = rng.normal(size=(n, 4))
    unit = seen / np.linalg.norm(seen, axis=1, keepdims=True)
    chance = np.triu(rng.normal(size=(n, n)), 1)
    return seen + 0.7 * rng.normal(size=seen.shape), unit @ unit.T + 0.3 * (chance + chance.T)


def _similarity(n: int, rng: np.random.Generator) -> Mapping[str, Interval]:
    said = similarity_to_people(*_world(rng, n))
    return {"Spearman": said.spearman, "Pearson": said.pearson}


def _correlations(rng: np.random.Generator, n: int) -> dict[str, float]:
    from scipy.stats import spearmanr

    features, judged = _world(rng, n)
    unit = features / np.linalg.norm(features, axis=1, keepdims=True)
    cosines, people = (matrix[np.triu_indices(n, 1)] for matrix in (unit @ unit.T, judged))
    return {
        "Spearman": float(spearmanr(cosines, people).statistic),
        "Pearson": float(np.corrcoef(cosines, people)[0, 1]),
    }
