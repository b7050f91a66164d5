"""Every network of the catalogue, small enough to run in a test."""

from __future__ import annotations

from typing import Any

import torch

from dissensus.train.networks import NETWORKS

_BY_FAMILY: dict[str, dict[str, Any]] = {
    "preact_resnet": {"width": 2, "depth": 11},
    "wide_resnet": {"width": 1, "depth": 10},
    "resnext": {"width": 1, "depth": 11},
    "densenet": {"width": 4, "depth": 10},
    "pyramidnet": {"width": 4, "depth": 8, "alpha": 7},
    "shake_shake": {"width": 4, "depth": 8},
}
_BY_NAME: dict[str, dict[str, Any]] = {
    "resnet18": {"depth": 10},
    "resnet34a": {"depth": 10},
    "resnet110": {"depth": 8},
}


def tiny(name: str, classes: int = 3, seed: int = 0, **further: Any) -> Any:
    """The network with 4 channels at its narrowest and the fewest layers its family has."""
    smallest = {"width": 4} | _BY_FAMILY.get(NETWORKS[name].family, {}) | _BY_NAME.get(name, {})
    with torch.random.fork_rng():
        torch.manual_seed(seed)
        return NETWORKS[name](classes, **(smallest | further))


def images(*shape: int, seed: int = 1) -> torch.Tensor:
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed))
