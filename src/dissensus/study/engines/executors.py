"""Third-party engines: any object with `submit`, and a Dask client."""

from __future__ import annotations

from collections.abc import Mapping
from concurrent.futures import BrokenExecutor, CancelledError
from typing import Any

from dissensus.study.data import StudyData
from dissensus.study.engines.engine import Awaited, Running, run_remotely
from dissensus.study.work.jobs import Job
from dissensus.train.child_processes import cores


class Executed:
    """An executor as concurrent.futures has them: its `submit(function, *arguments)` gives a future.

    It cannot receive data once, so each job has its own copy. It stays open until its owner closes it.
    """

    def __init__(self, executor: Any) -> None:
        self.workers = int(getattr(executor, "_max_workers", None) or cores())
        self._executor, self._data = executor, dict[str, StudyData]()
        self._out: list[Any] = []

    def send(self, data: Mapping[str, StudyData]) -> None:
        self._data = dict(data)

    def submit(self, job: Job) -> Running:
        try:
            future = self._executor.submit(run_remotely, job, self._data[job.data])
        except BrokenExecutor as problem:
            raise ValueError(
                f"the {type(self._executor).__name__} accepts no more jobs ({problem}): one of its "
                "workers died; finished cells are kept, so pass a new one and run the study again"
            ) from None
        self._out = [earlier for earlier in self._out if not earlier.done()] + [future]
        return Awaited(future, (BrokenExecutor, CancelledError))

    def close(self) -> None:
        for future in self._out:
            future.cancel()


class Dask:
    """A client of a Dask cluster. Data go to all its workers once; the client stays open."""

    def __init__(self, client: Any) -> None:
        self._client, self._data = client, dict[str, StudyData]()
        self._sent: dict[str, Any] = {}
        self._out: list[Any] = []

    @property
    def workers(self) -> int:
        return max(1, len(self._client.nthreads()))

    def send(self, data: Mapping[str, StudyData]) -> None:
        self._data = dict(data)

    def submit(self, job: Job) -> Running:
        from distributed.scheduler import KilledWorker

        sent = self._sent.get(job.data)
        if sent is None or sent.status != "finished":  # lost with the workers that had it
            sent = self._client.scatter(self._data[job.data], broadcast=True, hash=False)
            self._sent[job.data] = sent
        future = self._client.submit(run_remotely, job, sent, pure=False)
        self._out = [earlier for earlier in self._out if not earlier.done()] + [future]
        return Awaited(future, (KilledWorker, CancelledError))

    def close(self) -> None:
        self._client.cancel(self._out)
        self._sent = {}
