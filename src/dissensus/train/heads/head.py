"""Heads: from features to a distribution over the classes."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from dissensus.labels.answers import hold
from dissensus.labels.arrays import as_array, is_sparse
from dissensus.labels.distributions import Distributions
from dissensus.train.heads.config import Layer
from dissensus.train.heads.features import FeatureTable, check_finite
from dissensus.train.model import predict_with, softmax


@dataclass(frozen=True, eq=False, repr=False)
class Head:
    """A linear map or a small network on frozen features: the result of training, stored in files and used as a model.

        linear   logits = W x + b
        mlp      logits = W2 GELU(W1 x + b1) + b2,   GELU(z) = z (1 + erf(z / sqrt(2))) / 2

    Weights keep the precision they were trained in: float32 by Adam, float64 if the head was solved exactly. The
    forward pass is always computed in float64, so a head gives the same bits before it is saved and after it is loaded.

    Parameters
    ----------
    layers : weights and biases of each layer, (out, in) and (out,) as in torch.nn.Linear; one layer for a linear head,
        two for an MLP
    classes : k names
    card : facts for a reader: training data, settings and scores

    Examples
    --------
    >>> head = Head([(np.eye(2), np.zeros(2))], ("cat", "dog"))
    >>> head.probs([[1.0, 0.0]]).round(2)
    array([[0.73, 0.27]])
    """

    layers: tuple[Layer, ...]
    classes: tuple[str, ...]
    card: dict[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        hold(self, "classes", tuple(str(name) for name in self.classes))
        hold(self, "layers", tuple(Layer(_hold_layer(weight), _hold_layer(bias)) for weight, bias in self.layers))
        for place, (weight, bias) in enumerate(self.layers):
            wide = self.layers[place + 1].weight.shape[1] if place + 1 < len(self.layers) else len(self.classes)
            if weight.ndim != 2 or bias.shape != weight.shape[:1] or weight.shape[0] != wide:
                raise ValueError(
                    f"layer {place} has weights of shape {weight.shape} and {bias.size} biases; expected {wide} outputs"
                )
            if not (np.isfinite(weight).all() and np.isfinite(bias).all()):
                raise ValueError(
                    f"layer {place} contains numbers that are not finite; train again with a lower learning rate"
                )

    @property
    def n_features(self) -> int:
        return int(self.layers[0].weight.shape[1])

    def features(self, inputs: Any) -> Any:
        """Return the inputs of the last layer: hidden units, or the features of a linear head.  (n, d) -> (n, h)"""
        rows = self._rows(inputs)
        for layer in self.layers[:-1]:
            rows = gelu(_map_layers(rows, layer))
        return rows

    def logits(self, inputs: Any) -> np.ndarray:
        """Return the logits.  (n, d) -> (n, k) float64

        inputs: an array, a tensor, a sparse matrix, or a FeatureTable, which is refused if its card names other
        encoder weights than those of the training
        """
        return _map_layers(self.features(inputs), self.layers[-1])

    def probs(self, inputs: Any) -> np.ndarray:
        """Return the probability of each class.  (n, d) -> (n, k) float64, rows sum to 1"""
        return softmax(self.logits(inputs))

    def predict(self, inputs: Any, items: Any = None) -> Distributions:
        """Predict one distribution per item; a FeatureTable names its items itself."""
        if items is None and isinstance(inputs, FeatureTable):
            items = inputs.items
        return predict_with(self, inputs, items)

    def __repr__(self) -> str:
        kind = "linear" if len(self.layers) == 1 else f"{self.layers[0].bias.size} hidden units"
        return f"<Head: {self.n_features} features, {kind}, {len(self.classes)} classes>"

    def _rows(self, inputs: Any) -> Any:
        """Inputs as float64 rows, dense or sparse."""
        checked = isinstance(inputs, FeatureTable)
        if checked:
            self._check_source(inputs)
            inputs = inputs.values
        rows = inputs.tocsr() if is_sparse(inputs) else as_array(inputs)
        if rows.ndim != 2 or rows.shape[1] != self.n_features:
            raise ValueError(
                f"features have shape {rows.shape}, but this head was trained on {self.n_features} features per item; "
                "expected the same encoder"
            )
        rows = rows.astype(np.float64, copy=False)
        if not checked:
            check_finite(rows if isinstance(rows, np.ndarray) else rows.data[None], "features")
        return rows

    def _check_source(self, features: FeatureTable) -> None:
        mine, theirs = ((source or {}).get("weights") for source in (self.card.get("features from"), features.source))
        if mine and theirs and mine != theirs:
            raise ValueError(
                f"this head was trained on features of the weights {mine}, and these are of {theirs}; encode the items "
                "with the same encoder"
            )


def gelu(z: np.ndarray) -> np.ndarray:
    """z times the probability that a standard normal is below z, by the exact erf.  (...) -> (...)"""
    from scipy.special import ndtr

    return z * ndtr(z)


def _map_layers(rows: Any, layer: Layer) -> np.ndarray:
    return np.asarray(rows @ layer.weight.T.astype(np.float64) + layer.bias)


def _hold_layer(array: Any) -> np.ndarray:
    """An array of its own, in one order in memory, on which the last bits of a product may depend."""
    values = np.array(array, dtype=np.float32 if np.asarray(array).dtype == np.float32 else np.float64, order="C")
    values.flags.writeable = False
    return values
