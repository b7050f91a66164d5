"""What a study was made on, and what the names of its values mean, for a reader who knows nothing of the code."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any

from dissensus.aggregate.aggregations import AGGREGATIONS
from dissensus.deliver.deliveries import DELIVERIES
from dissensus.deliver.wrappers import WRAPPERS
from dissensus.labels.completion import COMPLETIONS
from dissensus.labels.transforms import TRANSFORMS
from dissensus.study.pipes import steps_of
from dissensus.study.summary.summary import Summary

_MODELS = {
    "mlp": "A network with one hidden layer, on features that stay as they are.",
    "linear": "One linear layer, on features that stay as they are.",
    "logistic": "Logistic regression on features that stay as they are, solved exactly.",
}
_NETWORK = "A network that learns from the images themselves."


def data_words(summary: Summary) -> list[str]:
    """Each data set: how many items were learned from and judged on, and where labels and inputs come from."""
    said = []
    for name, source in summary.description["data"].items():
        counted = [
            record["items"]
            for arm in summary.arms
            if arm.settings["data"] == name
            for record in arm.done
            if "items" in record
        ]
        if not counted:
            continue
        learned, judged = (_range([items[part] for items in counted]) for part in ("learned from", "judged on"))
        origin = "; ".join(
            f"{key}: {source[key]}" for key in ("labels", "people", "features", "images") if key in source
        )
        said.append(f"{name}: each model learned from {learned} items and was judged on {judged} ({origin}).")
    return said


def value_words(summary: Summary) -> list[tuple[str, str]]:
    """What deliveries, aggregations, completions, transforms and models of the arms are, each in a sentence."""
    known: dict[str, str] = {}
    for arm in summary.arms:
        known |= dict(_said(arm.settings))
    return list(known.items())


def _said(settings: dict[str, Any]) -> Iterator[tuple[str, str]]:
    first, *wraps = steps_of(settings["delivery"])
    if first in DELIVERIES:
        yield first, _first_line(DELIVERIES[first])
    for wrap in wraps:
        if (name := wrap.partition("=")[0]) in WRAPPERS:
            yield f"| {wrap}", _first_line(WRAPPERS[name].function, wrap.partition("=")[2])
    for key, functions in (("completion", COMPLETIONS), ("aggregation", AGGREGATIONS)):
        if (name := settings[key]) in functions:
            function: Any = COMPLETIONS.get(name) or AGGREGATIONS[name].function
            yield f"{key} {name}", _first_line(function)
    for step in steps_of(settings["transforms"]):
        if (name := step.partition("=")[0]) in TRANSFORMS:
            yield f"transform {step}", _first_line(TRANSFORMS[name], step.partition("=")[2])
    if settings["votes"] != "all":
        yield (
            "1 vote" if settings["votes"] == 1 else f"{settings['votes']} votes",
            "So many of each item's answers were drawn to learn from, anew for each seed.",
        )
    yield settings["model"], _MODELS.get(settings["model"], _NETWORK)


def _first_line(function: Callable[..., Any], value: str = "") -> str:
    """What a function's own documentation says first, with the values it was given in place of their names."""
    line = (getattr(function, "func", function).__doc__ or "").strip().splitlines()[0]
    for name, given in getattr(function, "keywords", {}).items():
        line = line.replace(f"`{name}`", str(given))
    return re.sub(r"`(\w+)`", value or r"\1", line).rstrip(".") + "."


def _range(counts: list[int]) -> str:
    low, high = min(counts), max(counts)
    return f"{low:,}" if low == high else f"{low:,} to {high:,}"
