"""The models of a study: heads or networks, with every setting that decides what they become."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from itertools import product
from typing import Any, Literal

import numpy as np

from dissensus.study.spec_lines import SpecText
from dissensus.train.heads.config import HeadConfig
from dissensus.train.heads.fitting import HEADS, FitConfig
from dissensus.train.network_config import NetworkConfig
from dissensus.train.networks.catalogue import NETWORKS
from dissensus.train.train_config import TrainConfig

Kind = Literal["head", "network"]

_ADAM = tuple(entry.name for entry in fields(HeadConfig) if entry.name not in ("kind", "targets", "seed"))
_MLP_ONLY = ("hidden", "dropout")
_LOGISTIC = ("penalty",)
_NETWORK = ("width", "depth")
# What only changes how fast a network trains, or on what, is no setting of a study: `threads` are the engine's.
_LOOP = tuple(entry.name for entry in fields(TrainConfig) if entry.name not in ("seed", "compile"))
_TYPES = {
    entry.name: str(entry.type)
    for config in (FitConfig, NetworkConfig, TrainConfig, HeadConfig)
    for entry in fields(config)
}
KEPT = ("best", "last")


@dataclass(frozen=True)
class ModelSettings:
    """One model with one value for each setting.

    kind      "head" on features, or "network" on images
    name      of HEADS or NETWORKS
    settings  every setting it has, also those left at their defaults
    """

    kind: Kind
    name: str
    settings: Mapping[str, Any]

    def as_json(self) -> dict[str, Any]:
        """For records and hashes: the same whatever order the settings were written in."""
        plain = sorted(self.settings.items())
        return {self.kind: self.name, **{key: list(it) if isinstance(it, tuple) else it for key, it in plain}}

    @property
    def head(self) -> HeadConfig:
        """How Adam trains this head."""
        chosen = {key: value for key, value in self.settings.items() if key in _ADAM}
        return HeadConfig(kind=self.name, **chosen)

    @property
    def loop(self) -> TrainConfig:
        """How this network is trained."""
        return TrainConfig(**{key: value for key, value in self.settings.items() if key in _LOOP})


def model_settings(table: Mapping[str, Any], path: tuple[str, ...], text: SpecText) -> list[ModelSettings]:
    """Every model that a table describes: a list as the value of a setting stands for one model each."""
    kinds = [kind for kind in ("head", "network") if kind in table]
    if len(kinds) != 1:
        text.refuse(
            path, f"expected one of two: head = one of {', '.join(HEADS)}, or network = one of {', '.join(NETWORKS)}"
        )
    kind: Kind = "head" if kinds[0] == "head" else "network"
    names = table[kind] if isinstance(table[kind], list | tuple) else [table[kind]]
    if not names:
        text.refuse((*path, kind), "is an empty list, so the study would have no cells; expected one name or more")
    models: list[ModelSettings] = []
    for name in names:
        text.one_of(name, HEADS if kind == "head" else tuple(NETWORKS), (*path, kind))
        defaults = default_settings(kind, name)
        given = {key: value for key, value in table.items() if key != kind}
        others = sorted(set().union(*(default_settings(kind, other) for other in names)) - set(defaults))
        text.check_keys({key: value for key, value in given.items() if key not in others}, tuple(defaults), path)
        axes = {
            key: [_typed(key, value, (*path, key), text) for value in _axis(key, given.get(key, [default]))]
            for key, default in defaults.items()
        }
        for key, values in axes.items():
            if not values:
                text.refuse((*path, key), "is an empty list, so the study would have no cells")
            twice = next((value for place, value in enumerate(values) if value in values[:place]), None)
            if twice is not None:
                text.refuse((*path, key), f"has {twice!r} twice; expected each value once")
        for chosen in product(*axes.values()):
            settings = dict(zip(axes, chosen, strict=True))
            if kind == "network":  # as published, written out: the same cells whether somebody writes it or not
                settings |= {key: getattr(NETWORKS[name], key) for key in _NETWORK if settings[key] is None}
            model = ModelSettings(kind, name, settings)
            _check(model, path, text)
            models.append(model)
    return models


def default_settings(kind: Kind, name: str) -> dict[str, Any]:
    """What a model of that name can be told, with its defaults."""
    if kind == "network":
        network = {key: getattr(NetworkConfig, key) for key in _NETWORK}
        return network | {key: getattr(TrainConfig, key) for key in _LOOP} | {"device": "cpu", "keep": "best"}
    if name == "logistic":
        return {key: getattr(FitConfig, key) for key in (*_LOGISTIC, "standardise")}
    settings = {key: getattr(HeadConfig, key) for key in _ADAM if name == "mlp" or key not in _MLP_ONLY}
    return settings | {"standardise": FitConfig.standardise}


def _axis(key: str, value: Any) -> list[Any]:
    value = value.tolist() if isinstance(value, np.ndarray) else value
    if key == "milestones":  # each of which is a list itself
        several = isinstance(value, list | tuple) and any(isinstance(entry, list | tuple) for entry in value)
        return list(value) if several else [value]
    return [_none(entry) for entry in value] if isinstance(value, list | tuple) else [_none(value)]


def _none(value: Any) -> Any:
    """TOML has no word for nothing."""
    return None if isinstance(value, str) and value == "none" else value


_EXPECTED = {
    "penalty": 'a number above 0, or "none": chosen by the items held out',
    "device": 'a device such as "cpu", "cuda" or "cuda:1"',
    "milestones": "a list of epochs, such as [50, 55], or a list of such lists",
} | dict.fromkeys(_NETWORK, 'a whole number of 1 or more, or "none": as published')


def _typed(key: str, value: Any, path: tuple[str, ...], text: SpecText) -> Any:
    """A value, written in one way, as cells are named by it: 1 is 1.0 where any number may stand.

    Python would take "false" for true, and true for 1. Whether a number is within its bounds is seen by the one who
    takes it, but for the size of a network, which only making it would find out.
    """
    kind = _TYPES.get(key, "str")
    value = value.item() if isinstance(value, np.generic) else value
    if value is None and kind.endswith("None"):
        return None
    number = isinstance(value, int | float) and not isinstance(value, bool)
    whole = number and isinstance(value, int)
    if key == "milestones":
        fits, expected = isinstance(value, list | tuple), ""
    elif kind.startswith("float"):
        fits, expected = number, "a number"
    elif kind == "bool":
        fits, expected = isinstance(value, bool), "true or false"
    elif kind.startswith("int"):
        fits, expected = whole and (key not in _NETWORK or value > 0), "a whole number"
    else:
        fits, expected = isinstance(value, str), "a text"
    if not fits:
        text.refuse(path, f"is {value!r}; expected {_EXPECTED.get(key, expected)}")
    if key == "milestones":
        return tuple(value)
    return float(value) if kind.startswith("float") else value


def _check(model: ModelSettings, path: tuple[str, ...], text: SpecText) -> None:
    if model.kind == "network":
        text.one_of(model.settings["keep"], KEPT, (*path, "keep"))
    try:
        if model.kind == "network":
            _ = model.loop
        elif model.name == "logistic":
            FitConfig(head="logistic", penalty=model.settings["penalty"])
        else:
            _ = model.head
    except (ValueError, TypeError) as problem:
        said = str(problem).removeprefix("the ")
        key = next((key for key in model.settings if said.startswith(key)), None)
        text.refuse(path if key is None else (*path, key), str(problem))
