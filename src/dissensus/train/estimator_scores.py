"""Scores of classifiers on label distributions, for `score` and for model selection."""

from __future__ import annotations

from typing import Any

import numpy as np

from dissensus.deliver.delivery import Delivery
from dissensus.labels.doors import ANY_LABELS
from dissensus.train.estimator_inputs import as_targets


def share_of_predicted(predicted: np.ndarray, y: Any, classes: np.ndarray, weights: Any = None) -> float:
    """Compute the mean mass of the predicted class: the accuracy to a random vote; for labels the accuracy."""
    if not isinstance(y, (*ANY_LABELS, Delivery)) and (np.ndim(y) == 1 or (np.ndim(y) == 2 and np.shape(y)[1] == 1)):
        return float(np.average(np.ravel(np.asarray(y)) == predicted, weights=weights))
    probs = _match_rows(y, classes)
    code = {label: place for place, label in enumerate(classes.tolist())}
    given = probs[np.arange(len(predicted)), [code[label] for label in predicted.tolist()]]
    return float(np.average(given, weights=weights))


def soft_log_likelihood(estimator: Any, X: Any, y: Any, sample_weight: Any = None) -> float:  # noqa: N803
    """Score a fitted classifier by the mean log-probability of a random vote; higher is better.

        mean over i of sum over c of p_ic log q_ic

    This is minus the soft NLL in nats, for `scoring=` of GridSearchCV and similar. Unlike the accuracy it scores the
    whole distribution.

    Parameters
    ----------
    estimator : a fitted classifier with `predict_proba`
    X : (n, d)
    y : targets as `SoftLabelClassifier.fit` takes them
    sample_weight : (n,) or None

    Returns
    -------
    float, in nats

    Examples
    --------
    >>> X, Y = np.array([[0.0], [1.0]]), np.array([[3, 1], [1, 3]])
    >>> round(soft_log_likelihood(SoftLabelClassifier(C=1e6).fit(X, Y), X, Y), 3)
    -0.562
    """
    probs = _match_rows(y, estimator.classes_)
    guess = estimator.predict_proba(X)
    with np.errstate(divide="ignore"):
        logs = np.where(probs > 0, np.log(np.where(probs > 0, guess, 1.0)), 0.0)
    return float(np.average((probs * np.maximum(logs, -1e300)).sum(axis=1), weights=sample_weight))


def _match_rows(y: Any, classes: np.ndarray) -> np.ndarray:
    names = not isinstance(y, (*ANY_LABELS, Delivery)) and np.ndim(y) == 1
    targets = as_targets(y, classes if names else None)
    if isinstance(y, ANY_LABELS) and classes.dtype.kind in "USO" and targets.classes.tolist() != classes.tolist():
        raise ValueError(f"Y has the classes {targets.classes.tolist()}, but {classes.tolist()} were learned, in order")
    if targets.probs.shape[1] != classes.size:
        raise ValueError(f"Y has {targets.probs.shape[1]} classes, but {classes.size} were learned: {classes.tolist()}")
    return targets.probs
