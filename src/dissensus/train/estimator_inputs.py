"""Inputs of the scikit-learn estimators, checked once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import _check_sample_weight, assert_all_finite, column_or_1d, validate_data

from dissensus.deliver.delivery import Delivery
from dissensus.labels.arrays import as_array
from dissensus.labels.beliefs import Beliefs
from dissensus.labels.distributions import Distributions
from dissensus.labels.votes import Votes
from dissensus.train.targets import as_delivery, target_rows


@dataclass(frozen=True)
class Targets:
    """One distribution over the classes for each row of X.

    probs    (n, k) rows sum to 1
    classes  (k,) labels as the user has them
    """

    probs: np.ndarray
    classes: np.ndarray


def check_rows(estimator: Any, x: Any, y: Any, weights: Any, classes: Any) -> tuple[Any, Targets, np.ndarray]:
    """Check that X, Y and weights of a fit match.  (n, d), targets of n rows, (n,)"""
    if y is None:
        raise ValueError(
            f"This {type(estimator).__name__} estimator requires y to be passed, but the target y is None: labels, "
            "counts, probabilities or Votes"
        )
    x = validate_data(estimator, x, accept_sparse="csr", dtype=(np.float64, np.float32), ensure_min_samples=2)
    targets = as_targets(y, classes)
    if len(targets.probs) != x.shape[0]:
        raise ValueError(f"X has {x.shape[0]} rows, but Y has {len(targets.probs)}; expected one row per item in each")
    weights = _check_sample_weight(weights, x, dtype=np.float64, ensure_non_negative=True)
    return x, targets, weights


def as_targets(y: Any, classes: Any = None) -> Targets:
    """Convert Y to targets: any labels, or anything `as_delivery` takes that is the same in every epoch.

    Labels keep their type and are sorted; a column counts as labels. Row i of X is item i of labels with items.

    classes: the k labels of the columns; 0 to k - 1, or the columns of a data frame, where not given
    """
    known: Any = None if classes is None else np.asarray(classes)
    if isinstance(y, Delivery | Votes | Beliefs | Distributions):
        delivery = as_delivery(y, None if known is None else known.size, "Y")
        if not delivery.fixed:
            raise ValueError(
                f"the delivery {delivery.name} changes with the epoch, and an estimator takes one target per item; "
                "train a head on it with train_heads"
            )
        return Targets(target_rows(delivery), np.array(delivery.classes) if known is None else known)
    array, columns = as_array(y), getattr(y, "columns", None)
    if array.ndim == 2 and array.shape[1] > 1:
        if known is None:
            known = np.arange(array.shape[1]) if columns is None else np.asarray(columns)
        return Targets(target_rows(as_delivery(array, known, "Y")), known)
    known, codes = _label_codes(array, known)
    return Targets(target_rows(as_delivery(codes, known.size, "Y")), known)


def _label_codes(array: np.ndarray, classes: np.ndarray | None) -> tuple[np.ndarray, np.ndarray]:
    """Return the classes, and the position of each label among them.  (n,) or (n, 1) -> (k,), (n,)"""
    labels = column_or_1d(array, warn=True)
    assert_all_finite(labels, input_name="y")
    check_classification_targets(labels)
    known = np.unique(labels) if classes is None else classes
    order = np.argsort(known)
    codes = order[np.clip(np.searchsorted(known, labels, sorter=order), 0, known.size - 1)]
    bad = np.flatnonzero(known[codes] != labels)
    if bad.size:
        raise ValueError(
            f"row {bad[0]} has the label {labels.tolist()[bad[0]]!r}, which is not among the classes {known.tolist()}; "
            f"{bad.size} of {labels.size} rows have such labels"
        )
    return known, codes
