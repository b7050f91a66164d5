"""`-` as a file: labels that come through standard input, as in `zcat votes.csv.gz | dissensus describe -`."""

from __future__ import annotations

import json
import re
import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from dissensus.files.delimited import MAX_LINE
from dissensus.files.notices import Notice, Say
from dissensus.labels.refusals import add_place

MARK = "-"
NAME = "standard input"
FIRST_BYTES = {b"PAR1": ".parquet", b"ARROW1": ".arrow", b"\x93NUMPY": ".npy", b"PK\x03\x04": ".npz"}


@contextmanager
def standard_input(say: Say) -> Iterator[tuple[Path, Say]]:
    """Yield a file with all of standard input, and a function for notices that calls it by that name.

    Formats are read from both ends, so the whole input has to be a file.

    Its ending follows from the first bytes: Parquet, Arrow, NPY, NPZ, JSON, JSONL, else CSV.
    """
    if sys.stdin is None:
        raise ValueError(f"{NAME} is closed, so there are no labels to read; expected a file or a pipe")
    with tempfile.TemporaryDirectory(prefix="dissensus-") as folder:
        path = Path(folder) / "labels"
        with path.open("wb") as copy:
            shutil.copyfileobj(sys.stdin.buffer, copy)
        path = path.rename(path.with_suffix(ending_of(path)))
        try:
            yield path, lambda notice: say(_at_standard_input(notice.removeprefix(f"{path}: ")))
        except ValueError as error:
            refusal = add_place(error, str(path))
            raise refusal.change(place=NAME + refusal.place.removeprefix(str(path))) from None


def _at_standard_input(notice: str) -> str:
    return notice.at(NAME) if isinstance(notice, Notice) else f"{NAME}: {notice}"


def check_not_standard_input(path: str, written: str) -> None:
    """Refuse `-` for any argument but the labels, since standard input can be read only once."""
    if path == MARK:
        raise ValueError(f"{written}: standard input can only be the labels, once; write its content to a file first")


def ending_of(path: Path) -> str:
    """The ending of the format that a file's first bytes show, .csv if they show none."""
    with path.open("rb") as file:
        start = file.read(4096)
        file.seek(0)
        line, more = file.readline(MAX_LINE), file.read(4096)
    known = next((ending for first, ending in FIRST_BYTES.items() if start.startswith(first)), None)
    text = start.removeprefix(b"\xef\xbb\xbf").lstrip()
    if known is not None:
        return known
    if re.match(rb"\[\s*[{\]]", text):
        return ".json"
    if re.match(rb'\{\s*["}]', text):
        return ".jsonl" if _is_record(line, alone=not more.strip()) else ".json"
    return ".csv"


def _is_record(line: bytes, *, alone: bool) -> bool:
    """Whether a first line is a record of its own; one that is the whole file may also be {item: record}."""
    try:
        record = json.loads(line.removeprefix(b"\xef\xbb\xbf"))
    except (ValueError, RecursionError):
        return False
    return not (alone and all(isinstance(value, dict) for value in record.values()))
