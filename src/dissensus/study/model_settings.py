"""The models of a study: heads or networks, with all their settings."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from itertools import product
from typing import Any, Literal

import numpy as np

from dissensus.files.toml import TomlText
from dissensus.labels.refusals import Refusal, Toml
from dissensus.labels.settings import Setting, settings_of
from dissensus.train.heads.config import HeadConfig
from dissensus.train.heads.fit_config import HEADS, FitConfig
from dissensus.train.network_config import NetworkConfig
from dissensus.train.networks.catalogue import NETWORKS
from dissensus.train.recipes import RECIPES, extend_recipe
from dissensus.train.train_config import TrainConfig

Kind = Literal["head", "network"]

_ADAM = tuple(entry.name for entry in fields(HeadConfig) if entry.name not in ("kind", "targets", "seed"))
_MLP_ONLY = ("hidden", "dropout")
_LOGISTIC = ("penalty",)
_NETWORK = ("width", "depth")
# Compiling changes only the speed, and seeds are an axis of the study.
_LOOP = tuple(entry.name for entry in fields(TrainConfig) if entry.name not in ("seed", "compile"))
_HEAD_SETTINGS = {each.name: each for each in settings_of(FitConfig)}
_SETTINGS: dict[Kind, dict[str, Setting]] = {
    "head": _HEAD_SETTINGS,
    "network": {each.name: each for each in settings_of(NetworkConfig)} | {"keep": _HEAD_SETTINGS["keep"]},
}


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
        """For records and hashes: the same for any order of the settings."""
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


def model_settings(table: Mapping[str, Any], path: tuple[str, ...], text: TomlText) -> list[ModelSettings]:
    """List every model that a table describes: one per value of each list."""
    if "recipe" in table:
        name = text.one_of(table["recipe"], tuple(RECIPES), (*path, "recipe"))
        table = extend_recipe(name, {key: value for key, value in table.items() if key != "recipe"})
    kinds = [kind for kind in ("head", "network") if kind in table]
    if len(kinds) != 1:
        text.refuse(
            path, f"expected either head = one of {', '.join(HEADS)}, or network = one of {', '.join(NETWORKS)}"
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
            key: [
                _check_value(model_setting(kind, key), value, (*path, key), text)
                for value in _axis(key, given.get(key, [default]))
            ]
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
    """The settings of a model of that name, with their defaults."""
    if kind == "network":
        network = {key: getattr(NetworkConfig, key) for key in _NETWORK}
        return network | {key: getattr(TrainConfig, key) for key in _LOOP} | {"device": "cpu", "keep": "best"}
    if name == "logistic":
        return {key: getattr(FitConfig, key) for key in (*_LOGISTIC, "standardise")}
    settings = {key: getattr(HeadConfig, key) for key in _ADAM if name == "mlp" or key not in _MLP_ONLY}
    return settings | {"standardise": FitConfig.standardise}


def model_setting(kind: Kind, key: str) -> Setting:
    """The declaration of one setting of a head or a network."""
    return _SETTINGS[kind][key]


def _axis(key: str, value: Any) -> list[Any]:
    value = value.tolist() if isinstance(value, np.ndarray) else value
    if key == "milestones":  # each of which is a list itself
        several = isinstance(value, list | tuple) and any(isinstance(entry, list | tuple) for entry in value)
        return list(value) if several else [value]
    return [_none(entry) for entry in value] if isinstance(value, list | tuple) else [_none(value)]


def _none(value: Any) -> Any:
    """TOML has no null."""
    return None if isinstance(value, str) and value == "none" else value


def _check_value(known: Setting, value: Any, path: tuple[str, ...], text: TomlText) -> Any:
    """A value in its one spelling, since cells are named by it: 1 is 1.0 if any number is valid."""
    if known.several and not isinstance(value, list | tuple):
        text.refuse_value(path, value, "a list of epochs, such as [50, 55], or a list of such lists")
    return text.check(known, value, path)


def _check(model: ModelSettings, path: tuple[str, ...], text: TomlText) -> None:
    """Refuse settings that do not fit each other."""
    try:
        if model.kind == "network":
            _ = model.loop
        elif model.name != "logistic":
            _ = model.head
    except Refusal as refusal:
        key = next((key for key in model.settings if key in refusal.settings), None)
        with text.at(path if key is None else (*path, key)):
            raise refusal.settle(Toml()) from None
