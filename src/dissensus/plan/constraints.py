"""Comparisons that a label matrix answers: counted exactly, or listed."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dissensus.plan.information import information_ratio


@dataclass(frozen=True)
class Constraints:
    """How many comparisons "a is closer to b than to c" a label matrix answers.

    by_item   an item compares two classes: its row orders them
    by_class  a class compares two items: its column orders them
    n, k      items and classes
    """

    by_item: int
    by_class: int
    n: int
    k: int

    @property
    def total(self) -> int:
        return self.by_item + self.by_class

    @property
    def ratio(self) -> float:
        """The information ratio: the share of all questions about n items and k centroids that is answered."""
        return float(information_ratio(self.total, self.n, self.k))


def count_constraints(labels: np.ndarray) -> Constraints:
    """Count the comparisons that a label matrix answers; ties and missing numbers answer none.

        by_item = sum over rows of C(k, 2) - sum over runs of t equal numbers of C(t, 2);  by_class: over columns

    One sort of each row and column, O(n k log(n k)); nothing is listed.

    Parameters
    ----------
    labels : (n, k), higher is closer; NaN is compared with nothing

    Returns
    -------
    Constraints : `by_item`, `by_class`, their `total`, and its share of all comparisons, `ratio`

    Examples
    --------
    >>> count_constraints(np.array([[0.7, 0.2, 0.1], [0.5, 0.5, 0.0], [0.0, 0.0, 1.0]])).total
    16
    """
    matrix = label_matrix(labels)
    n, k = matrix.shape
    return Constraints(by_item=_unequal_pairs(matrix), by_class=_unequal_pairs(matrix.T), n=n, k=k)


def label_triplets(labels: np.ndarray) -> np.ndarray:
    """List the comparisons that a label matrix answers; their number grows as n k (n + k)/2.

    Parameters
    ----------
    labels : (n, k), higher is closer; NaN is compared with nothing

    Returns
    -------
    (t, 3) : points a, b, c with a closer to b than to c; items are 0..n-1, class c is n + c

    Examples
    --------
    >>> label_triplets(np.array([[0.9, 0.1]]))
    array([[0, 1, 2]])
    """
    matrix = label_matrix(labels)
    n = matrix.shape[0]
    item, near, far = _ordered_pairs(matrix)
    centroid, close, distant = _ordered_pairs(matrix.T)
    rows = np.stack([item, n + near, n + far], axis=1)
    columns = np.stack([n + centroid, close, distant], axis=1)
    return np.concatenate([rows, columns])


def label_matrix(labels: np.ndarray) -> np.ndarray:
    """Labels as float64, checked to have items and classes and no infinite entry.  (n, k)"""
    matrix = np.asarray(labels, dtype=np.float64)
    if matrix.ndim != 2 or 0 in matrix.shape:
        raise ValueError(f"labels have shape {matrix.shape}; expected (n, k) with at least one item and one class")
    bad = np.argwhere(np.isinf(matrix))
    if bad.size:
        row, code = bad[0]
        raise ValueError(
            f"item {row} has label {matrix[row, code]} for class {code}; expected finite numbers, or NaN if missing; "
            f"{len(bad)} of {matrix.size} entries are infinite"
        )
    return matrix


def _unequal_pairs(rows: np.ndarray) -> int:
    ordered = np.sort(rows, axis=1)  # NaN come last
    labelled = (~np.isnan(ordered)).sum(axis=1)
    new_run = np.ones(ordered.shape, dtype=bool)
    new_run[:, 1:] = ordered[:, 1:] != ordered[:, :-1]  # every NaN is a run of its own, so that it ties with nothing
    run = np.bincount(np.cumsum(new_run.ravel()) - 1)
    return int((labelled * (labelled - 1) // 2).sum() - (run * (run - 1) // 2).sum())


def _ordered_pairs(rows: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Row, column of the higher and column of the lower number, for every unequal pair within a row."""
    row, high, low = np.nonzero(rows[:, :, None] > rows[:, None, :])
    return row, high, low
