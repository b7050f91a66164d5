"""The time and the disk space of a study, estimated from some of its cells."""

from __future__ import annotations

import math
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from dissensus.labels.sampling import evenly_spaced
from dissensus.study.cells import PREDICTIONS, write_cells
from dissensus.study.data import StudyData
from dissensus.study.model_settings import ModelSettings
from dissensus.study.spec import Study
from dissensus.study.work.jobs import Job, Task
from dissensus.study.work.work import Outcome, run_job
from dissensus.train.child_processes import cores
from dissensus.train.matching import items_of

TOGETHER = 8  # heads timed as one batch: a head alone takes far longer than one of many
MODELS = 6  # timed at most; others are taken to need what these need on average
FEW, SOME = 128, 1024  # images that an epoch is timed on
LEAST = 16  # of them that a network learns from
LONG = 2.0  # seconds for the few images, beyond which no more of them are tried


@dataclass(frozen=True)
class Estimate:
    """The time and disk space that the remaining cells need.

    seconds  until they are done, with these workers
    trainings  cells that keep the best and the last network of one training count once
    size     bytes of their folders
    timed    models that were timed, of how many
    workers  processes at once; 1 where heads share the cores of this process
    """

    seconds: float
    trainings: int
    size: int
    timed: int
    models: int
    workers: int


@dataclass(frozen=True)
class _Cost:
    seconds: float
    size: float


def estimate_study(
    study: Study, tasks: Sequence[Task], data: Mapping[str, StudyData], *, jobs: int | None = None
) -> Estimate:
    """Estimate the time and disk space of these cells on this machine, by timing cells of up to six models.

    Heads are trained as they will be, several at once. Of a network, epochs on a part of its images are timed and
    multiplied; early stopping may make it shorter.
    """
    heads_only = all(task.cell.model.kind == "head" for task in tasks)
    workers = 1 if heads_only else min(jobs or cores(), max(1, len(tasks)))
    threads = (jobs or cores()) if heads_only else 1
    groups: dict[Any, list[Task]] = {}
    for task in tasks:
        groups.setdefault((task.cell.data, _model_key(task)), []).append(task)
    spread = evenly_spaced(len(groups), MODELS).tolist()
    timed = {
        key: _cost(group, study, data[group[0].cell.data], threads)
        for place, (key, group) in enumerate(groups.items())
        if place in spread
    }
    usual = _Cost(
        float(np.mean([cost.seconds for cost in timed.values()] or [0])),
        float(np.mean([cost.size for cost in timed.values()] or [0])),
    )
    costs = [(timed.get(key, usual), group) for key, group in groups.items()]
    trainings = {id(group): len({_of_one_training(task) for task in group}) for group in groups.values()}
    return Estimate(
        seconds=sum(cost.seconds * trainings[id(group)] for cost, group in costs) / workers,
        trainings=sum(trainings.values()),
        size=round(sum(cost.size * len(group) for cost, group in costs)),
        timed=len(timed),
        models=len(groups),
        workers=workers,
    )


def _model_key(task: Task) -> str:
    """The model of a cell, without which network of a training is kept."""
    model = task.cell.model
    settings = model.as_json()
    return repr({key: value for key, value in settings.items() if key != "keep" or model.kind == "head"})


def _of_one_training(task: Task) -> Any:
    cell = task.cell
    return (_model_key(task), cell.labels, cell.delivery, cell.seed, cell.fold)


def _cost(group: Sequence[Task], study: Study, data: StudyData, threads: int) -> _Cost:
    """Measure the cost of one of these cells, all of which have the same model and data."""
    first = group[0].cell
    if first.model.kind == "network":
        return _network_cost(group[0], study, data)
    together = tuple(task for task in group if (task.cell.seed, task.cell.fold) == (first.seed, first.fold))[:TOGETHER]
    job = Job(together, study.split, study.evaluation, study.keep_models)
    if "epochs" in first.model.settings:
        run_job(_for_epochs(job, 1), data, threads)  # code is compiled when it is first called
    seconds, outcomes = _time_job(job, data, threads)
    return _Cost(seconds / len(together), float(np.mean([sum(_sizes(outcome)) for outcome in outcomes])))


def _network_cost(task: Task, study: Study, data: StudyData) -> _Cost:
    job = Job((task,), study.split, replace(study.evaluation, slices=()), study.keep_models)
    epochs = task.cell.model.settings["epochs"]
    learned = 1 - study.split.test if study.split.scheme in ("per-seed", "fixed") else 1.0
    few, some = (max(count, math.ceil(LEAST / learned)) for count in (FEW, SOME))
    run_job(_for_epochs(job, 1), _part(data, few), 1)  # what is loaded when it is first called
    items = _part(data, few)
    once, _ = _time_job(_for_epochs(job, 1), items, 1)
    if once < LONG and data.n_items > few:
        items = _part(data, some)
        once, _ = _time_job(_for_epochs(job, 1), items, 1)
    more, outcomes = _time_job(_for_epochs(job, 3), items, 1)
    scale = data.n_items / items.n_items
    an_epoch = max(more - once, 0.0) / 2
    rest = max(once - an_epoch, 0.0)  # predictions and probes
    predictions, others = _sizes(outcomes[0])
    return _Cost(scale * (an_epoch * epochs + rest), scale * predictions + others)


def _time_job(job: Job, data: StudyData, threads: int) -> tuple[float, list[Outcome]]:
    started = time.perf_counter()
    outcomes = run_job(job, data, threads)
    for outcome in outcomes:
        if outcome.record["status"] == "failed":
            cell = ", ".join(str(outcome.record["arm"][key]) for key in ("data", "delivery", "model"))
            raise ValueError(f"a test cell ({cell}, seed {outcome.record['seed']}) failed: {outcome.record['error']}")
    return time.perf_counter() - started, outcomes


def _for_epochs(job: Job, epochs: int) -> Job:
    """The same job with other epochs, for the clock alone."""

    def shorten(task: Task) -> Task:
        model = task.cell.model
        # Milestones must lie inside the epochs; where they are changes no time.
        schedule = {"schedule": "constant", "milestones": ()} if model.settings.get("milestones") else {}
        settings = dict(model.settings) | {"epochs": epochs} | schedule
        return replace(task, cell=replace(task.cell, model=ModelSettings(model.kind, model.name, settings)))

    return replace(job, tasks=tuple(shorten(task) for task in job.tasks))


def _part(data: StudyData, count: int) -> StudyData:
    """This many items, evenly spaced over all of them."""
    if data.n_items <= count:
        return data
    rows = evenly_spaced(data.n_items, count)
    return replace(
        data,
        labels=items_of(data.labels, rows),
        people=data.people.select(rows),
        gold=data.gold[rows],
        features=None if data.features is None else data.features[rows],
        images=None if data.images is None else data.images.select(rows),
        columns={name: column[rows] for name, column in data.columns.items()},
    )


def _sizes(outcome: Outcome) -> tuple[int, int]:
    """Bytes of a cell's predictions, and of everything else in its folder."""
    with tempfile.TemporaryDirectory() as folder:
        write_cells(Path(folder), [(outcome.record, outcome.predictions, outcome.files)])
        sizes = {path.name: path.stat().st_size for path in Path(folder).rglob("*") if path.is_file()}
    predictions = sizes.pop(PREDICTIONS, 0)
    return predictions, sum(sizes.values())
