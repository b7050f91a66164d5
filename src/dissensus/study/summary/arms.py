"""The arms of a study: all settings that its cells share except the seed, with names by what differs."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from dissensus.study.grid import list_varying, matches
from dissensus.study.spec import AXES

Settings = dict[str, Any]
_PLAIN = ("data", "delivery", "model")  # values that are clear without the name of their setting


@dataclass(frozen=True)
class Arm:
    """One combination of settings, repeated over seeds and folds.

    settings  the values of AXES and every setting of the model
    records   of its cells, failures among them
    """

    name: str
    settings: Settings
    records: tuple[dict[str, Any], ...]

    @property
    def done(self) -> list[dict[str, Any]]:
        return [record for record in self.records if record["status"] == "done"]


def arms_of(records: Sequence[dict[str, Any]]) -> tuple[Arm, ...]:
    """The arms in the order of their first cells."""
    groups: dict[str, list[dict[str, Any]]] = {}
    for record in records:
        groups.setdefault(json.dumps(record["arm"], sort_keys=True), []).append(record)
    settings = [group[0]["arm"] for group in groups.values()]
    names = arm_names(settings)
    return tuple(
        Arm(name, each, tuple(group)) for name, each, group in zip(names, settings, groups.values(), strict=True)
    )


def arm_names(settings: Sequence[Settings]) -> list[str]:
    """A name for each arm by what differs: "soft · 3 votes", "mlp · hidden 64".

    Settings of a model are named only where arms of the same model differ by them: those of another model say nothing.
    """
    axes = [key for key in list_varying(list(settings)) if key in AXES]
    by_model: dict[str, list[Settings]] = {}
    for each in settings:
        by_model.setdefault(each["model"], []).append(each)
    keys = {model: axes + [key for key in list_varying(same) if key not in AXES] for model, same in by_model.items()}
    return [
        " · ".join(_name_value(key, each.get(key)) for key in keys[each["model"]] or ("delivery", "model"))
        for each in settings
    ]


def _name_value(key: str, value: Any) -> str:
    if key in _PLAIN:
        return str(value)
    if key == "votes":
        return "1 vote" if value == 1 else f"{value} votes"
    return f"no {key}" if value in ("none", None) else f"{key} {value}".replace("_", " ")


def shared_settings(settings: Sequence[Settings]) -> Settings:
    """The settings that all arms share, in the order of the first."""
    differing = set(list_varying(list(settings)))
    return {key: value for key, value in settings[0].items() if key not in differing} if settings else {}


def baseline_of(arm: Arm, arms: Sequence[Arm], rule: Mapping[str, Any]) -> tuple[Arm | None, str]:
    """The arm that this one is compared with: that with the baseline's values which is like it in all else.

    Where the baseline is another model, whose settings are others, it is like the arm in the other axes and in those
    settings by which the candidates differ. Without exactly one such arm: None, and why.
    """
    others = [other for other in arms if matches(other.settings, rule) and _like(arm, other, rule)]
    if len(others) > 1 and "model" in rule:
        open_keys = [key for key in list_varying([other.settings for other in others]) if key in arm.settings]
        others = [o for o in others if all(o.settings.get(key) == arm.settings[key] for key in open_keys)] or others
    if len(others) == 1:
        return others[0], ""
    said = ", ".join(f"{key} = {value}" for key, value in rule.items())
    if others:
        names = "; ".join(other.name for other in others)
        return None, f"{arm.name} is not compared: {len(others)} arms have {said} and are like it otherwise ({names})"
    return None, f"{arm.name} is not compared: no arm with {said} is like it in all else"


def _like(arm: Arm, other: Arm, rule: Mapping[str, Any]) -> bool:
    keys = AXES if "model" in rule else tuple(dict.fromkeys([*arm.settings, *other.settings]))
    return all(arm.settings.get(key) == other.settings.get(key) for key in keys if key not in rule)
