"""ExpandRows: label distributions for any estimator that takes sample weights."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin, clone
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted, has_fit_parameter, validate_data

from dissensus.train.estimator_inputs import check_rows
from dissensus.train.estimator_scores import share_of_predicted


def expand_rows(probs: np.ndarray, weights: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Repeat each row for every class it gives mass to, with that mass as its weight.

        sum_i w_i H(p_i, q_i) = sum over (i, c) with p_ic > 0 of (w_i p_ic) (-log q_ic)

    probs: (n, k), weights: (n,) -> row (r,), class (r,), weight (r,)
    """
    mass = probs * weights[:, None]
    row, code = np.nonzero(mass)
    return row, code, mass[row, code]


class ExpandRows(MetaEstimatorMixin, ClassifierMixin, BaseEstimator):
    """Fit a classifier on distributions through one that takes labels and sample weights.

    `fit(X, Y)` repeats each row for every class of Y that has mass, weighted by it. The loss is then the soft
    cross-entropy if the estimator's loss is a weighted sum over rows: LogisticRegression, gradient boosting
    (scikit-learn, LightGBM, XGBoost), networks. Classes without mass in training get probability 0.

    Settings that count rows (min_samples_leaf, min_child_samples) count repeats. A validation part that the estimator
    holds out itself contains repeats of training rows, so pass early_stopping=False.

    Parameters
    ----------
    estimator : any classifier whose fit takes sample_weight
    classes : the k labels of the columns of Y

    Examples
    --------
    >>> from sklearn.linear_model import LogisticRegression
    >>> X, Y = np.array([[0.0], [1.0]]), np.array([[3, 1], [1, 3]])
    >>> ExpandRows(LogisticRegression(C=1e6)).fit(X, Y).predict_proba(X).round(2)
    array([[0.75, 0.25],
           [0.25, 0.75]])
    """

    def __init__(self, estimator: Any, *, classes: Any = None) -> None:
        self.estimator = estimator
        self.classes = classes

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> ExpandRows:  # noqa: N803 (scikit-learn's names)
        """X: (n, d) dense or sparse; Y: as for the class; sample_weight: (n,) or None"""
        if not has_fit_parameter(self.estimator, "sample_weight"):
            raise ValueError(
                f"fit of {type(self.estimator).__name__} takes no sample_weight, which carries the mass; choose an "
                "estimator that does, or SoftLabelClassifier"
            )
        X, targets, weights = check_rows(self, X, y, sample_weight, self.classes)  # noqa: N806
        row, code, weight = expand_rows(targets.probs, weights)
        self.seen_, labels = np.unique(code, return_inverse=True)  # without gaps: XGBoost wants 0..k-1
        self.classes_ = targets.classes
        if self.seen_.size == 1:
            only = self.classes_.tolist()[self.seen_[0]]
            raise ValueError(f"all mass is on one class, {only!r}; expected at least two to tell apart")
        self.estimator_ = clone(self.estimator).fit(X[row], labels, sample_weight=weight)
        return self

    @available_if(lambda self: hasattr(self.estimator, "predict_proba"))
    def predict_proba(self, X: Any) -> np.ndarray:  # noqa: N803
        """Probability of each class; 0 for those no training row gave mass to.  (n, d) -> (n, k)"""
        check_is_fitted(self)
        X = validate_data(self, X, accept_sparse="csr", reset=False)  # noqa: N806
        probs = np.zeros((X.shape[0], self.classes_.size))
        probs[:, self.seen_[self.estimator_.classes_]] = self.estimator_.predict_proba(X)
        return probs

    def predict(self, X: Any) -> np.ndarray:  # noqa: N803
        """The label of each row.  (n, d) -> (n,)"""
        check_is_fitted(self)
        X = validate_data(self, X, accept_sparse="csr", reset=False)  # noqa: N806
        return self.classes_[self.seen_[self.estimator_.predict(X)]]

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:  # noqa: N803
        """Compute the mean mass Y gives to the predicted class: accuracy, if Y are labels; higher is better."""
        return share_of_predicted(self.predict(X), y, self.classes_, sample_weight)

    def __sklearn_tags__(self) -> Any:
        from sklearn.utils import get_tags

        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = get_tags(self.estimator).input_tags.sparse
        return tags
