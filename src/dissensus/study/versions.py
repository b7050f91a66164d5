"""Versions of methods, recorded in cells: numbers raised by hand, never by an edit of the code.

Raise the number of a method in the change that makes it give other results from the same settings; the cells that use
it then run again, and no others. A faster or cleaner way to the same numbers raises nothing.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

STUDY = 1  # splits, streams of seeds, what a cell is: all cells
METHODS: dict[str, int] = {"mace": 2, "posterior": 3, "shrinkage": 3, "t1-clamp": 2}
"""Methods that changed since they were added, by their name in studies."""


def versions_of(settings: Mapping[str, Any]) -> dict[str, int]:
    """The versions of what a cell uses; methods that never changed are not in it."""
    labels, model = settings["labels"], settings["model"]
    pipes = f"{settings['delivery']} | {labels['transforms']}"
    used = {step.strip().partition("=")[0] for step in pipes.split("|")}
    used |= {labels["completion"], labels["aggregation"], model.get("head"), model.get("network"), *settings["probes"]}
    return {"study": STUDY} | {name: METHODS[name] for name in sorted(used - {None, ""}) if name in METHODS}
