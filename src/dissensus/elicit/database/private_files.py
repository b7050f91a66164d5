"""Files that only their owner can read: what people said is nobody else's on a machine that is shared."""

from __future__ import annotations

import os
import stat
from contextlib import suppress
from pathlib import Path

OTHERS = 0o077
BESIDE = ("", "-wal", "-shm")  # SQLite gives these the permissions of the database


def keep_private(database: Path) -> None:
    """Make an SQLite database, or one that is there, readable and writable for its owner alone."""
    if not database.parent.is_dir():
        return  # SQLite says what is wrong with that
    with suppress(OSError):
        os.close(os.open(database, os.O_CREAT | os.O_RDWR, 0o600))
    for ending in BESIDE:
        path = database.with_name(database.name + ending)
        with suppress(FileNotFoundError, PermissionError):  # another's file stays as its owner has it
            if path.stat().st_mode & OTHERS and path.is_file():
                path.chmod(0o600)


def permissions_for_others(folder: Path) -> str:
    """The permissions of a folder into which others on the machine can look, or nothing."""
    mode = folder.stat().st_mode
    return stat.filemode(mode) if os.name == "posix" and mode & OTHERS else ""
