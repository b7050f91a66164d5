"""Work on one job: from labels to predictions and scores. It writes nothing, so it can be done anywhere."""

from __future__ import annotations

import json
import platform
import time
import traceback
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import cache, partial
from importlib.metadata import version
from typing import Any

import scipy.linalg  # noqa: F401  (the limit holds for libraries that are loaded already, and this brings a BLAS)
from threadpoolctl import threadpool_limits

import dissensus
from dissensus.labels.display import shapes
from dissensus.labels.distributions import Distributions
from dissensus.study.cells import FORMAT
from dissensus.study.data import StudyData
from dissensus.study.splits import split_items
from dissensus.study.work.heads import train_head_cells
from dissensus.study.work.jobs import Job, Task
from dissensus.study.work.scoring import scored
from dissensus.study.work.trained import Files, Trained


@dataclass(frozen=True, eq=False)
class Outcome:
    """What a cell gave.

    record       for its record.json
    predictions  for the items judged on; None for a failure
    files        further files of its folder, by name
    """

    record: dict[str, Any]
    predictions: Distributions | None
    files: Files

    __repr__ = shapes


def run_job(job: Job, data: StudyData, threads: int = 1, scratch: str | None = None) -> list[Outcome]:
    """All cells of a job. One that fails leaves the others as they are: its record has the traceback.

    threads  for heads, whose results do not depend on it; everything else is computed in one thread, so that sums are
             added up in the same order wherever this runs
    scratch  a folder that outlives this process, for the state of a long training; None: a training starts anew
    """
    with threadpool_limits(1):
        started = time.perf_counter()
        try:
            trained = _train(job, data, threads, scratch)
        except Exception as problem:
            if len(job.tasks) > 1:  # which of them it was is seen when each is alone
                return [run_job(replace(job, tasks=(task,)), data, threads, scratch)[0] for task in job.tasks]
            return [_failure(job.tasks[0], problem, time.perf_counter() - started)]
        with ThreadPoolExecutor(threads) as pool:
            outcomes = list(pool.map(partial(_judged_or_failed, data=data, job=job), job.tasks, trained))
        seconds = (time.perf_counter() - started) / len(outcomes)
        return [replace(outcome, record=outcome.record | {"seconds": round(seconds, 4)}) for outcome in outcomes]


def _train(job: Job, data: StudyData, threads: int, scratch: str | None) -> list[Trained]:
    first = job.tasks[0].cell
    parts = split_items(data, job.split, first.seed, first.fold)
    if first.model.kind == "head":
        return train_head_cells(job, data, parts, threads)
    from dissensus.study.work.networks import train_network_cells

    return train_network_cells(job, data, parts, scratch)


def _judged_or_failed(task: Task, trained: Trained, data: StudyData, job: Job) -> Outcome:
    try:
        return _judged(task, trained, data, job)
    except Exception as problem:  # such as predictions that are no probabilities
        return _failure(task, problem, 0.0)


def _judged(task: Task, trained: Trained, data: StudyData, job: Job) -> Outcome:
    parts = split_items(data, job.split, task.cell.seed, task.cell.fold)
    test = parts.test
    record = record_of(task, "done") | scored(trained.probs, data, test, job.evaluation)
    record |= {"items": {"learned from": int(parts.train.size), "judged on": int(test.size)}, "training": trained.curve}
    record |= {"probes": trained.probes} if trained.probes else {}
    predictions = Distributions(trained.probs, data.labels.items[test], data.people.classes)
    return Outcome(json.loads(json.dumps(record)), predictions, trained.files)


def _failure(task: Task, problem: Exception, seconds: float) -> Outcome:
    told = {"error": f"{type(problem).__name__}: {problem}", "traceback": "".join(traceback.format_exception(problem))}
    return Outcome(record_of(task, "failed") | told | {"seconds": round(seconds, 4)}, None, {})


def record_of(task: Task, status: str) -> dict[str, Any]:
    """What every record begins with."""
    return {
        "format": FORMAT,
        "cell": task.key,
        "status": status,
        "arm": task.cell.arm,
        "seed": task.cell.seed,
        "fold": task.cell.fold,
        "settings": dict(task.settings),
        "packages": dict(_packages(task.cell.model.kind)),
        "hardware": f"{platform.system()} {platform.machine()}",
        "made": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
    }


@cache  # looking versions up takes a tenth of the time of a small cell
def _packages(kind: str) -> dict[str, str]:
    wanted = ("numpy", "scipy", "numba" if kind == "head" else "torch")
    return {"dissensus": dissensus.__version__, "python": platform.python_version(), **{n: version(n) for n in wanted}}
