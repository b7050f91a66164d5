"""NETWORKS: networks by name. Listing the names needs no torch, making a network does."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from importlib import import_module
from typing import TYPE_CHECKING, Any

import numpy as np

from dissensus.fronts import not_installed
from dissensus.labels.refusals import add_place, one_of

if TYPE_CHECKING:
    from torch import nn


@dataclass(frozen=True)
class Recipe:
    """A published network: its family, and the width, depth and options it was published with.

    Called, it makes the network, as `make_network` does; for that it has to be an entry of `NETWORKS`.

    Parameters
    ----------
    family : module of this folder; its function of the same name makes the network
    width : its unit differs between families, see the family's function
    depth : layers with weights on the path from image to logits, as the papers count them
    options : further arguments of the family's function

    Examples
    --------
    >>> NETWORKS["thin18"] = Recipe("resnet", width=4, depth=18)
    >>> make_network("thin18", classes=3).recipe["width"]
    4
    >>> del NETWORKS["thin18"]
    """

    family: str
    width: int
    depth: int
    options: Mapping[str, Any] = field(default_factory=dict)

    def __call__(
        self,
        classes: int = 10,
        *,
        width: int | None = None,
        depth: int | None = None,
        channels: int = 3,
        **options: Any,
    ) -> nn.Module:
        """The network with fresh weights, drawn from torch's global generator: (b, channels, h, w) -> (b, classes).

        Its attribute `recipe` is a dict for JSON with everything that was asked for and every default, so that
        `make_network(**module.recipe)` makes the same network again, with other weights.
        """
        name = _name_of(self)
        asked: dict[str, Any] = {
            "classes": _whole_number(name, "classes", classes, least=2),
            "width": _whole_number(name, "width", self.width if width is None else width, least=1),
            "depth": _whole_number(name, "depth", self.depth if depth is None else depth, least=1),
            "channels": _whole_number(name, "channels", channels, least=1),
        }
        make = self._maker(name)
        known = inspect.signature(make).parameters
        for option in options:
            one_of(f"option of {name}", option, list(known)[1:])
        defaults = {key: known[key].default for key in known if key not in asked}
        asked |= defaults | dict(self.options) | options
        asked = {key: value.item() if isinstance(value, np.generic) else value for key, value in asked.items()}
        try:
            module = make(**asked)
        except ValueError as problem:
            raise add_place(problem, name) from None
        module.recipe = {"network": name} | asked
        return module

    def _maker(self, name: str) -> Callable[..., nn.Module]:
        try:
            return getattr(import_module(f"dissensus.train.networks.{self.family}"), self.family)
        except ModuleNotFoundError as missing:
            if (missing.name or "").partition(".")[0] != "torch":
                raise
            raise not_installed(f"the network {name}", "torch") from None


NETWORKS: dict[str, Recipe] = {
    "resnet18": Recipe("resnet", width=64, depth=18),
    "resnet34a": Recipe("resnet", width=64, depth=34, options={"shortcuts": "identity"}),
    "resnet50": Recipe("resnet", width=64, depth=50, options={"block": "bottleneck"}),
    "resnet110": Recipe("resnet", width=16, depth=110, options={"stages": 3, "shortcuts": "identity"}),
    "preact_resnet164": Recipe("preact_resnet", width=16, depth=164),
    "vgg11": Recipe("vgg", width=64, depth=11),
    "vgg15": Recipe("vgg", width=64, depth=15),
    "wrn28_10": Recipe("wide_resnet", width=10, depth=28),
    "resnext29_8x64": Recipe("resnext", width=64, depth=29, options={"cardinality": 8}),
    "densenet_bc_100_12": Recipe("densenet", width=12, depth=100),
    "pyramidnet110_270": Recipe("pyramidnet", width=16, depth=110, options={"alpha": 270}),
    "shake_shake26_2x64": Recipe("shake_shake", width=64, depth=26),
    "resnext_small": Recipe("resnext", width=1, depth=11, options={"cardinality": 8, "stem": 8}),
    "pyramidnet_small": Recipe("pyramidnet", width=8, depth=8, options={"alpha": 40}),
    "small": Recipe("small", width=16, depth=4),
    "swift": Recipe("swift", width=32, depth=3),
}
"""Every network by its name; a new one is a line here."""


def make_network(
    network: str,
    classes: int = 10,
    *,
    width: int | None = None,
    depth: int | None = None,
    channels: int = 3,
    **options: Any,
) -> nn.Module:
    """Make a network by its name, with fresh weights from torch's global generator.

    `make_network(**module.recipe)` makes the same network again, with other weights.

    Parameters
    ----------
    network : name of a network, as in `NETWORKS`
    classes : number of classes
    width, depth : size; by default that of the entry
    channels : 3 for red, green and blue, 1 for grey
    **options : further arguments of the network's family

    Returns
    -------
    torch.nn.Module, (b, channels, h, w) -> (b, classes), with its settings in the attribute `recipe`

    Examples
    --------
    >>> import torch
    >>> module = make_network("small", classes=3, width=2)
    >>> module(torch.zeros(1, 3, 32, 32)).shape
    torch.Size([1, 3])
    """
    return NETWORKS[one_of("network", network, NETWORKS)](
        classes, width=width, depth=depth, channels=channels, **options
    )


def check_network(network: str, classes: int, channels: int, *, width: int | None, depth: int | None) -> None:
    """Refuse sizes that a network cannot have: it is made without weights, and no random number is drawn."""
    _make_without_weights(network, classes, width=width, depth=depth, channels=channels)


def parameter_count(network: str, classes: int = 10, *, width: int | None = None, depth: int | None = None) -> int:
    """Count the parameters of a network; it is made without weights, and no random number is drawn."""
    module = _make_without_weights(network, classes, width=width, depth=depth)
    return sum(weight.numel() for weight in module.parameters())


def _make_without_weights(network: str, classes: int, **sizes: Any) -> nn.Module:
    import torch

    with torch.random.fork_rng([]), torch.device("meta"):
        return make_network(network, classes, **sizes)


def _name_of(recipe: Recipe) -> str:
    for name, entry in NETWORKS.items():
        if entry is recipe:
            return name
    raise ValueError(
        f"this recipe of the family {recipe.family} has no name, so no file could say what was made; "
        "put it into the dictionary first: NETWORKS[name] = recipe"
    )


def _whole_number(name: str, what: str, value: Any, least: int) -> int:
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < least:
        raise ValueError(f"{name}: {what} is {value!r}; expected a whole number from {least} up")
    return int(value)
