"""Model: classes, logits, probs, predict; the interface of heads, networks and estimators."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

import numpy as np

from dissensus.labels.distributions import Distributions
from dissensus.labels.refusals import PythonWay, Refusal
from dissensus.labels.row_numbers import row_numbers


@runtime_checkable
class Model(Protocol):
    """Inputs in, one distribution over the classes per item out.

    Heads and networks are models, fitted scikit-learn classifiers become one by `as_model`, and a class of your own is
    one as soon as it has these four members; `softmax` and `predict_with` help to write the last two. Evaluation and
    probes use only these members, and `features` if they need them (`FeatureModel`).

    classes  k names
    """

    @property
    def classes(self) -> tuple[str, ...]: ...

    def logits(self, inputs: Any) -> np.ndarray:
        """The logits; -inf if a class is impossible.  n inputs -> (n, k) float64"""

    def probs(self, inputs: Any) -> np.ndarray:
        """The softmax of the logits.  n inputs -> (n, k) float64, rows sum to 1"""

    def predict(self, inputs: Any, items: Any = None) -> Distributions:
        """The probabilities with their names.  items: n names; 0 to n - 1 if neither they nor the inputs are named"""


@runtime_checkable
class FeatureModel(Model, Protocol):
    """A model that also returns the inputs of its last layer."""

    def features(self, inputs: Any) -> np.ndarray:
        """The inputs of the last linear layer.  n inputs -> (n, d) float64"""


def as_model(model: Any) -> Model:
    """Convert a fitted classifier of scikit-learn to a model; a model stays as it is.

    A SoftLabelClassifier becomes the head it trained, if that knows all its classes. Other classifiers have no logits,
    so the logarithms of their probabilities are used.

    Parameters
    ----------
    model : a head, a network, a fitted estimator, pipeline or search, or a value with `classes`, `logits` and `predict`

    Returns
    -------
    Model

    Examples
    --------
    >>> X, Y = np.array([[0.0], [1.0]]), np.array([[3, 1], [1, 3]])
    >>> as_model(SoftLabelClassifier(C=1e6).fit(X, Y)).probs(X).round(2)
    array([[0.75, 0.25],
           [0.25, 0.75]])
    """
    if isinstance(model, Model):
        return model
    if not callable(getattr(model, "predict_proba", None)):
        raise Refusal(
            f"a {type(model).__name__} is not a model; expected classes, logits, probs and predict, or a classifier "
            "with predict_proba",
            ways=[PythonWay("make one of a torch module with Network(module, classes, mean, std)")],
        )
    if getattr(model, "classes_", None) is None:
        raise ValueError(f"this {type(model).__name__} has not been fitted, so it has no classes: call fit first")
    wrapped = _ClassifierModel(model)
    head = getattr(model, "head_", None)
    return head if isinstance(head, Model) and head.classes == wrapped.classes else wrapped


@dataclass(frozen=True)
class _ClassifierModel:
    classifier: Any

    @property
    def classes(self) -> tuple[str, ...]:
        return tuple(str(label) for label in self.classifier.classes_.tolist())

    def logits(self, inputs: Any) -> np.ndarray:
        with np.errstate(divide="ignore"):
            return np.log(self.probs(inputs))

    def probs(self, inputs: Any) -> np.ndarray:
        probs = np.asarray(self.classifier.predict_proba(inputs), dtype=np.float64)
        return probs / probs.sum(axis=1, keepdims=True)  # boosted trees give float32

    def predict(self, inputs: Any, items: Any = None) -> Distributions:
        return predict_with(self, inputs, items)


def predict_with(model: Model, inputs: Any, items: Any = None) -> Distributions:
    """Return the probabilities of a model as distributions; items without names are numbered from 0."""
    probs = model.probs(inputs)
    return Distributions(probs, row_numbers(len(probs)) if items is None else items, model.classes)


def softmax(logits: np.ndarray) -> np.ndarray:
    """Probabilities of the classes.  (n, k) -> (n, k), rows sum to 1"""
    return np.exp(log_softmax(logits))


def log_softmax(logits: np.ndarray) -> np.ndarray:
    """Log-probabilities of the classes.  (n, k) -> (n, k)"""
    shifted = logits - logits.max(axis=1, keepdims=True)
    return shifted - np.log(np.exp(shifted).sum(axis=1, keepdims=True))
