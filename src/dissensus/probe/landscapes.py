"""Slices through the loss around a network: along one direction, over two, and over the plane of three networks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import nn

from dissensus.labels.display import shapes
from dissensus.labels.progress import Progress
from dissensus.probe.architecture import own_copy, same_architecture, same_normalisation
from dissensus.probe.batch_norm import batch_norms, renew_statistics
from dissensus.probe.directions import Direction, check_direction, plane_axes
from dissensus.probe.inputs import Batches, still
from dissensus.probe.paths import check_reiterable, mean_loss
from dissensus.train.network import Network


@dataclass(frozen=True, eq=False)
class LossLine:
    """The loss along a direction; 0 is the network itself.

    at    (p,) multiples of the direction
    loss  (p,) mean cross-entropy in nats
    """

    at: np.ndarray
    loss: np.ndarray

    __repr__ = shapes


@dataclass(frozen=True, eq=False)
class LossPlane:
    """The loss over two directions.

    x       (p,) multiples of the first direction
    y       (p,) multiples of the second
    loss    (p, p) mean cross-entropy in nats, a row for each y
    places  (m, 2) the x and y of the networks in it: of one, or of three
    """

    x: np.ndarray
    y: np.ndarray
    loss: np.ndarray
    places: np.ndarray

    __repr__ = shapes


def loss_line(
    model: nn.Module | Network,
    batches: Batches,
    direction: Direction,
    *,
    span: float = 1.0,
    points: int = 21,
    renew_statistics_on: Batches | None = None,
    progress: Progress | None = None,
) -> LossLine:
    """Compute the loss at w + a d for a from -span to span.

    Parameters
    ----------
    model : a network or a module
    batches : a re-iterable of (inputs, targets)
    direction : a change of the weights by name, such as `random_direction` returns; other weights stay
    span : largest multiple of the direction
    points : number of a; an odd number includes the network itself
    renew_statistics_on : batches from which batch norm gets its mean and variance at each point; None: it keeps those
        of the network, as Li et al. do
    progress : called with the number of points done and of all

    Returns
    -------
    LossLine, with at and loss (points,)

    Examples
    --------
    >>> import torch
    >>> model = torch.nn.Linear(2, 2)
    >>> batches = [(torch.tensor([[1.0, 0.0], [0.0, 1.0]]), torch.tensor([[0.5, 0.5], [0.0, 1.0]]))]
    >>> loss_line(model, batches, random_direction(model, np.random.default_rng(0)), points=3).at
    array([-1.,  0.,  1.])
    """
    at = _steps(span, points)
    losses = _losses(model, batches, (direction,), at[:, None], renew_statistics_on, progress)
    return LossLine(at, losses)


def loss_plane(
    model: nn.Module | Network,
    batches: Batches,
    directions: tuple[Direction, Direction],
    *,
    span: float = 1.0,
    points: int = 11,
    renew_statistics_on: Batches | None = None,
    progress: Progress | None = None,
) -> LossPlane:
    """Compute the loss at w + x d + y e for x and y from -span to span, in points^2 passes over the batches.

    Parameters
    ----------
    model, batches, span, renew_statistics_on, progress : as for `loss_line`
    directions : two changes of the weights
    points : number of x, and of y

    Returns
    -------
    LossPlane, with loss (points, points)

    Examples
    --------
    >>> import torch
    >>> model = torch.nn.Linear(2, 2)
    >>> batches = [(torch.tensor([[1.0, 0.0], [0.0, 1.0]]), torch.tensor([[0.5, 0.5], [0.0, 1.0]]))]
    >>> rng = np.random.default_rng(0)
    >>> directions = random_direction(model, rng), random_direction(model, rng)
    >>> loss_plane(model, batches, directions, points=3).loss.shape
    (3, 3)
    """
    at = _steps(span, points)
    where = np.stack([np.tile(at, points), np.repeat(at, points)], axis=1)  # (p p, 2), x the faster
    losses = _losses(model, batches, directions, where, renew_statistics_on, progress)
    return LossPlane(at, at, losses.reshape(points, points), np.zeros((1, 2)))


def plane_through(
    models: Sequence[nn.Module | Network],
    batches: Batches,
    *,
    points: int = 11,
    margin: float = 0.2,
    renew_statistics_on: Batches | None = None,
    progress: Progress | None = None,
) -> LossPlane:
    """Compute the loss over the plane through three networks of the same architecture, with distances as they are.

    The first is at (0, 0), the second at (d, 0), where d is the distance of their weights, the third above. Batch norm
    gets its mean and variance from data again at each point, also at the networks' own: between networks there are no
    statistics to keep. Garipov et al. (2018), Loss surfaces, mode connectivity, and fast ensembling of DNNs, figure 1.

    Parameters
    ----------
    models : three networks or modules
    batches : a re-iterable of (inputs, targets)
    points : number of x, and of y
    margin : how far the map extends beyond the three, as a share of its width
    renew_statistics_on : images of the training set; None: the given batches
    progress : called with the number of points done and of all

    Returns
    -------
    LossPlane, with loss (points, points) and the places of the networks

    Examples
    --------
    >>> import torch
    >>> model = torch.nn.Linear(2, 2)
    >>> batches = [(torch.tensor([[1.0, 0.0], [0.0, 1.0]]), torch.tensor([[0.5, 0.5], [0.0, 1.0]]))]
    >>> plane_through([model, torch.nn.Linear(2, 2), torch.nn.Linear(2, 2)], batches, points=3).places.shape
    (3, 2)
    """
    if len(models) != 3:
        raise ValueError(f"there are {len(models)} networks; a plane goes through 3")
    for other in models[1:]:
        same_architecture(models[0], other)
        same_normalisation(models[0], other)
    across, up, places = plane_axes(models)
    low, high = places.min(axis=0), places.max(axis=0)
    room = margin * (high - low)
    if points < 2:
        raise ValueError(f"points is {points}; expected 2 or more for each side of the map")
    x, y = np.linspace(low - room, high + room, points).T
    where = np.stack([np.tile(x, points), np.repeat(y, points)], axis=1)
    renew_on = batches if renew_statistics_on is None else renew_statistics_on
    losses = _losses(models[0], batches, (across, up), where, renew_on, progress)
    return LossPlane(x, y, losses.reshape(points, points), places)


def _losses(
    model: nn.Module | Network,
    batches: Batches,
    directions: Sequence[Direction],
    where: np.ndarray,
    renew_on: Batches | None,
    progress: Progress | None,
) -> np.ndarray:
    """The loss at each sum of multiples of the directions.  where: (q, directions) -> (q,)"""
    check_reiterable(batches, "batches")
    check_reiterable(renew_on, "renew_statistics_on")
    losses = np.empty(len(where))
    with still(model) as module:
        weights = dict(module.named_parameters())
        for direction in directions:
            check_direction(direction, weights)
        moved = own_copy(module)
        renew = renew_on is not None and batch_norms(moved)
        for place, amounts in enumerate(where.tolist()):
            with torch.no_grad():
                for name, weight in moved.named_parameters():
                    weight.copy_(weights[name])
                    for amount, direction in zip(amounts, directions, strict=True):
                        if name in direction:
                            weight.add_(direction[name].to(weight), alpha=amount)
            if renew and renew_on is not None:
                renew_statistics(moved, renew_on)
            losses[place] = mean_loss(moved, batches)
            if progress is not None:
                progress(place + 1, len(where))
    if np.isnan(losses).all():
        raise ValueError("the loss is NaN everywhere on the slice: check the inputs and the weights for NaN")
    return losses


def _steps(span: float, points: int) -> np.ndarray:
    if not 0 < span < np.inf or points < 2:
        raise ValueError(
            f"span is {span:g} and points is {points}; expected a span above 0, as a multiple of the direction, and 2 "
            "points or more"
        )
    return np.linspace(-span, span, points)
