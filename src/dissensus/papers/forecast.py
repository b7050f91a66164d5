"""How long the trainings of a reproduction will take, from a measured step of each network."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from dissensus.papers.paper import Part
from dissensus.report.numbers import format_duration
from dissensus.study.checks import tasks_of
from dissensus.study.estimate import estimate_study
from dissensus.study.read_data import load_data
from dissensus.study.run import known_cells


@dataclass(frozen=True)
class Forecast:
    """What is left of a part that trains networks.

    trainings  that are not in its folder yet
    seconds    until they are done
    """

    part: str
    trainings: int
    seconds: float

    def __str__(self) -> str:
        return f"{self.part}: {self.trainings} trainings left, about {format_duration(self.seconds)}"


def forecast(parts: Sequence[Part], folder: Path, jobs: int | None = None) -> Iterator[Forecast]:
    """Time some epochs of each network, and multiply; parts without networks or with nothing left are skipped."""
    for part in parts:
        study = part.study
        if study is None or all(model.kind == "head" for model in study.models):
            continue
        data = load_data(study, say=lambda notice: None)
        tasks = tasks_of(study, data)
        known = known_cells(tasks, folder / part.name / "cells")
        left = [task for task in tasks if task.key not in known]
        if left:
            estimate = estimate_study(study, left, data, jobs=jobs)
            yield Forecast(part.name, estimate.trainings, estimate.seconds)
