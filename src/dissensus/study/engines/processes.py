"""Processes of this machine with one thread each: for networks, and for studies of networks and heads."""

from __future__ import annotations

import multiprocessing
import pickle
import threading
from collections.abc import Mapping
from concurrent.futures import Future
from multiprocessing.connection import Connection
from queue import SimpleQueue
from typing import Any

from dissensus.study.data import StudyData
from dissensus.study.engines.engine import LostError, Running
from dissensus.study.work.jobs import Job
from dissensus.study.work.work import Outcome, run_job
from dissensus.train.child_processes import crashed_error, end_with_parent, interrupts_wait, unsendable_error

_READY = "ready"
Waiting = tuple[Job, "Future[list[Outcome]]"]


class Processes:
    """Processes with one thread each, which ignore Ctrl-C and end with their parent.

    A process that dies loses only its current job, and another replaces it. (A ProcessPoolExecutor ends when one
    process dies.) Each has a thread here that gives it jobs, so a free process never waits.

    scratch  a folder for the states of long trainings, which resume there if a process or this one was killed
    """

    def __init__(self, workers: int, scratch: str | None = None) -> None:
        self.workers = workers
        self._scratch = scratch
        self._data: Mapping[str, StudyData] = {}
        self._waiting: SimpleQueue[Waiting | None] = SimpleQueue()
        self._processes: set[Any] = set()
        self._threads: list[threading.Thread] = []
        self._starting = threading.Lock()
        self._closed = False

    def send(self, data: Mapping[str, StudyData]) -> None:
        self._data = data

    def submit(self, job: Job) -> Running:
        if len(self._threads) < self.workers:
            self._threads.append(threading.Thread(target=self._serve, daemon=True))
            self._threads[-1].start()
        future: Future[list[Outcome]] = Future()
        self._waiting.put((job, future))
        return future

    def close(self) -> None:
        with self._starting:
            self._closed = True
        for process in list(self._processes):
            process.terminate()
        for _ in self._threads:
            self._waiting.put(None)
        for thread in self._threads:
            thread.join()

    def _serve(self) -> None:
        """The life of a thread: it keeps one process busy, and starts another where that dies."""
        process: Any = None
        connection: Connection | None = None
        while (entry := self._waiting.get()) is not None:
            job, future = entry
            ready = connection is not None
            try:
                if connection is None:
                    process, connection = self._start()
                    connection.send(self._data)
                    ready = connection.recv() == _READY
                connection.send(job)
                future.set_result(connection.recv())
            except (pickle.PicklingError, AttributeError, TypeError) as problem:
                future.set_exception(unsendable_error(problem))
            except (EOFError, OSError) as problem:
                if process is None:
                    future.set_exception(ValueError(f"no process could be started: {problem}"))
                    continue
                process.join()
                self._processes.discard(process)
                future.set_exception(_death(process.exitcode, ready))
                process = connection = None
            except Exception as problem:  # waiting callers must be informed
                future.set_exception(problem)
        if process is not None:
            process.join()

    def _start(self) -> tuple[Any, Connection]:
        context = multiprocessing.get_context(
            "spawn"
        )  # forked, torch and Arrow may wait for threads that are not there
        here, there = context.Pipe()
        process = context.Process(target=_work, args=(there, self._scratch), daemon=True)
        with self._starting, interrupts_wait():
            if self._closed:
                raise LostError("the engine was closed")
            process.start()
            self._processes.add(process)
        there.close()  # so that the pipe ends with the process
        return process, here


def _death(code: int | None, ready: bool) -> Exception:
    """The error for a dead process: one that never started would never start."""
    if not ready and code is not None and code > 0:
        return crashed_error(code)
    return LostError(f"its process ended with exit code {code}")


def _work(connection: Connection, scratch: str | None) -> None:
    """The life of a process: jobs, until it is ended."""
    end_with_parent()
    data: Mapping[str, StudyData] = connection.recv()
    connection.send(_READY)
    while True:
        job = connection.recv()
        connection.send(run_job(job, data[job.data], 1, scratch))
