"""The loss on the straight line between two networks, and its barrier."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
import torch
from torch import nn

from dissensus.labels.display import shapes
from dissensus.labels.refusals import PythonWay, Refusal
from dissensus.probe.architecture import own_copy, same_architecture, same_normalisation, state_of
from dissensus.probe.batch_norm import batch_norms, renew_statistics
from dissensus.probe.inputs import Batches, ImageBatches, still, tensors_of
from dissensus.train.loss import soft_cross_entropy
from dissensus.train.network import Network


@dataclass(frozen=True, eq=False)
class LossCurve:
    """The loss L at points t of the way from one network (t = 0) to another (t = 1).

    at    (p,) from 0 to 1
    loss  (p,) mean cross-entropy in nats
    """

    at: np.ndarray
    loss: np.ndarray

    __repr__ = shapes

    @property
    def ends(self) -> tuple[float, float]:
        """The loss of the two networks themselves."""
        return float(self.loss[0]), float(self.loss[-1])

    @property
    def barrier(self) -> float:
        """How far the loss rises above the straight line between its ends: the largest L(t) - (1-t) L(0) - t L(1).

        Over the points between the ends, where Entezari et al. (2022) have the ends among them and so never get less
        than 0. Below 0 the loss is lower on the way than a straight line: there is no barrier, and networks in between
        are better than the two on average, as always where the loss is convex.
        """
        return float(self._rise()[self._highest()])

    @property
    def highest(self) -> float:
        """The t at which the loss is farthest above the straight line."""
        return float(self.at[self._highest()])

    @property
    def above_mean(self) -> float:
        """The largest loss, ends included, less the mean of the ends: the barrier of Frankle et al. (2020).

        Equal to `barrier` where both ends have the same loss; otherwise half of their difference or more.
        """
        return float(self.loss.max() - (self.loss[0] + self.loss[-1]) / 2)

    def _rise(self) -> np.ndarray:
        return self.loss - ((1 - self.at) * self.loss[0] + self.at * self.loss[-1])  # (p,)

    def _highest(self) -> int:
        return 1 + int(self._rise()[1:-1].argmax())


@dataclass(frozen=True, eq=False)
class Barrier:
    """The line between two networks, with two treatments of batch-norm statistics.

    interpolated  running means and variances lie on the straight line, like the weights. They fit no network in
                  between, so that the loss can look far worse than it is
    renewed       at every point, the ends too, they are taken from data again
    batch_norms   how many layers keep such statistics; with none, both curves are the same
    """

    interpolated: LossCurve
    renewed: LossCurve
    batch_norms: int

    __repr__ = shapes


def barrier(
    model: nn.Module | Network,
    other: nn.Module | Network,
    batches: Batches,
    *,
    points: int = 11,
    renew_statistics_on: Batches | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Barrier:
    """Compute the loss on the straight line between two networks of the same architecture.

        w(t) = (1 - t) w_model + t w_other,   L(t) = mean cross-entropy of w(t) on the batches

    Gheibi 2026, 5.3 and figure 11; Frankle et al. (2020), Linear mode connectivity and the lottery ticket hypothesis;
    Entezari et al. (2022), The role of permutation invariance in linear mode connectivity. Both models stay as they
    are. With `image_batches`, the normalisation of the images is interpolated too; other batches are refused for
    networks that differ in it.

    Parameters
    ----------
    model, other : networks or modules
    batches : a re-iterable of (inputs, targets); the mean is over items, whatever the sizes of the batches
    points : number of t, both ends included, evenly spaced
    renew_statistics_on : batches from which batch norm gets its mean and variance at each point: images of the training
        set, without augmentation. None: the given batches; their targets are not used
    progress : called with the number of points done and of all

    Returns
    -------
    Barrier, with a loss curve for renewed and for interpolated statistics

    Examples
    --------
    >>> import torch
    >>> model = torch.nn.Linear(2, 2)
    >>> batches = [(torch.tensor([[1.0, 0.0], [0.0, 1.0]]), torch.tensor([[0.5, 0.5], [0.0, 1.0]]))]
    >>> barrier(model, torch.nn.Linear(2, 2), batches, points=3).renewed.at
    array([0. , 0.5, 1. ])
    """
    if points < 3:
        raise ValueError(f"points is {points}; expected 3 or more: the two ends and something in between")
    check_reiterable(batches, "batches")
    check_reiterable(renew_statistics_on, "renew_statistics_on")
    same_architecture(model, other)
    renew_on = batches if renew_statistics_on is None else renew_statistics_on
    if not (isinstance(batches, ImageBatches) and isinstance(renew_on, ImageBatches)):
        same_normalisation(model, other)
    at = np.linspace(0, 1, points)
    losses = np.empty((2, points))
    with still(model) as start, still(other) as end:
        between = own_copy(start)
        first, last = state_of(start), state_of(end)
        norms = len(batch_norms(between))
        for place, t in enumerate(at.tolist()):
            _interpolate(between, first, last, t)
            here = _interpolate_normalisation(batches, model, other, t)
            losses[:, place] = mean_loss(between, here)
            if norms:
                renew_statistics(between, _interpolate_normalisation(renew_on, model, other, t))
                losses[1, place] = mean_loss(between, here)
            _check_loss(losses[:, place], f"at t = {t:g}, between the two networks,")
            if progress is not None:
                progress(place + 1, points)
    return Barrier(LossCurve(at, losses[0]), LossCurve(at, losses[1]), norms)


def mean_loss(module: nn.Module, batches: Batches) -> float:
    """Mean cross-entropy over items, in nats."""
    total, items = 0.0, 0
    with torch.no_grad():
        for inputs, targets in tensors_of(module, batches):
            loss = soft_cross_entropy(module(inputs), targets, reduction="sum")
            total, items = total + float(loss), items + len(targets)
    if not items:
        raise ValueError("the batches contain no items; expected one or more batches of (inputs, targets)")
    return total / items


def check_reiterable(batches: object, name: str) -> None:
    if batches is not None and iter(batches) is batches:  # type: ignore[call-overload]
        raise Refusal(
            f"{name} is a {type(batches).__name__}, which can be iterated only once; expected a list of "
            "(inputs, targets) or a DataLoader",
            ways=[PythonWay("make batches of images with image_batches(...)")],
        )


def _interpolate_normalisation(
    batches: Batches, model: nn.Module | Network, other: nn.Module | Network, t: float
) -> Batches:
    """Interpolate the normalisation of image batches; other batches stay as they are."""
    if not (isinstance(batches, ImageBatches) and isinstance(model, Network) and isinstance(other, Network)):
        return batches
    if (model.mean, model.std) == (other.mean, other.std):
        return batches
    mean, std = (
        tuple((1 - t) * a + t * b for a, b in zip(getattr(model, name), getattr(other, name), strict=True))
        for name in ("mean", "std")
    )
    return replace(batches, network=replace(model, mean=mean, std=std))


def _interpolate(between: nn.Module, first: dict[str, torch.Tensor], last: dict[str, torch.Tensor], t: float) -> None:
    with torch.no_grad():
        for name, held in state_of(between).items():
            if held.is_floating_point():
                held.copy_(torch.lerp(first[name], last[name].to(first[name].device), t))  # exact at both ends


def _check_loss(losses: np.ndarray, where: str) -> None:
    if np.isnan(losses).any():
        raise ValueError(
            f"{where} the loss is NaN: check the inputs for NaN, and whether the networks overflow in their precision"
        )
