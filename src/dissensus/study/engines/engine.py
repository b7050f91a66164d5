"""Engines run the jobs of a study: the interface of every engine, and the engine that works in this process."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any, Protocol, runtime_checkable

from dissensus.study.data import StudyData
from dissensus.study.work.jobs import Job
from dissensus.study.work.work import Outcome, run_job
from dissensus.train.heads.stopping import stop_with


class Running(Protocol):
    """A submitted job; `result` returns a list of Outcome, and raises LostError where its worker died."""

    def done(self) -> bool: ...

    def result(self) -> Any: ...


@runtime_checkable
class Engine(Protocol):
    """Runs jobs; a new engine has these four members and no others.

    workers   jobs that run at the same time; twice as many are submitted, so that no worker waits for the next
    send      sends the data once, before the first job
    submit    starts a job, or puts it into a queue
    close     ends what was started, also what still runs
    """

    @property
    def workers(self) -> int: ...

    def send(self, data: Mapping[str, StudyData]) -> None: ...

    def submit(self, job: Job) -> Running: ...

    def close(self) -> None: ...


class LostError(Exception):
    """A worker died before its job was done: it was killed, or out of memory. The job can be submitted again."""


class Here:
    """This process: heads in one thread per core, which share their work; no start-up time.

    Heads are trained in a background thread while the caller stores the results of the last job. A network takes long,
    so it is trained in the caller's thread, which Ctrl-C interrupts at once. Only one job runs at a time.
    """

    workers = 1

    def __init__(self, threads: int, scratch: str | None = None) -> None:
        self.threads, self._scratch = threads, scratch
        self._data: Mapping[str, StudyData] = {}
        self._beside = ThreadPoolExecutor(1)
        self._one_job, self._closed = threading.Lock(), threading.Event()

    def send(self, data: Mapping[str, StudyData]) -> None:
        self._data = data

    def submit(self, job: Job) -> Running:
        if job.tasks[0].cell.model.kind == "network":
            return _WhenAsked(partial(self._run, job))
        return self._beside.submit(self._run_beside, job)

    def close(self) -> None:
        """Stop the running job, whose result is no longer needed, after the head that is in training."""
        self._closed.set()
        self._beside.shutdown(cancel_futures=True)

    def _run_beside(self, job: Job) -> list[Outcome]:
        with stop_with(self._closed):
            return self._run(job)

    def _run(self, job: Job) -> list[Outcome]:
        with self._one_job:
            if self._closed.is_set():
                raise LostError("the engine was closed")
            return run_job(job, self._data[job.data], self.threads, self._scratch)


class _WhenAsked:
    """A job that runs in the caller's thread when its result is requested."""

    def __init__(self, work: Callable[[], list[Outcome]]) -> None:
        self.result = work

    def done(self) -> bool:
        return True


class Awaited:
    """A job of a third-party engine, which has its own errors for a worker that died."""

    def __init__(self, future: Any, losses: tuple[type[BaseException], ...]) -> None:
        self.future, self._losses = future, losses

    def done(self) -> bool:
        return bool(self.future.done())

    def result(self) -> Any:
        try:
            return self.future.result()
        except self._losses as problem:
            raise LostError(_word_error(problem)) from None
        except Exception as problem:  # not of a cell, which has a record of its own; such as a package missing there
            raise ValueError(f"a worker of the engine could not run its job: {_word_error(problem)}") from problem


def _word_error(problem: BaseException) -> str:
    """An error in one line; one from another process has a traceback above its last line."""
    lines = str(problem).strip().splitlines()
    return f"{type(problem).__name__}: {lines[-1] if lines else 'no more is known'}"


_one_at_a_time = threading.Lock()


def run_remotely(job: Job, data: StudyData) -> list[Outcome]:
    """Run a job in a worker of an engine.

    Workers may be threads of one process. How many threads a library uses is a setting of the whole process, and so
    are the random numbers of torch: two jobs at once would give other results than one after the other.
    """
    with _one_at_a_time:
        return run_job(job, data)
