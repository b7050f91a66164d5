"""Jobs as jobs of SLURM, by submitit; its local executor runs the same without SLURM."""

from __future__ import annotations

import pickle
import shutil
import tempfile
import uuid
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import submitit
from submitit.core.utils import UncompletedJobError

from dissensus.study.data import StudyData
from dissensus.study.engines.engine import Awaited, Running, run_remotely
from dissensus.study.work.jobs import Job
from dissensus.study.work.work import Outcome
from dissensus.train.child_processes import cores

_AT_ONCE = 32  # jobs of a queue, unless said otherwise
_USUAL = {"name": "study", "cpus_per_task": 1, "timeout_min": 24 * 60}


class SubmititEngine:
    """Each job is a job of SLURM. Data and results go by a folder that all nodes see.

    folder   for data, results and logs while the study runs; what a killed run left there is removed, and jobs of it
             that still wait in the queue end as soon as they begin
    cluster  "slurm", "local" for processes of this machine; None: SLURM where there is one
    workers  jobs at once
    options  for submitit's `update_parameters`, such as {"slurm_partition": "short", "timeout_min": 60}; unless they
             say otherwise a job has a day, one CPU, and a GPU where its network is trained there
    """

    def __init__(
        self,
        folder: str | Path,
        cluster: str | None = None,
        workers: int | None = None,
        options: Mapping[str, Any] | None = None,
    ) -> None:
        self._folder, self._options = Path(folder), _USUAL | dict(options or {})
        with tempfile.TemporaryDirectory() as elsewhere:  # before anything is touched that another run may work in
            local = _executor(elsewhere, cluster, self._options).cluster == "local"
        self._cluster = cluster
        # Twice as many are submitted, which wait in a queue on a cluster, but start at once on this machine.
        self.workers = max(1, (workers or cores()) // 2) if local else workers or _AT_ONCE
        self._out: list[Any] = []

    def send(self, data: Mapping[str, StudyData]) -> None:
        shutil.rmtree(self._folder, ignore_errors=True)
        self._place = self._folder / uuid.uuid4().hex[:8]
        self._place.mkdir(parents=True)
        for name, items in data.items():
            with (self._place / f"{name}.pickle").open("wb") as file:
                pickle.dump(items, file, protocol=5)
        self._executor = _executor(self._place, self._cluster, self._options)

    def submit(self, job: Job) -> Running:
        if "gpus_per_node" not in self._options:
            on_gpu = str(job.tasks[0].cell.model.settings.get("device", "cpu")).startswith("cuda")
            self._executor.update_parameters(gpus_per_node=int(on_gpu))
        future = self._executor.submit(_run, str(self._place / f"{job.data}.pickle"), job)
        self._out = [earlier for earlier in self._out if not earlier.done()] + [future]
        return Awaited(future, (UncompletedJobError,))

    def close(self) -> None:
        for job in self._out:
            if not job.done():
                job.cancel(check=False)
        shutil.rmtree(self._folder, ignore_errors=True)


def _executor(folder: str | Path, cluster: str | None, options: Mapping[str, Any]) -> Any:
    try:
        executor = submitit.AutoExecutor(folder, cluster)
        executor.update_parameters(**options)
    except (NameError, ValueError, TypeError, AssertionError, RuntimeError) as problem:
        raise ValueError(f"submitit: {' '.join(str(problem).split())}") from None
    return executor


def _run(path: str, job: Job) -> list[Outcome]:
    """A job in a process of its own. The data were written only by the study that submitted it."""
    with Path(path).open("rb") as file:
        return run_remotely(job, pickle.load(file))
