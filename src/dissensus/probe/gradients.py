"""Gradient noise: the variance of an item's gradient under vote sampling."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from dissensus.evaluate.alignment import spearman
from dissensus.labels.arrays import as_array
from dissensus.labels.as_json import as_json
from dissensus.labels.display import shapes
from dissensus.labels.distances import entropy
from dissensus.labels.refusals import PythonWay, Refusal
from dissensus.train.heads.features import check_finite

if TYPE_CHECKING:
    import torch
    from torch import nn

    from dissensus.train.network import Network

SUM_TOLERANCE = 1e-4  # as for targets of the loss, which may be single precision


@dataclass(frozen=True, eq=False)
class GradientVariance:
    """Variance of the last layer's gradient under label sampling, with the entropy of the targets.

    variance  (n,) trace of the covariance of the gradient of each item
    entropy   (n,) of its target, in nats
    error     (n,) standard error of the variance; 0 where it is exact
    """

    variance: np.ndarray
    entropy: np.ndarray
    error: np.ndarray

    __repr__ = shapes

    @property
    def spearman(self) -> float:
        """Rank correlation of variance and entropy over items; NaN if all items have the same entropy.

        Gheibi 2026, sec. 5.3 and fig. 7: 0.939 on average over seeds, 0.919 to 0.953.
        """
        # In single precision, as sums over classes in another order differ in the last digit of double precision.
        return spearman(self.variance.astype(np.float32), self.entropy.astype(np.float32))

    def as_json(self) -> dict[str, Any]:
        return {
            "items": self.variance.size,
            "mean": float(self.variance.mean()),
            "spearman": as_json(self.spearman),
        }


def gradient_variance(
    model: nn.Module | Network,
    batches: Iterable[tuple[torch.Tensor, torch.Tensor]],
    *,
    progress: Callable[[int, int], None] | None = None,
) -> GradientVariance:
    """Compute how far each item's gradient of the last linear layer varies if its label is drawn from its target.

        tr Cov_{y ~ p} [grad (-ln q_y)] = (1 - sum_c p_c^2) (|h|^2 + 1),   without the 1 if the layer has no bias

    The gradient for label y is (q - e_y) h' for the weights and q - e_y for the bias, with h the input of the layer.
    The prediction q is the same for every y, so it cancels: the value is exact, and does not depend on q. It is the
    noise that drawing labels (SLS) adds to an item's gradient, and 0 for an item that all agree about. Since 1 - sum
    p^2 rises with the entropy of p, a high `spearman` says little about the model. Gheibi 2026, proposition 1, eq. 6
    and 7.

    Parameters
    ----------
    model : a network or a module with a last linear layer
    batches : (inputs, targets); targets (b,) classes, which have no variance, or (b, k) probabilities
    progress : called with the number of batches done and of all

    Returns
    -------
    GradientVariance, with variance and entropy (n,)

    Examples
    --------
    >>> import torch
    >>> model = torch.nn.Linear(2, 2)
    >>> batches = [(torch.tensor([[1.0, 0.0], [0.0, 1.0]]), torch.tensor([[0.5, 0.5], [0.0, 1.0]]))]
    >>> gradient_variance(model, batches).variance
    array([1., 0.])
    """
    from dissensus.probe.last_layer import layer_batches

    targets, squares = [], []
    for features, rows, bias in layer_batches(model, batches, progress):
        targets.append(rows)
        squares.append(_squares(features, bias))
    return _exact(np.concatenate(targets), np.concatenate(squares))


def gradient_variance_of_features(targets: Any, features: Any, *, bias: bool = True) -> GradientVariance:
    """Compute `gradient_variance` from the inputs of the last layer, without torch.

    Parameters
    ----------
    targets : (n, k) probabilities
    features : (n, d), such as `network.features(images)` returns
    bias : whether the layer has one

    Returns
    -------
    GradientVariance, with variance and entropy (n,)

    Examples
    --------
    >>> gradient_variance_of_features([[0.5, 0.5], [0.0, 1.0]], [[1.0, 0.0], [0.0, 1.0]]).variance
    array([1., 0.])
    """
    return _exact(*_check_targets(targets, features, bias))


def sample_gradient_variance(
    targets: Any, features: Any, rng: np.random.Generator, *, draws: int = 100, bias: bool = True
) -> GradientVariance:
    """Estimate the same by simulation: labels are drawn for each item, and the variance is that of their gradients.

        sum_d |g_d - mean g|^2 / (draws - 1)  =  draws/(draws - 1) (1 - sum_c s_c^2) (|h|^2 + 1),
        s the shares of the labels drawn

    Unbiased. Its error is the standard deviation over simulations, from the target:

        sqrt( (4 (D-2) (T - S^2) + 2 (S - S^2)) / (D (D-1)) ) (|h|^2 + 1),   S = sum p^2, T = sum p^3, D draws

    Hoeffding (1948), A class of statistics with asymptotically normal distribution, sec. 5, for whether two labels
    differ. The fewer the draws, the lower is `spearman`: items with one dissenting vote have variance 0 by chance.

    targets: (n, k) probabilities; features: (n, d) -> (n,) values
    """
    if draws < 2:
        raise ValueError(f"draws is {draws}; a variance needs 2 or more, better 100")
    p, squares = _check_targets(targets, features, bias)
    p = p / p.sum(axis=1, keepdims=True)
    shares = rng.multinomial(draws, p) / draws  # (n, k)
    differ = (1 - (shares**2).sum(axis=1)) * draws / (draws - 1)
    second, third = (p**2).sum(axis=1), (p**3).sum(axis=1)
    spread = 4 * (draws - 2) * (third - second**2) + 2 * (second - second**2)
    error = np.sqrt(np.maximum(spread, 0.0) / (draws * (draws - 1)))
    return GradientVariance(differ * squares, entropy(p), error * squares)


def _exact(targets: np.ndarray, squares: np.ndarray) -> GradientVariance:
    p = targets / targets.sum(axis=1, keepdims=True)
    # 1 - sum p^2, which for a target that is all but certain would lose its digits.
    variance = (p * (1 - p)).sum(axis=1) * squares
    return GradientVariance(variance, entropy(p), np.zeros_like(variance))


def _squares(features: np.ndarray, bias: bool) -> np.ndarray:
    """The square of the length of what weights and bias are multiplied by.  (n, d) -> (n,)"""
    return (features**2).sum(axis=1) + bias


def _check_targets(targets: Any, features: Any, bias: bool) -> tuple[np.ndarray, np.ndarray]:
    p, h = (np.asarray(as_array(values), dtype=np.float64) for values in (targets, features))
    if p.ndim != 2 or h.ndim != 2 or len(p) != len(h) or not len(p):
        raise ValueError(
            f"targets have shape {p.shape} and features {h.shape}; expected (n, k) and (n, d), the same items in the "
            "same order"
        )
    wrong = np.flatnonzero(~((p >= 0).all(axis=1) & (np.abs(p.sum(axis=1) - 1) <= SUM_TOLERANCE)))
    if wrong.size:
        raise Refusal(
            f"target row {wrong[0]} is {np.array2string(p[wrong[0]], precision=4, threshold=8)}; expected "
            f"probabilities that sum to 1; {wrong.size} of {len(p)} rows do not",
            ways=[PythonWay("make them of counts with Distributions.from_counts(counts).probs")],
        )
    check_finite(h, "features")
    return p, _squares(h, bias)
