"""Levels of measurement: whether classes are ordered, and whether their names are numbers."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import pairwise

from dissensus.labels.refusals import Refusal, Way


@dataclass(frozen=True)
class Scale:
    """The levels of measurement that fit some classes, and why.

    levels  "nominal", then "ordinal" and "interval" as far as they apply
    why     the reason, in words
    is_set  whether the user set it
    """

    levels: tuple[str, ...]
    why: str
    is_set: bool

    def __str__(self) -> str:
        if self.is_set:
            return self.why
        if len(self.levels) > 1:
            return f"taken as ordered: {self.why}"
        return f"taken as unordered: {self.why}"


def scale_of(classes: tuple[str, ...], ordered: bool | None = None) -> Scale:
    """Return the scale of classes: as given, or ordered if their names are rising numbers.

    ordered  True: they are ordered; False: they are not; None: decided by their names
    """
    numbers = _numbers(classes)
    levels = ("nominal", "ordinal", "interval") if numbers else ("nominal", "ordinal")
    if ordered is False:
        return Scale(("nominal",), "classes are unordered, as set", is_set=True)
    if len(classes) < 3:
        return Scale(("nominal",), "with fewer than three classes an order changes nothing", is_set=True)
    falls = numbers is not None and any(after <= before for before, after in pairwise(numbers))
    if ordered and falls:
        raise Refusal(
            f"classes are to be in order, but are numbers that do not rise: {_list_classes(classes, ', ')}",
            ways=[Way("list them in their order with {classes}", classes=...)],
        )
    if ordered:
        return Scale(levels, f"classes are ordered, as set: {_list_classes(classes, ' < ')}", is_set=True)
    if numbers is None:
        return Scale(("nominal",), "classes are not numbers", is_set=False)
    if falls:
        return Scale(
            ("nominal",), f"classes are numbers that do not rise: {_list_classes(classes, ', ')}", is_set=False
        )
    return Scale(levels, f"classes are numbers, {classes[0]} to {classes[-1]}", is_set=False)


def _numbers(classes: tuple[str, ...]) -> list[float] | None:
    try:
        numbers = [float(name) for name in classes]
    except ValueError:
        return None
    return numbers if all(map(math.isfinite, numbers)) else None


def _list_classes(classes: tuple[str, ...], between: str) -> str:
    return between.join(classes) if len(classes) <= 8 else between.join([*classes[:3], "…", classes[-1]])
