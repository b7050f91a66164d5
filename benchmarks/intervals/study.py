"""Intervals of a study: means over seeds, paired differences, and differences over splits of the same items."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

import numpy as np

from benchmarks.intervals.case import Case
from dissensus.labels.intervals import Interval
from dissensus.study.summary.units import mean_interval

SPREAD = 1.0  # of what no learner can predict
WEIGHTS = np.array([0.3, 0.2, 0.1])


def cases() -> Iterator[Case]:
    for seeds in (2, 3, 5, 10):
        yield _over_seeds(f"{seeds} seeds, scores normal", seeds, 0.8, lambda rng, n: rng.normal(0.8, 0.02, n))
    for seeds in (5, 10):
        # One training of five ends at 0.5 in place of 0.8: the mean over seeds is 0.74.
        yield _over_seeds(
            f"{seeds} seeds, one training in five fails",
            seeds,
            0.74,
            lambda rng, n: rng.normal(0.8, 0.02, n) - 0.3 * (rng.random(n) < 0.2),
        )
    for seeds, folds in ((1, 10), (5, 5)):
        yield _over_folds(seeds, folds, "as of other items")
        yield _over_folds(seeds, folds, "corrected t")
    yield _over_folds(5, 5, "as of these items")


def _over_seeds(world: str, seeds: int, truth: float, scores: Callable[[np.random.Generator, int], np.ndarray]) -> Case:
    def drawn(rng: np.random.Generator) -> Mapping[str, Interval]:
        return {"mean over seeds": mean_interval(scores(rng, seeds).tolist())}

    return Case("study", world, {"mean over seeds": truth}, drawn)


def _over_folds(seeds: int, folds: int, read: str, *, n: int = 100) -> Case:
    """Squared error of a linear regression less that of the mean, over the folds of one set of items.

    With p normal predictors the error of a regression on m items is s^2 (m + 1)(m - 2) / (m (m - p - 2)), and that of
    the mean (s^2 + |w|^2)(1 + 1/m): that is the truth about all sets of so many items. Of the same items, drawn once,
    it is the mean over very many splits.
    """
    p, m = WEIGHTS.size, n - n // folds
    truth = SPREAD**2 * (m + 1) * (m - 2) / (m * (m - p - 2)) - (SPREAD**2 + float(WEIGHTS @ WEIGHTS)) * (1 + 1 / m)
    single = read == "corrected t" or seeds == 1
    fixed = _items(np.random.default_rng(0), n)
    if read == "as of these items":
        rng = np.random.default_rng(1)
        truth = float(np.mean([_gaps(*fixed, folds, rng) for _ in range(3000)]))

    def drawn(rng: np.random.Generator) -> Mapping[str, Interval]:
        rows, y = fixed if read == "as of these items" else _items(rng, n)
        gaps = np.array([_gaps(rows, y, folds, rng) for _ in range(seeds)])  # (seeds, folds)
        values = gaps.reshape(-1) if single else gaps.mean(axis=1)
        overlap = 1 / (folds - 1) if read == "corrected t" else 0.0
        return {"paired difference": mean_interval(values.tolist(), test_to_train=overlap)}

    what = "fold by fold" if single else "mean of each seed"
    return Case("study", f"{n} items, {seeds} x {folds} folds, {what}, {read}", {"paired difference": truth}, drawn)


def _items(rng: np.random.Generator, n: int) -> tuple[np.ndarray, np.ndarray]:
    x = rng.normal(size=(n, WEIGHTS.size))
    return np.column_stack([np.ones(n), x]), x @ WEIGHTS + SPREAD * rng.normal(size=n)


def _gaps(rows: np.ndarray, y: np.ndarray, folds: int, rng: np.random.Generator) -> list[float]:
    return [_gap(rows, y, held) for held in np.array_split(rng.permutation(y.size), folds)]


def _gap(rows: np.ndarray, y: np.ndarray, held: np.ndarray) -> float:
    kept = np.setdiff1d(np.arange(y.size), held)
    weights = np.linalg.lstsq(rows[kept], y[kept])[0]
    return float(((rows[held] @ weights - y[held]) ** 2).mean() - ((y[kept].mean() - y[held]) ** 2).mean())
