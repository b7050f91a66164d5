"""Directions in the space of a network's weights: random ones, and those of the plane through three networks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import torch
from torch import nn

from dissensus.labels.refusals import PythonWay, Refusal
from dissensus.labels.streams import check_generator
from dissensus.probe.inputs import still
from dissensus.train.network import Network

Direction = Mapping[str, torch.Tensor]  # a change of each weight, by the name of the weight


def random_direction(
    model: nn.Module | Network, rng: np.random.Generator, *, biases: bool = False
) -> dict[str, torch.Tensor]:
    """Draw a random direction in which each filter has the norm of that filter of the network.

        d_f = g_f |w_f| / |g_f|,   g_f standard normal

    for the filter or row f of every weight of two dimensions or more, so that slices of networks whose weights differ
    in scale can be compared. Li et al. (2018), Visualizing the loss landscape of neural nets, section 4.

    Parameters
    ----------
    model : a network or a module
    rng : draws the direction
    biases : change biases and the weights of batch norm too, each by a vector of its norm

    Returns
    -------
    dict of tensors by name of the weight

    Examples
    --------
    >>> import torch
    >>> direction = random_direction(torch.nn.Linear(2, 2), np.random.default_rng(0))
    >>> direction["weight"].shape, direction["bias"]
    (torch.Size([2, 2]), tensor([0., 0.]))
    """
    check_generator(rng)
    with still(model) as module, torch.no_grad():
        return {name: _draw_normal(weight, rng, biases) for name, weight in module.named_parameters()}


def plane_axes(models: Sequence[nn.Module | Network]) -> tuple[Direction, Direction, np.ndarray]:
    """Two orthogonal directions of length 1, and the positions of the three networks: (3, 2)."""
    held = []
    for model in models:
        with still(model) as module:
            held.append({name: weight.detach() for name, weight in module.named_parameters()})
    first, second, third = held
    across = {name: second[name].to(weight) - weight for name, weight in first.items()}
    up = {name: third[name].to(weight) - weight for name, weight in first.items()}
    wide, far = _dot(across, across) ** 0.5, _dot(up, up) ** 0.5
    along = _dot(across, up) / wide if wide else 0.0
    across = {name: part / (wide or 1.0) for name, part in across.items()}
    up = {name: part - along * across[name] for name, part in up.items()}
    tall = _dot(up, up) ** 0.5
    if not wide or tall < 1e-5 * far or not far:
        raise ValueError("the three networks are on one line, or two of them are equal, so they define no plane")
    up = {name: part / tall for name, part in up.items()}
    return across, up, np.array([(0, 0), (wide, 0), (along, tall)], dtype=np.float64)


def _dot(a: Direction, b: Direction) -> float:
    return sum(float((a[name].double() * b[name].double()).sum()) for name in a)


def _draw_normal(weight: torch.Tensor, rng: np.random.Generator, biases: bool) -> torch.Tensor:
    if weight.ndim < 2 and not biases:
        return torch.zeros_like(weight)
    drawn = torch.from_numpy(rng.standard_normal(tuple(weight.shape))).to(weight)
    rows = weight.shape[0] if weight.ndim >= 2 else 1
    length = weight.reshape(rows, -1).norm(dim=1, keepdim=True)  # (rows, 1)
    flat = drawn.reshape(rows, -1)
    return (flat * (length / flat.norm(dim=1, keepdim=True))).reshape(weight.shape)


def check_direction(direction: Direction, weights: Mapping[str, torch.Tensor]) -> None:
    for name, part in direction.items():
        if name not in weights or part.shape != weights[name].shape:
            expected = tuple(weights[name].shape) if name in weights else "no weight of this name"
            raise Refusal(
                f"the direction changes {name}, of shape {tuple(part.shape)}, and the network has {expected}; expected "
                "a direction made for this network",
                ways=[PythonWay("make one with random_direction(model, rng)")],
            )
