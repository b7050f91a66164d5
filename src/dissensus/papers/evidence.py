"""What a run measured, as one table: a number per metric, arm, condition, model, epoch and run.

The table is written next to the record, so that claims can be judged again by a changed rule without training.
"""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import NamedTuple

import numpy as np

from dissensus.files.whole_files import write_text

Runs = dict[str, float]
EVIDENCE = "evidence.csv"


class Number(NamedTuple):
    """The address of a number: what is measured, of which arm, under which condition.

    where  condition such as "K = 5" or "CIFAR-100"; empty if there is only one
    """

    metric: str
    arm: str
    where: str = ""


class Candidate(NamedTuple):
    """A model at an epoch: the evidence that may decide a claim. Both are empty for labels and theory."""

    model: str = ""
    epoch: str = ""


Row = tuple[Candidate, Number, Mapping[str, float]]


@dataclass(frozen=True)
class Evidence:
    """Numbers of a reproduction.

    Parameters
    ----------
    values : {candidate: {number: {run: value}}}
        Candidates are in order of nearness to the paper's model; the first that is strong enough decides.

    Examples
    --------
    >>> evidence = collect([(Candidate("heads", "best"), Number("kl", "soft"), {"seed 1": 0.3})])
    >>> evidence.runs(Candidate("heads", "best"), Number("kl", "soft"))
    {'seed 1': 0.3}
    """

    values: Mapping[Candidate, Mapping[Number, Runs]]

    def runs(self, candidate: Candidate, number: Number) -> Runs | None:
        """Values by run, or None if this was not measured."""
        return self.values.get(candidate, {}).get(number)

    def with_numbers(self, *numbers: Number) -> list[Candidate]:
        """Return the candidates that have all of these numbers, nearest first."""
        return [candidate for candidate, known in self.values.items() if all(number in known for number in numbers)]

    def rows(self) -> Iterator[tuple[Candidate, Number, Runs]]:
        for candidate, known in self.values.items():
            for number, runs in known.items():
                yield candidate, number, runs

    def add_earlier(self, earlier: Evidence) -> Evidence:
        """Add numbers of an earlier run that this run did not measure; candidates keep the order of both runs."""
        names, follows = list(self.values), len(self.values)
        for name in reversed(list(earlier.values)):
            if name not in names:
                names.insert(follows, name)
            follows = names.index(name)
        return Evidence({name: {**earlier.values.get(name, {}), **self.values.get(name, {})} for name in names})

    def first_runs(self, most: int) -> Evidence:
        """The first runs of every number."""
        return Evidence(
            {
                candidate: {number: dict(islice(runs.items(), most)) for number, runs in known.items()}
                for candidate, known in self.values.items()
            }
        )

    def write(self, path: Path) -> None:
        """Write a CSV file with one row per number; its runs and their values are in two cells."""
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow(["model", "epoch", "metric", "arm", "where", "runs", "values"])
        for candidate, number, runs in self.rows():
            values = (f"{value:.8g}" for value in runs.values())
            writer.writerow([*candidate, *number, "|".join(runs), " ".join(values)])
        write_text(text.getvalue(), path)


def collect(rows: Iterable[Row]) -> Evidence:
    """Make evidence from measured rows; the first row of a candidate decides its rank."""
    values: dict[Candidate, dict[Number, Runs]] = {}
    for candidate, number, runs in rows:
        known = values.setdefault(candidate, {})
        assert number not in known, f"{number} of {candidate} is measured twice"
        if runs:  # a number without a value in any run was not measured
            known[number] = {run: float(value) for run, value in runs.items()}
    return Evidence(values)


def mean_of(runs: Mapping[str, float]) -> float:
    return float(np.mean(list(runs.values())))


def name_runs(unit: str, values: Sequence[float | None] | np.ndarray) -> Runs:
    """Name numbers by their place, such as "seed 1"; None and NaN are left out."""
    named = {f"{unit} {place}": math.nan if value is None else float(value) for place, value in enumerate(values, 1)}
    return {run: value for run, value in named.items() if not math.isnan(value)}


def read_evidence(path: str | Path) -> Evidence:
    """Read the table that a reproduction wrote next to its record."""
    with Path(path).open(encoding="utf-8", newline="") as file:
        return collect(
            (
                Candidate(row["model"], row["epoch"]),
                Number(row["metric"], row["arm"], row["where"]),
                dict(zip(row["runs"].split("|"), map(float, row["values"].split()), strict=True)),
            )
            for row in csv.DictReader(file)
        )
