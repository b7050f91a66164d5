"""File permissions: on a shared machine, only the owner may read the answers."""

from __future__ import annotations

import os
import stat
from contextlib import suppress
from pathlib import Path

OTHERS = 0o077
ENDINGS = ("", "-wal", "-shm")  # SQLite gives these files the permissions of the database


def keep_private(database: Path) -> None:
    """Create an SQLite database, or change an existing one, so that only its owner can read and write it."""
    if not database.parent.is_dir():
        return  # SQLite reports the error
    with suppress(OSError):
        os.close(os.open(database, os.O_CREAT | os.O_RDWR, 0o600))
    for ending in ENDINGS:
        path = database.with_name(database.name + ending)
        with suppress(FileNotFoundError, PermissionError):  # files of other users stay as they are
            if path.stat().st_mode & OTHERS and path.is_file():
                path.chmod(0o600)


def permissions_for_others(folder: Path) -> str:
    """Return the permissions of a folder that other users can read, or "" if they cannot."""
    mode = folder.stat().st_mode
    return stat.filemode(mode) if os.name == "posix" and mode & OTHERS else ""
