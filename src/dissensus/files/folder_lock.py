"""A folder that one process at a time works in."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def lock_folder(folder: Path, otherwise: str) -> Iterator[None]:
    """Hold a folder that exists, until the end or until this process dies.

    otherwise  the error if another process has it
    """
    lock = os.open(folder, os.O_RDONLY)
    try:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise ValueError(f"{folder}: {otherwise}") from None
        yield
    finally:
        os.close(lock)
