"""The repetitions that means and intervals are computed over: seeds, or the folds of a single seed."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from dissensus.evaluate.statistics import mean_interval
from dissensus.labels.as_json import as_json
from dissensus.labels.intervals import Interval

Record = Mapping[str, Any]
Read = Callable[[Record], tuple[float | None, float] | None]
COVERAGE = 0.95


@dataclass(frozen=True)
class Units:
    """The independent repetitions of a study, if it has any.

    kind   "seed"; "fold" where there is one seed of several folds; "seed/fold" where each fold of each seed counts
    names  of all that the study has, such as "0", "1" for seeds, and "0/3" for fold 3 of seed 0
    folds  of which each unit is the mean; 1 where a unit is a single training
    """

    kind: str
    names: tuple[str, ...]
    folds: int = 1

    def of(self, record: Record) -> str:
        """The unit that a cell belongs to."""
        if self.kind == "seed/fold":
            return f"{record['seed']}/{record['fold']}"
        return str(record["fold"] if self.kind == "fold" else record["seed"])

    def whole(self, records: Iterable[Record]) -> dict[str, list[Record]]:
        """The records of each unit that has all its folds, in the order of the units."""
        by_unit: dict[str, list[Record]] = {name: [] for name in self.names}
        for record in records:
            by_unit[self.of(record)].append(record)
        return {name: runs for name, runs in by_unit.items() if len(runs) == self.folds}

    def format_count(self, count: int) -> str:
        """Such as "5 seeds"."""
        noun = "fold of a seed" if self.kind == "seed/fold" else self.kind
        nouns = "folds of seeds" if self.kind == "seed/fold" else f"{self.kind}s"
        return f"{count} {noun if count == 1 else nouns}"


def units_of(description: Mapping[str, Any], *, single: bool = False) -> Units:
    """The units of a study; with `single`, each fold of each seed is a unit."""
    seeds = [str(seed) for seed in description["seeds"]]
    if description["split"]["scheme"] != "k-fold":
        return Units("seed", tuple(seeds))
    folds = int(description["split"]["folds"])
    if len(seeds) == 1:
        return Units("fold", tuple(str(fold) for fold in range(folds)))
    if single:
        return Units("seed/fold", tuple(f"{seed}/{fold}" for seed in seeds for fold in range(folds)))
    return Units("seed", tuple(seeds), folds)


@dataclass(frozen=True)
class Measured:
    """A number of an arm: in each unit, and its mean with an interval.

    values      by unit, where it is finite
    not_finite  units in which it is infinite or does not exist; with any of them there is no mean
    interval    mean and Student's interval; NaN where there is none
    """

    values: dict[str, float]
    not_finite: tuple[str, ...]
    interval: Interval

    @property
    def n(self) -> int:
        return len(self.values)

    def as_json(self) -> dict[str, Any]:
        record = as_json(self.interval) | {"n": self.n, "values": self.values}
        return record | ({"not_finite": list(self.not_finite)} if self.not_finite else {})


def measure(records: Iterable[Record], units: Units, read: Read) -> Measured:
    """Average a number over units: the folds of a unit are averaged first, weighted by their test items.

    read  the number of a record, None where it is not finite, and its number of items; None for a record that does not
          have it at all, such as that of a fold without items of a slice
    """
    values, not_finite = {}, []
    for unit, runs in units.whole(records).items():
        pairs = [pair for pair in map(read, runs) if pair is not None]
        known = [(number, items) for number, items in pairs if number is not None and math.isfinite(number)]
        if len(known) < len(pairs):
            not_finite.append(unit)
        elif known:
            numbers, items = zip(*known, strict=True)
            values[unit] = numbers[0] if len(numbers) == 1 else float(np.average(numbers, weights=items))
    return Measured(values, tuple(not_finite), mean_interval([] if not_finite else list(values.values())))


def repeats(records: Iterable[Record]) -> bool:
    """Whether two trainings or more gave identical scores, so that nothing in the training is random."""
    scores = [record["scores"] for record in records]
    return len(scores) > 1 and all(each == scores[0] for each in scores[1:])


def without_interval(interval: Interval) -> Interval:
    """The value alone."""
    return replace(interval, low=math.nan, high=math.nan, sd=math.nan)


def describe_intervals(units: Units, description: Mapping[str, Any]) -> str:
    """Describe the coverage of a study's intervals."""
    split = description["split"]["scheme"]
    share = f"{COVERAGE:.0%}"
    if len(units.names) == 1:
        return "There is one training per arm, so numbers have no intervals."
    if units.kind == "fold":
        return (
            f"Intervals are {share} Student's t intervals over the {len(units.names)} folds of a single seed. Their "
            "training sets overlap, so the intervals are too narrow. Use more seeds."
        )
    drawn = split == "fixed" and description["split"]["validation"] not in (0, "test")
    own = f"draws of answers, {'validation items, ' if drawn else ''}and initial weights"
    parts = f", and is the mean of {units.folds} folds" if units.folds > 1 else ""
    if split in ("per-seed", "k-fold"):
        return (
            f"Intervals are {share} Student's t intervals over seeds. Each seed has its own split of the items, "
            f"{own}{parts}. They cover the mean of many more seeds on these items, not results on other items."
        )
    return (
        f"Intervals are {share} Student's t intervals over seeds. Each seed has its own {own}; all have the same test "
        "items. They cover the mean of many more seeds, not results on other items."
    )
