"""The data of a study, and the meaning of the names of its values, for a reader who does not know the code."""

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
    "mlp": "A network with one hidden layer on frozen features.",
    "linear": "One linear layer on frozen features.",
    "logistic": "Logistic regression on frozen features, solved exactly.",
}
_NETWORK = "A network trained on the images."


def describe_data(summary: Summary) -> list[str]:
    """Each data set: numbers of training and test items, and where labels and inputs come from."""
    sentences = []
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
        sentences.append(f"{name}: {learned} training items and {judged} test items per model ({origin}).")
    return sentences


def define_values(summary: Summary) -> list[tuple[str, str]]:
    """Deliveries, aggregations, completions, transforms and models of the arms, each in a sentence."""
    known: dict[str, str] = {}
    for arm in summary.arms:
        known |= dict(_define(arm.settings))
    return list(known.items())


def _define(settings: dict[str, Any]) -> Iterator[tuple[str, str]]:
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
            "Answers per item that were drawn for training, for each seed.",
        )
    yield settings["model"], _MODELS.get(settings["model"], _NETWORK)


def _first_line(function: Callable[..., Any], value: str = "") -> str:
    """The first line of a function's documentation, with the given values in place of their names."""
    line = (getattr(function, "func", function).__doc__ or "").strip().splitlines()[0]
    for name, given in getattr(function, "keywords", {}).items():
        line = line.replace(f"`{name}`", str(given))
    return re.sub(r"`(\w+)`", value or r"\1", line).rstrip(".") + "."


def _range(counts: list[int]) -> str:
    low, high = min(counts), max(counts)
    return f"{low:,}" if low == high else f"{low:,} to {high:,}"
