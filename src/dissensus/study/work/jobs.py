"""Cells that are worked on together: heads on the same features are trained as one, networks one by one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from dissensus.study.data import StudyData
from dissensus.study.grid import Cell
from dissensus.study.spec import Evaluation, Split, Study
from dissensus.study.splits import depends_on_seed

TOGETHER = 64  # heads at most, so that results come in and a crash loses little


@dataclass(frozen=True)
class Task:
    """A cell with the name of its folder and the settings that make it."""

    cell: Cell
    key: str
    settings: Mapping[str, Any]


@dataclass(frozen=True)
class Job:
    """Tasks on one set of data with one split, and what is made of each; all that a worker needs besides the data.

    threads  for heads, whose results do not depend on it; a network always has one
    """

    tasks: tuple[Task, ...]
    split: Split
    evaluation: Evaluation
    keep_models: bool

    @property
    def data(self) -> str:
        return self.tasks[0].cell.data


def jobs_of(tasks: Sequence[Task], study: Study, data: Mapping[str, StudyData], workers: int) -> list[Job]:
    """The jobs of a study in the order of its cells, small enough that every worker has some."""
    by_seed = {name: depends_on_seed(data[name], study.split) for name in data}
    groups: dict[Any, list[Task]] = {}
    for task in tasks:
        groups.setdefault(_group(task.cell, by_seed[task.cell.data]), []).append(task)
    jobs = []
    for group in groups.values():
        heads = group[0].cell.model.kind == "head"
        size = max(1, min(TOGETHER, -(-len(tasks) // (4 * workers)))) if heads else len(group)
        for start in range(0, len(group), size):
            part = tuple(group[start : start + size])
            jobs.append(Job(part, study.split, study.evaluation, study.keep_models))
    return jobs


def _group(cell: Cell, by_seed: bool) -> Any:
    """What cells must share to be worked on together."""
    model = cell.model
    if model.kind == "head":
        seed = cell.seed if by_seed else None
        return cell.data, "head", model.name == "logistic", model.settings["standardise"], seed, cell.fold
    # Cells that only differ in which of two networks is kept are one training.
    trained = tuple((key, value) for key, value in model.settings.items() if key != "keep")
    return cell.data, model.name, trained, cell.labels, cell.delivery, cell.seed, cell.fold
