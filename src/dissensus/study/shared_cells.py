"""Cells that several studies share: a training that two papers need is done once and stored once."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterable
from pathlib import Path

from dissensus.study.cells import RECORD, check_same, read_record
from dissensus.study.work.jobs import Task


def take_shared(tasks: Iterable[Task], cells: Path, shared: Path) -> None:
    """Link the cells of these tasks that other studies have made; a cell is named by everything that decides it."""
    for task in tasks:
        source = shared / task.key
        if (cells / task.key).exists() or not source.is_dir():
            continue
        record = read_record(source)
        if record is not None and record["status"] == "done":
            check_same(record, task.settings, source)
            _link(source, cells / task.key)


def give_shared(tasks: Iterable[Task], cells: Path, shared: Path) -> None:
    """Link the finished cells of these tasks to where other studies look for them."""
    shared.mkdir(parents=True, exist_ok=True)
    for task in tasks:
        record = read_record(cells / task.key)
        if record is not None and record["status"] == "done" and not (shared / task.key).exists():
            _link(cells / task.key, shared / task.key)


def _link(source: Path, place: Path) -> None:
    """A folder of hard links, or of copies on another disk; a folder without a record is ignored, so it comes last."""
    aside = place.with_name(f".{place.name}-{os.urandom(4).hex()}")
    aside.mkdir()
    for path in sorted(source.iterdir(), key=lambda path: path.name == RECORD):
        try:
            os.link(path, aside / path.name)
        except OSError:
            shutil.copy2(path, aside / path.name)
    try:
        aside.rename(place)
    except OSError:  # another process was quicker
        shutil.rmtree(aside)
