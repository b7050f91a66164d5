"""One kind of interval in one world with a known truth."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from dissensus.labels.intervals import Interval


@dataclass(frozen=True)
class Case:
    """A world to draw data from, and the intervals computed from one draw.

    family  the part of the project that prints these intervals: "scorecard", "ceiling", "agreement", "pilot", ...
    world   description of the data for the table: "200 items, 5 votes, sparse confusions"
    truth   name of the number: its value in an infinite sample of this world
    drawn   one fresh data set and its intervals, by the names of `truth`
    """

    family: str
    world: str
    truth: Mapping[str, float]
    drawn: Callable[[np.random.Generator], Mapping[str, Interval]]
