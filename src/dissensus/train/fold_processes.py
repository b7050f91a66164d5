"""Work in several processes of one thread each, which end with the work, with an error, and with their parent."""

from __future__ import annotations

import multiprocessing
import pickle
import traceback
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from multiprocessing.connection import Connection, wait
from pathlib import Path
from typing import Any, cast

import torch

from dissensus.labels.refusals import Refusal
from dissensus.train.child_processes import crashed_error, end_with_parent, interrupts_wait, unsendable_error

Tell = Callable[[Any], None]
Work = Callable[[Any, Tell], Any]


@contextmanager
def torch_threads(number: int) -> Iterator[None]:
    """Torch with this many threads, on which the order of sums depends; the processes have one."""
    before = torch.get_num_threads()
    torch.set_num_threads(number)
    try:
        yield
    finally:
        torch.set_num_threads(before)


def in_processes(
    work: Work, tasks: Sequence[Any], jobs: int, hear: Callable[[int, Any], None], litter: Path | None = None
) -> list[Any]:
    """Return `work(task, tell)` for each task, in their order; the next free process takes the next task.

    work  a function of a module; `tell` sends remarks
    hear  is called here, with the place of a task and each of its remarks
    litter  a folder that the caller removes; where it was killed, the processes do

    The first task that fails ends all of them, and its error is raised here.
    """
    context = multiprocessing.get_context("spawn")  # forked, torch and Arrow may wait for threads that are not there
    waiting = list(enumerate(tasks))
    results: dict[int, Any] = {}
    workers: dict[Connection, Any] = {}
    try:
        with interrupts_wait():
            for _ in range(min(jobs, len(tasks))):
                here, there = context.Pipe()
                process = context.Process(target=_serve, args=(work, there, litter), daemon=True)
                process.start()
                there.close()  # so that the pipe ends with the process
                workers[here] = process
        for connection in workers:  # after all have begun to load, as a large task waits for its process
            _hand_over(connection, waiting)
        while len(results) < len(tasks):
            for connection in cast(list[Connection], wait(list(workers))):
                kind, place, content = _receive(connection, workers[connection])
                if kind == "remark":
                    hear(place, content)
                elif kind == "done":
                    results[place] = content
                    _hand_over(connection, waiting)
                else:
                    raise content
    finally:
        for process in workers.values():
            process.terminate()
        for process in workers.values():
            process.join()
    return [results[place] for place in range(len(tasks))]


def _hand_over(connection: Connection, waiting: list[tuple[int, Any]]) -> None:
    if waiting:
        try:
            connection.send(waiting.pop(0))
        except OSError:  # it has ended already; its last messages are read next
            return
        except (pickle.PicklingError, AttributeError, TypeError) as problem:
            raise unsendable_error(problem) from None


def _receive(connection: Connection, process: Any) -> tuple[str, int, Any]:
    try:
        message: tuple[str, int, Any] = connection.recv()
    except (EOFError, ConnectionResetError):
        process.join()
        raise crashed_error(process.exitcode) from None
    return message


def _serve(work: Work, connection: Connection, litter: Path | None) -> None:
    """Work on tasks until the process is ended."""
    end_with_parent(litter)
    torch.set_num_threads(1)
    while True:
        try:
            place, task = connection.recv()
        except (AttributeError, ImportError) as problem:  # a class pickled there cannot be imported here
            connection.send(("failed", 0, unsendable_error(problem)))
            continue
        try:
            connection.send(("done", place, work(task, lambda remark: connection.send(("remark", place, remark)))))  # noqa: B023
        except Refusal as refusal:  # with its ways out, which the front words
            connection.send(("failed", place, refusal))
        except (ValueError, OSError, ImportError) as problem:
            connection.send(("failed", place, ValueError(str(problem))))
        except Exception:  # our own bug: shown there as it is here
            connection.send(("failed", place, RuntimeError(traceback.format_exc())))
