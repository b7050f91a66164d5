"""The `dissensus convert` command that applies reading settings where a front has no such settings."""

from __future__ import annotations

import csv
import io
import shlex
from collections.abc import Mapping
from dataclasses import fields
from pathlib import Path
from types import EllipsisType

from dissensus.files.tables.columns import Reading

PLAIN_FILE = "plain.parquet"
REPEATED = ("drop", "where")  # options that are given once for each value; other lists are one row of CSV
READING_SETTINGS = tuple(field.name for field in fields(Reading) if field.name != "items")


def convert_command(file: str, settings: Mapping[str, object]) -> str | None:
    """Return the command that reads a file with these settings and writes a plain one.

    None if `convert` does not have all of them.
    """
    if not settings or not set(settings) <= set(READING_SETTINGS):
        return None
    source = {"standard input": "-"}.get(file, file if Path(file).exists() else "FILE")
    options = [write_option(name, value, repeated=name in REPEATED) for name, value in settings.items()]
    return " ".join(["dissensus convert", shlex.quote(source), PLAIN_FILE, *options])


def write_option(name: str, value: object, *, repeated: bool = False) -> str:
    """Return a command-line option with its value, quoted for a shell: `--drop note`."""
    option = f"--{name.replace('_', '-')}"
    if value is True:
        return option
    if isinstance(value, EllipsisType):
        return f"{option} ..."
    return " ".join(f"{option} {shlex.quote(text)}" for text in _texts(value, repeated))


def _texts(value: object, repeated: bool) -> list[str]:
    if isinstance(value, Mapping):
        return [f"{key}={held}" for key, held in value.items()]
    if not isinstance(value, list | tuple):
        return [str(value)]
    if repeated:
        return [str(part) for part in value]
    row = io.StringIO()
    csv.writer(row, lineterminator="").writerow(value)
    return [row.getvalue()]
