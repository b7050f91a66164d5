"""Costs and errors of labels by the number of classes they ask for, interpolated between tested numbers."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from dissensus.plan.label_kinds import LabelKind, PartialKind

Tried = tuple[tuple[PartialKind, int, float], ...]  # kind, number of classes, measured value


@dataclass(frozen=True)
class ErrorRates:
    """The share of wrong comparisons in labels, as a pilot measured it; 0 without a pilot.

    hard, soft, pair  None if not measured
    partial           (kind, k_hat, rate) of measured sparse and top-class labels

    Untested labels are like their neighbours: sparse and top-class labels are interpolated between the nearest measured
    numbers of classes, hard and soft ones have the rate of the fewest and of the most classes measured.
    """

    hard: float | None = None
    soft: float | None = None
    pair: float | None = None
    partial: Tried = ()

    def rate(self, kind: LabelKind, k: ArrayLike, k_hat: ArrayLike = 1) -> np.ndarray:
        """The error rate of a kind, 0 to 1, for numbers or arrays that broadcast."""
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
    """Select the measurements of one kind: numbers of classes and values."""
    return [(asked, value) for name, asked, value in tried if name == kind]


def interpolate(
    k_hat: ArrayLike, k: ArrayLike, hard: ArrayLike, tried: Iterable[tuple[int, float]], soft: ArrayLike
) -> np.ndarray:
    """Interpolate a value linearly in k_hat: `hard` at 1, the measured ones, `soft` at k."""
    asked, k = np.broadcast_arrays(np.asarray(k_hat, dtype=np.float64), np.asarray(k, dtype=np.float64))
    known = sorted(({1: float(np.asarray(hard))} | dict(tried)).items())
    places, values = (np.array(column, dtype=np.float64) for column in zip(*known, strict=True))
    last, at_last = places[-1], values[-1]
    part = np.divide(asked - last, k - last, out=np.zeros(asked.shape), where=k > last)
    return np.asarray(
        np.where(asked > last, at_last + (np.asarray(soft) - at_last) * part, np.interp(asked, places, values))
    )
