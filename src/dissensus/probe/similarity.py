"""Similarity of items to a model and to people. Arrays; torch is not needed."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from dissensus.evaluate.alignment import pearson, spearman
from dissensus.labels.arrays import as_array
from dissensus.labels.as_json import as_json
from dissensus.labels.intervals import Interval
from dissensus.labels.refusals import PythonWay, Refusal
from dissensus.probe.feature_rows import unit_rows

GROUPS = 100  # of items left out in turn for the interval: each item alone if there are no more
LEAST = 10  # items for an interval
BLOCK = 4_000_000  # numbers of features held at once
COVERAGE = 0.95


@dataclass(frozen=True)
class SimilarityToPeople:
    """The correlation of item similarities in a model with people's judgments.

    spearman  rank correlation over pairs of items, -1 to 1, with its interval over items
    pearson   the same of the numbers as they are
    pairs     how many pairs were judged
    items     how many items these are made of
    """

    spearman: Interval
    pearson: Interval
    pairs: int
    items: int

    def __str__(self) -> str:
        return f"Spearman {self.spearman}, Pearson {self.pearson}, {self.pairs:,} pairs of {self.items:,} items"

    def as_json(self) -> dict[str, Any]:
        return {
            "spearman": as_json(self.spearman),
            "pearson": as_json(self.pearson),
            "pairs": self.pairs,
            "items": self.items,
        }


def similarity_to_people(features: Any, judgments: Any, pairs: Any = None) -> SimilarityToPeople:
    """Correlate the cosine similarity of features with how alike people find the items, over pairs of items.

        cos_ij = f_i.f_j / (|f_i| |f_j|),   Spearman and Pearson of cos_ij and judgment_ij over the pairs judged

    Higher is closer to people. Judgments are similarities; change the sign of distances. Each pair counts once, by the
    mean of its judgments, whichever item was named first. Sucholutsky 2023, D.3, with the features of the penultimate
    layer.

    Intervals are for other items of the same kind: items are left out in turn with all their pairs, or in 100 groups,
    and the spread of Fisher's z of these correlations gives the error (jackknife; Arvesen (1969), Jackknifing
    U-statistics). They tend to be wide. NaN for fewer than 10 items, and if a correlation is 1 or -1.

    Parameters
    ----------
    features : (n, d)
    judgments : (n, n), NaN if not judged, with its diagonal ignored; or (m,) one judgment for each of `pairs`
    pairs : (m, 2) item numbers from 0 to n - 1

    Returns
    -------
    SimilarityToPeople, with intervals of spearman and pearson

    Examples
    --------
    >>> features = np.array([[1.0, 0.0], [1.0, 0.1], [0.0, 1.0]])
    >>> result = similarity_to_people(features, [0.9, 0.1, 0.2], [[0, 1], [0, 2], [1, 2]])
    >>> round(result.spearman.value, 6)
    1.0
    """
    rows = unit_rows(as_array(features), "features")
    i, j, people = _of_matrix(judgments, len(rows)) if pairs is None else _of_pairs(judgments, pairs, len(rows))
    items = np.unique(np.concatenate([i, j]))
    if len(people) < 3 or not np.ptp(people) > 0:
        raise ValueError(
            f"{len(people)} pairs were judged, as {people[:3].tolist()}{'…' * (len(people) > 3)}; expected 3 or more "
            "pairs that are not all judged the same"
        )
    _refuse_zeros(rows, items)
    cosines = _cosines(rows, i, j)
    group = np.searchsorted(items, [i, j]) % GROUPS  # (2, m)
    return SimilarityToPeople(
        _jackknife(spearman, cosines, people, group, len(items)),
        _jackknife(pearson, cosines, people, group, len(items)),
        len(people),
        len(items),
    )


def _jackknife(
    measure: Callable[[np.ndarray, np.ndarray], float], x: np.ndarray, y: np.ndarray, group: np.ndarray, items: int
) -> Interval:
    """x, y: (m,) of each pair; group: (2, m) of the items of each pair"""
    from scipy.special import stdtrit

    value = measure(x, y)
    count = min(items, GROUPS)
    without = []
    for left_out in range(count if items >= LEAST else 0):
        kept = (group != left_out).all(axis=0)
        without.append(measure(x[kept], y[kept]) if kept.sum() > 2 else math.nan)
    moved = np.array([value, *without])
    if items < LEAST or not (np.abs(moved) < 1).all():  # so that NaN is not
        return Interval(value, math.nan, math.nan, math.nan, COVERAGE)
    z = np.arctanh(moved)
    error = math.sqrt((count - 1) / count * float(((z[1:] - z[1:].mean()) ** 2).sum()))
    reach = float(stdtrit(count - 1, (1 + COVERAGE) / 2)) * error
    return Interval(value, math.tanh(z[0] - reach), math.tanh(z[0] + reach), error * (1 - value**2), COVERAGE)


def _cosines(rows: np.ndarray, i: np.ndarray, j: np.ndarray) -> np.ndarray:
    """Of each pair.  (n, d), (m,), (m,) -> (m,)"""
    step = max(1, BLOCK // rows.shape[1])
    parts = [slice(start, start + step) for start in range(0, len(i), step)]
    return np.concatenate([np.einsum("md,md->m", rows[i[part]], rows[j[part]]) for part in parts])


def _refuse_zeros(rows: np.ndarray, items: np.ndarray) -> None:
    zero = items[~rows[items].any(axis=1)]
    if zero.size:
        raise ValueError(
            f"features of row {zero[0]} are all 0, so it has no direction and no cosine with any other; {zero.size} of "
            f"the {len(items)} items judged are such: leave these out, or take features of another layer"
        )


def _of_matrix(judgments: Any, n: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    matrix = np.asarray(as_array(judgments), dtype=np.float64)
    if matrix.shape != (n, n):
        raise Refusal(
            f"judgments have shape {matrix.shape}; expected ({n}, {n}), one for each two of the {n} items and NaN "
            "where nobody was asked",
            ways=[PythonWay("pass {pairs} with a list of judgments", pairs=...)],
        )
    i, j = np.nonzero(~np.isnan(matrix))
    apart = i != j
    return _once(i[apart], j[apart], matrix[i[apart], j[apart]])


def _of_pairs(judgments: Any, pairs: Any, n: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    people, places = np.asarray(as_array(judgments), dtype=np.float64), np.asarray(as_array(pairs))
    if places.ndim != 2 or places.shape[1] != 2 or people.shape != places.shape[:1]:
        raise ValueError(
            f"pairs have shape {places.shape} and judgments {people.shape}; expected (m, 2) numbers of items and (m,)"
        )
    if not np.issubdtype(places.dtype, np.integer):
        raise ValueError(f"pairs are {places.dtype} numbers; expected whole numbers, those of rows of the features")
    wrong = np.flatnonzero(((places < 0) | (places >= n)).any(axis=1) | (places[:, 0] == places[:, 1]))
    if wrong.size:
        raise ValueError(
            f"pair {wrong[0]} is {places[wrong[0]].tolist()}; expected two different items from 0 to {n - 1}; "
            f"{wrong.size} of {len(places)} pairs are not"
        )
    asked = ~np.isnan(people)
    return _once(places[asked, 0], places[asked, 1], people[asked])


def _once(i: np.ndarray, j: np.ndarray, people: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Each pair once, the lower number first, with the mean of its judgments."""
    bad = np.flatnonzero(np.isinf(people))
    if bad.size:
        raise ValueError(
            f"items {i[bad[0]]} and {j[bad[0]]} are judged {people[bad[0]]}; expected finite numbers, NaN if nobody "
            f"was asked; {bad.size} of {len(people)} judgments are infinite"
        )
    both = np.stack([np.minimum(i, j), np.maximum(i, j)])
    places, pair, times = np.unique(both, axis=1, return_inverse=True, return_counts=True)
    return places[0], places[1], np.bincount(pair.ravel(), weights=people, minlength=len(times)) / times
