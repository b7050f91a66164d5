"""A folder locked for one process, with a note that names it."""

from __future__ import annotations

import json
import os
import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from dissensus.files.folder_lock import lock_folder
from dissensus.files.whole_files import write_text

NOTE = ".running.json"  # names the process that works on a study


@contextmanager
def hold_folder(folder: Path) -> Iterator[None]:
    """Lock the folder of a study for this process; a second process is refused with the name of the first."""
    folder.mkdir(parents=True, exist_ok=True)
    note, who = folder / NOTE, read_note(folder)
    if who is not None:
        by = f"process {who['pid']} on {who['host']} has worked on it since {who['since']}"
    else:
        by = "another process works on it"
    with lock_folder(folder, f"{by}; wait for it, or end it first"):
        who = {"pid": os.getpid(), "host": socket.gethostname(), "since": time.strftime("%Y-%m-%d %H:%M:%S")}
        write_text(json.dumps(who) + "\n", note)
        try:
            yield
        finally:
            note.unlink(missing_ok=True)


def read_note(folder: Path) -> dict[str, Any] | None:
    """Read which process works on a study, or did when it was killed; None if there is no note."""
    try:
        who = json.loads((folder / NOTE).read_text(encoding="utf-8"))
        return {key: who[key] for key in ("pid", "host", "since")}
    except (OSError, ValueError, KeyError, TypeError):
        return None
