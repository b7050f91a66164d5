"""The kinds of labels that the paper compares, by name: where each stands among the cells of the studies."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

GAMMA, BETA = 0.1, 0.05  # as the paper chose them
GAMMAS = (0.0, 0.01, 0.05, 0.1, 0.2, 0.3, 0.4)
BETAS = (0.0, 0.0001, 0.001, 0.01, 0.05, 0.1, 0.2, 0.3, 0.4)
SMOOTHED = f"soft | smoothed={BETA}"
VOTES = (1, 2, 4, 8, 16, 32)  # annotators of CIFAR-10H in figure 6, besides all of them
BELIEFS = (1, 2, 3, 4, 5)  # those of CIFAR-10S
COMPLETIONS = ("t1-uniform", "t1-clamp", "t2-uniform", "t2-clamp", "top-two-only")


@dataclass(frozen=True)
class Kind:
    """A kind of labels.

    study  "votes" or "beliefs": which study has it
    arm    the settings by which its cells are known
    """

    study: str
    arm: Mapping[str, Any]


def _votes(data: str, delivery: str = "soft", votes: int | str = "all") -> Kind:
    return Kind("votes", {"data": data, "delivery": delivery, "votes": votes})


def _beliefs(completion: str, delivery: str = "deaggregated", votes: int | str = "all") -> Kind:
    return Kind("beliefs", {"completion": completion, "delivery": delivery, "votes": votes})


KINDS: dict[str, Kind] = {
    "hard": _votes("hard"),
    "random": _votes("random"),
    "uniform": _votes("uniform"),
    "smoothed": _votes("hard", SMOOTHED),
    "h aggregated": _votes("h"),
    "h": _votes("h", "deaggregated"),
    **{f"h {count}": _votes("h", "deaggregated", count) for count in VOTES},
    "s aggregated": _beliefs("t2-clamp", "soft"),
    "s": _beliefs("t2-clamp"),
    **{f"s {count}": _beliefs("t2-clamp", votes=count) for count in BELIEFS},
    **{name: _beliefs(name) for name in COMPLETIONS if name != "t2-clamp"},
}
"""Labels of the 900 images by name; all other images have their CIFAR-10 class."""


def kind_of(study: str, arm: Mapping[str, Any]) -> str:
    """The name of the kind that an arm of a study is."""
    return next(
        name
        for name, kind in KINDS.items()
        if kind.study == study and all(arm[key] == value for key, value in kind.arm.items())
    )
