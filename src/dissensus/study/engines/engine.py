"""Who carries the jobs of a study: what every engine has, and the one that works in this very process."""

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
    """A job that was handed over; `result` gives a list of Outcome, and raises LostError where its worker died."""

    def done(self) -> bool: ...

    def result(self) -> Any: ...


@runtime_checkable
class Engine(Protocol):
    """Carries jobs; a new engine has these four and nothing else.

    workers   jobs that run at the same time; twice as many are handed over, so that nobody waits for the next
    send      hands over the data once, before the first job
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
    """This very process: heads in as many threads as there are cores, which share their work; no start-up time.

    Heads are worked on beside the one who asks, who puts away what the last job gave in the meantime. A network takes
    long, so it is trained by the one who asks, whom Ctrl-C reaches at once. Never are two jobs worked on at a time.
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
        """End the job that is worked on, for which nobody waits any more: after the head that is in training."""
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
    """A job that is worked on when its result is asked for, by the one who asks."""

    def __init__(self, work: Callable[[], list[Outcome]]) -> None:
        self.result = work

    def done(self) -> bool:
        return True


class Awaited:
    """A job of an engine of others, which has errors of its own that say that a worker died."""

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
            raise ValueError(f"a worker of the engine could not do its job: {_word_error(problem)}") from problem


def _word_error(problem: BaseException) -> str:
    """An error in one line; what came from afar has a traceback above its last one."""
    lines = str(problem).strip().splitlines()
    return f"{type(problem).__name__}: {lines[-1] if lines else 'no more is known'}"


_one_at_a_time = threading.Lock()


def run_remotely(job: Job, data: StudyData) -> list[Outcome]:
    """What a worker of some engine does with a job.

    Workers may be threads of one process. How many threads a library uses is a setting of the whole process, and so
    are the random numbers of torch: two jobs at once would give other results than one after the other.
    """
    with _one_at_a_time:
        return run_job(job, data)
