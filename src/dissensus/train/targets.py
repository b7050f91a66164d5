"""What may stand as Y: labels, counts, probabilities, or the values of this package -> one distribution a row."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from dissensus.labels.beliefs import Beliefs
from dissensus.labels.distributions import SUM_TOLERANCE, Distributions
from dissensus.labels.shares import as_distributions
from dissensus.labels.votes import Votes


@dataclass(frozen=True)
class Targets:
    """One distribution over the classes for each row of X.

    probs    (n, k) rows sum to 1
    classes  (k,) labels as the user has them
    hard     whether Y gave one label a row
    """

    probs: np.ndarray
    classes: np.ndarray
    hard: bool


def as_targets(y: Any, classes: Any = None) -> Targets:
    """Read Y.

    One dimension           labels, integers or text: one class a row
    whole numbers, (n, k)   counts of votes; every row weighs the same, however many votes it has
    rows that sum to 1      probabilities
    Votes, Distributions, Beliefs   row i of X is their item i

    classes: the k labels of the columns; 0..k-1, or the columns of a data frame, where not given
    """
    if isinstance(y, Votes | Beliefs | Distributions):
        named = np.array(y.classes) if classes is None else _named(classes, y.n_classes)
        return Targets(as_distributions(y).probs, named, hard=False)
    columns = getattr(y, "columns", None)
    array = y.toarray() if hasattr(y, "toarray") else np.asarray(y)
    if array.ndim == 2 and array.shape[1] > 1:
        if classes is None and columns is not None:
            classes = list(columns)
        return Targets(_rows(array), _named(classes, array.shape[1]), hard=False)
    return _labels(array, classes)


def _labels(array: np.ndarray, classes: Any) -> Targets:
    from sklearn.utils.multiclass import check_classification_targets
    from sklearn.utils.validation import assert_all_finite, column_or_1d

    labels = column_or_1d(array, warn=True)
    assert_all_finite(labels, input_name="y")
    check_classification_targets(labels)
    known = np.unique(labels) if classes is None else np.asarray(classes)
    order = np.argsort(known)
    place = np.clip(np.searchsorted(known, labels, sorter=order), 0, known.size - 1)
    codes = order[place]
    bad = np.flatnonzero(known[codes] != labels)
    if bad.size:
        raise ValueError(
            f"row {bad[0]} has the label {labels.tolist()[bad[0]]!r}, which is not among the classes {known.tolist()}; "
            f"{bad.size} of {labels.size} rows have such labels"
        )
    probs = np.zeros((labels.size, known.size))
    probs[np.arange(labels.size), codes] = 1.0
    return Targets(probs, known, hard=True)


def _rows(array: np.ndarray) -> np.ndarray:
    """Shares from counts, or probabilities as they are.  (n, k)"""
    if array.dtype.kind not in "iufb":
        raise ValueError(f"Y has {array.dtype} entries in {array.shape[1]} columns; expected counts or probabilities")
    values = array.astype(np.float64)
    bad = np.argwhere(~np.isfinite(values) | (values < 0))
    if len(bad):
        row, column = bad[0]
        raise ValueError(
            f"row {row}, column {column} of Y is {values[row, column]:g}; expected counts or probabilities, finite and "
            f"of 0 or more; {len(bad)} entries are not (NaN and infinity included)"
        )
    total = values.sum(axis=1)
    empty = np.flatnonzero(total == 0)
    if empty.size:
        raise ValueError(
            f"row {empty[0]} of Y has no votes and no mass; {empty.size} of {total.size} rows have none: leave these "
            "items out of X and Y, or give them a distribution from a model with a prior"
        )
    if (values == np.floor(values)).all():
        return values / total[:, None]
    off = np.flatnonzero(np.abs(total - 1) > SUM_TOLERANCE)
    if off.size:
        raise ValueError(
            f"row {off[0]} of Y is {values[off[0]].tolist()}, which sums to {total[off[0]]:g}; expected whole numbers "
            f"(counts) or rows that sum to 1 (probabilities); {off.size} of {total.size} rows are neither: divide mass "
            "by its row sums first"
        )
    return values


def _named(classes: Any, k: int) -> np.ndarray:
    if classes is None:
        return np.arange(k)
    named = np.asarray(classes)
    if named.shape != (k,) or np.unique(named).size != k:
        raise ValueError(f"Y has {k} columns, but the classes are {named.tolist()}; expected {k} different labels")
    return named
