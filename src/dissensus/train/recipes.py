"""RECIPES: settings of training that belong together, by name."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from dissensus.labels.refusals import one_of
from dissensus.labels.settings import make_config
from dissensus.train.network_config import NetworkConfig

RECIPES: dict[str, dict[str, Any]] = {
    # On CPUs nine tenths of a step are convolutions; everything here is for fewer and cheaper steps. Small batches
    # cost nothing there, and a high rate that ends at 0 uses each of them.
    "fast": {
        "network": "swift",
        "epochs": 30,
        "batch": 128,
        "learning_rate": 0.3,
        "momentum": 0.85,
        "nesterov": True,
        "weight_decay": 0.002,
        "schedule": "triangle",
        "border": "reflect",
        "alternate_flip": True,
    },
}
"""Every recipe by its name, as settings of `NetworkConfig` and `TrainConfig`; a new one is an entry here."""


def network_recipe(name: str, **settings: Any) -> NetworkConfig:
    """Make the settings of a recipe, some of them replaced.

    Parameters
    ----------
    name : a name of RECIPES
    settings : settings of `NetworkConfig` or `TrainConfig` that replace those of the recipe

    Returns
    -------
    NetworkConfig

    Examples
    --------
    >>> config = network_recipe("fast", epochs=8, delivery="multipass")
    >>> config.network, config.delivery, config.training.epochs, config.training.schedule
    ('swift', 'multipass', 8, 'triangle')
    """
    return make_config(NetworkConfig, extend_recipe(name, settings))


def extend_recipe(name: str, settings: Mapping[str, Any]) -> dict[str, Any]:
    """Settings of a recipe, replaced by those that are given."""
    return RECIPES[one_of("recipe", name, RECIPES)] | dict(settings)
