"""Refusal of output files that would replace an input file or each other."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from dissensus.cli.refusals import word_settings

INPUTS = (
    "gold",
    "model",
    "other",
    "pilot",
    "start",
)  # options with the path of a file to read; other paths are output


def refuse_overwriting(given: Mapping[str, Any]) -> None:
    """Refuse arguments of a verb by which it would replace a file it reads, or write two results to one file."""
    read: set[Path] = set()
    written: set[Path] = set()
    for name, value in given.items():
        if not isinstance(value, Path) or name in INPUTS:
            read.update(_files(value if isinstance(value, list) else [value]))
    for name, path in given.items():
        if not isinstance(path, Path) or name in INPUTS:
            continue
        place = path.resolve()
        if place in read:
            raise ValueError(f"{path}: would replace a file that is read here; write to another name")
        if place in written:
            raise ValueError(f"{path}: two results would go to this file; give each a name of its own")
        written.add(place)


def check_table_place(path: Path) -> None:
    """Refuse a place where labels cannot be written, before hours of work are done in vain."""
    from dissensus.files.formats import format_of
    from dissensus.files.whole_files import check_writable

    with word_settings((), None):
        format_of(path, None)
    if not path.parent.is_dir():
        raise ValueError(f"{path}: the folder {path.parent} does not exist; make it first")
    if path.is_dir():
        raise ValueError(f"{path}: is a folder; expected the name of a file to write")
    check_writable(path)


def _files(values: Iterable[Any]) -> Iterable[Path]:
    """The files that arguments name, alone or as NAME=FILE."""
    for value in values:
        if not isinstance(value, str | Path):
            continue
        for text in (str(value), str(value).partition("=")[2]):
            try:
                if text and Path(text).is_file():
                    yield Path(text).resolve()
            except (OSError, ValueError):  # too long for a path, or with a NUL: a list of classes and the like
                continue
