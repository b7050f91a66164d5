"""Steps as text: "majority | smoothed=0.1", "tempered=0.5 | smoothed=0.1"."""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from typing import Any

import numpy as np

from dissensus.deliver.deliveries import DELIVERIES, deliver, wrapped
from dissensus.deliver.delivery import Delivery
from dissensus.deliver.wrappers import WRAPPERS
from dissensus.files.toml import TomlText
from dissensus.labels.distributions import Distributions
from dissensus.labels.shares import Labels
from dissensus.labels.transforms import TRANSFORMS
from dissensus.train.targets import build_delivery

_KNOBS = {
    name: [knob for knob in list(inspect.signature(function).parameters)[1:] if knob not in ("rng", "gold")]
    for name, function in TRANSFORMS.items()
}


def steps_of(pipe: str) -> list[str]:
    """The steps of a pipe, in order."""
    return [step.strip() for step in pipe.split("|")]


def check_delivery(pipe: Any, path: Sequence[str], text: TomlText) -> str:
    """A delivery and the wrappers around it, spelled the same way however it was written."""
    if not isinstance(pipe, str):
        text.refuse_value(path, pipe, 'a delivery such as "soft" or "majority | smoothed=0.1"')
    first, *wraps = steps_of(pipe)
    text.one_of(first, tuple(DELIVERIES), path)
    tried = deliver(_TRIED, first if first in ("soft", "majority", "sls") else "soft", 0)
    for wrap in wraps:
        text.one_of(wrap.partition("=")[0], WRAPPERS, path, "wrapper")
        try:
            tried = wrapped(tried, wrap, 0)
        except ValueError as problem:
            text.refuse(path, str(problem))
    return " | ".join([first, *map(_spell, wraps)])


def make_delivery(labels: Labels, pipe: str, seed: int) -> Delivery:
    """The delivery of labels that a checked pipe names."""
    first, *wraps = steps_of(pipe)
    return build_delivery(labels, first, wraps, seed)


def check_transforms(pipe: Any, path: Sequence[str], text: TomlText) -> str:
    """Transforms with their knobs, tried on two items of many classes; `checks.py` tries them on the data."""
    if not isinstance(pipe, str):
        text.refuse_value(path, pipe, 'transforms such as "tempered=0.5" or "sparsest=2 | smoothed=0.1"')
    for step in steps_of(pipe):
        name = step.partition("=")[0]
        text.one_of(name, TRANSFORMS, path, "transform")
        try:
            transform(_WIDE, step, np.random.default_rng(0))
        except ValueError as problem:
            text.refuse(path, f"{step}: {problem}")
    return " | ".join(map(_spell, steps_of(pipe)))


def transform_forms() -> list[str]:
    """How each transform is written: its name, and its knob in capitals, such as "smoothed=AMOUNT"."""
    return [f"{name}={knobs[0].upper()}" if knobs else name for name, knobs in _KNOBS.items()]


def transform(distributions: Distributions, pipe: str, rng: np.random.Generator) -> Distributions:
    """Distributions after the steps of a checked pipe."""
    for step in steps_of(pipe):
        name, _, value = step.partition("=")
        knobs, function = _KNOBS[name], TRANSFORMS[name]
        if bool(value) != bool(knobs):
            raise ValueError(
                f"expected {name}=NUMBER, its {knobs[0]}" if knobs else f"expected {name} without a number"
            )
        options: dict[str, Any] = {knobs[0]: _number(value)} if knobs else {}
        parameters = inspect.signature(function).parameters
        if knobs and parameters[knobs[0]].annotation in (int, "int") and not _counts(options[knobs[0]]):
            raise ValueError(f"{value!r} is not a whole number of 1 or more, which {knobs[0]} must be")
        options |= {"rng": rng} if "rng" in parameters else {}
        distributions = function(distributions, **options)
    return distributions


def _number(text: str) -> float | int:
    try:
        return int(text)
    except ValueError:
        pass
    try:
        return float(text)
    except ValueError:
        raise ValueError(f"{text!r} is not a number") from None


def _counts(number: float | int) -> bool:
    return isinstance(number, int) and number >= 1


def _spell(step: str) -> str:
    """A step with its number written in one way: smoothed=0.10 is smoothed=0.1."""
    name, equals, value = step.partition("=")
    return f"{name}={_number(value):.12g}" if equals and value else name


_TRIED = Distributions.from_counts([[3, 1], [0, 2]], items=["a", "b"], classes=["x", "y"])
_WIDE = Distributions.from_counts(np.ones((2, 10_000), dtype=np.int64), items=["a", "b"])
