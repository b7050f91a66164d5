"""Costs and errors of labels by how many classes they ask for, where some numbers of classes were tried."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from dissensus.plan.label_kinds import LabelKind, PartialKind

Tried = tuple[tuple[PartialKind, int, float], ...]  # kind, classes asked for, and what was measured of such a label


@dataclass(frozen=True)
class ErrorRates:
    """The share of a label's comparisons that are wrong, as a pilot measured it; without one no error is assumed.

    hard, soft, pair  None where not measured
    partial           (kind, k_hat, rate) of sparse and top-class labels that were measured

    What was not tried is taken to be like its neighbours: sparse and top-class labels lie between the nearest
    measured numbers of classes, hard and soft ones have the rate of the fewest and of the most classes tried.
    """

    hard: float | None = None
    soft: float | None = None
    pair: float | None = None
    partial: Tried = ()

    def rate(self, kind: LabelKind, k: ArrayLike, k_hat: ArrayLike = 1) -> np.ndarray:
        """0 to 1, for numbers or arrays that broadcast"""
        if kind == "pairwise":
            return np.asarray(self.pair or 0.0)
        tried = sorted((asked, rate) for _, asked, rate in self.partial)
        fewest = tried[0][1] if tried else self.soft or 0.0
        most = tried[-1][1] if tried else self.hard or 0.0
        hard = fewest if self.hard is None else self.hard
        soft = most if self.soft is None else self.soft
        if kind in ("hard", "soft"):
            return np.asarray(hard if kind == "hard" else soft)
        return interpolate(k_hat, k, hard, select_kind(self.partial, kind), soft)


def select_kind(tried: Tried, kind: LabelKind) -> list[tuple[int, float]]:
    """Classes asked for and what was measured, of one kind."""
    return [(asked, value) for name, asked, value in tried if name == kind]


def interpolate(
    k_hat: ArrayLike, k: ArrayLike, hard: ArrayLike, tried: Iterable[tuple[int, float]], soft: ArrayLike
) -> np.ndarray:
    """A number that is known at some k_hat, linear between them: `hard` at 1, the tried ones, `soft` at k."""
    asked, k = np.broadcast_arrays(np.asarray(k_hat, dtype=np.float64), np.asarray(k, dtype=np.float64))
    known = sorted(({1: float(np.asarray(hard))} | dict(tried)).items())
    places, values = (np.array(column, dtype=np.float64) for column in zip(*known, strict=True))
    last, at_last = places[-1], values[-1]
    part = np.divide(asked - last, k - last, out=np.zeros(asked.shape), where=k > last)
    return np.asarray(
        np.where(asked > last, at_last + (np.asarray(soft) - at_last) * part, np.interp(asked, places, values))
    )
