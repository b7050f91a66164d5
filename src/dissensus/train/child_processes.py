"""Child processes that ignore Ctrl-C and end with the process that started them."""

from __future__ import annotations

import multiprocessing
import os
import shutil
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from multiprocessing import resource_tracker
from pathlib import Path

from dissensus.labels.refusals import PythonWay, Refusal, Way

_LIMIT: ContextVar[int | None] = ContextVar("cores", default=None)
_WITHOUT_PROCESSES = Way("pass {jobs}, which needs no processes", jobs=1)


def crashed_error(code: int | None) -> Refusal:
    """Return the error for a process that ended before its work was done."""
    return Refusal(
        f"a process ended with exit code {code} before its work was done; it may have been killed, or out of memory",
        ways=[PythonWay('put the call of a script under `if __name__ == "__main__":`'), _WITHOUT_PROCESSES],
    )


def unsendable_error(problem: Exception) -> Refusal:
    """Return the error for work that a process cannot receive."""
    return Refusal(
        f"a process cannot receive this work ({problem}): classes and functions that it needs must be in a module, not "
        "inside a function or a notebook",
        ways=[_WITHOUT_PROCESSES],
    )


def cores() -> int:
    """Return the number of cores that this process may use; inside `limit_cores`, at most its number."""
    present = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return min(present, _LIMIT.get() or present)


@contextmanager
def limit_cores(number: int | None) -> Iterator[None]:
    """Let work that takes one process or thread per core take at most this many; None: no limit."""
    token = _LIMIT.set(number)
    try:
        yield
    finally:
        _LIMIT.reset(token)


@contextmanager
def interrupts_wait() -> Iterator[None]:
    """Ctrl-C reaches the parent and its children, and the parent ends the children.

    Processes started here ignore it, even while they load; the parent receives it a moment later.
    """
    resource_tracker.ensure_running()  # which the first process would start, and that lets interrupts through again
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def end_with_parent(litter: Path | None = None) -> None:
    """End this process when its parent ends, for whatever reason.

    A parent that was killed cannot end its children, which would continue with work that is no longer needed.

    litter  a folder that the parent removes; where it was killed, its children do
    """
    threading.Thread(target=_wait_for_parent, args=(litter,), daemon=True).start()


def _wait_for_parent(litter: Path | None) -> None:
    parent = multiprocessing.parent_process()
    assert parent is not None
    parent.join()
    if litter is not None:
        shutil.rmtree(litter, ignore_errors=True)
    os._exit(1)
