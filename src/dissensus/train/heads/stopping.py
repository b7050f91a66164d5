"""Stop the training of heads from another thread, by a flag that is checked after each head.

An exception raised in a thread from outside does not work: while that thread starts another one, it can hit the new
one instead, and the first then waits for it forever.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

_STOP: ContextVar[threading.Event | None] = ContextVar("stop", default=None)


@contextmanager
def stop_with(stop: threading.Event) -> Iterator[None]:
    """End the training of heads in this thread with a KeyboardInterrupt once `stop` is set."""
    token = _STOP.set(stop)
    try:
        yield
    finally:
        _STOP.reset(token)


def end_if_stopped() -> None:
    """Raise KeyboardInterrupt if the training was stopped; called between two heads."""
    stop = _STOP.get()
    if stop is not None and stop.is_set():
        raise KeyboardInterrupt
