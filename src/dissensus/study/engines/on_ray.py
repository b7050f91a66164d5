"""Jobs as tasks of a Ray cluster, or of a Ray that is started here for the time of a study."""

from __future__ import annotations

import logging
import os
import socket
from collections.abc import Mapping
from typing import Any

import ray
from ray.exceptions import NodeDiedError, ObjectLostError, OutOfMemoryError, TaskCancelledError, WorkerCrashedError

from dissensus.study.data import StudyData
from dissensus.study.engines.engine import Awaited, Running, run_remotely
from dissensus.study.work.jobs import Job

_LOSSES = (NodeDiedError, ObjectLostError, OutOfMemoryError, TaskCancelledError, WorkerCrashedError)


class RayEngine:
    """Each job is a task with one CPU, and a GPU where its network is trained there.

    Data are sent once to each node, by Ray's object store; results come back the same way, so that no disk is shared.
    A task whose worker or node dies is submitted again by the study, as it is with every engine.

    address  of a cluster, such as "auto" or "head-node:6379"; None: what RAY_ADDRESS names, else a Ray of this machine
    workers  jobs at once; None: as many as the cluster has CPUs
    """

    def __init__(self, address: str | None = None, workers: int | None = None) -> None:
        self._address, self._workers = address or os.environ.get("RAY_ADDRESS") or "local", workers
        self._data: dict[str, Any] = {}
        self._started = False

    @property
    def workers(self) -> int:
        self._begin()
        return self._workers or max(1, int(ray.cluster_resources().get("CPU", 1)))

    def send(self, data: Mapping[str, StudyData]) -> None:
        self._begin()
        self._data = {name: ray.put(items) for name, items in data.items()}

    def submit(self, job: Job) -> Running:
        # A job that is lost is the study's to repeat: Ray repeats what runs out of memory without end.
        task = ray.remote(run_remotely).options(num_cpus=1, max_retries=0)
        if str(job.tasks[0].cell.model.settings.get("device", "cpu")).startswith("cuda"):
            if not ray.cluster_resources().get("GPU"):
                raise ValueError('the model has device = "cuda", and no node of the Ray cluster has a GPU')
            task = task.options(num_gpus=1)
        return Awaited(_Reference(task.remote(job, self._data[job.data])), _LOSSES)

    def close(self) -> None:
        self._data = {}
        if self._started:
            ray.shutdown()
            self._started = False

    def _begin(self) -> None:
        """Connect to the cluster, or start one, unless that was done before, here or by other code that uses Ray."""
        if ray.is_initialized():
            return
        _check_answers(self._address)
        os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")  # a Ray that we start sends no reports
        own = {"num_cpus": self._workers, "include_dashboard": False} if self._address == "local" else {}
        try:
            ray.init(self._address, log_to_driver=False, logging_level=logging.ERROR, **own)
        except (ConnectionError, ValueError, RuntimeError, TimeoutError) as problem:
            raise ValueError(f"no Ray at the address {self._address}: {' '.join(str(problem).split())}") from None
        self._started = True


def _check_answers(address: str) -> None:
    """Refuse an address without a server: Ray itself retries for minutes, with long messages."""
    host, _, port = address.rpartition("//")[2].rpartition(":")
    if host and port.isdigit():
        try:
            socket.create_connection((host.strip("[]"), int(port)), timeout=20).close()
        except OSError as problem:
            raise ValueError(f"no Ray at the address {address}: {problem.strerror or problem}") from None


class _Reference:
    def __init__(self, reference: Any) -> None:
        self._reference = reference

    def done(self) -> bool:
        return bool(ray.wait([self._reference], timeout=0)[0])

    def result(self) -> Any:
        return ray.get(self._reference)
