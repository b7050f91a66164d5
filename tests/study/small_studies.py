"""Studies that take seconds, what they gave, and a driver of one as a process of its own.

python tests/study/small_studies.py FOLDER   runs the study of many small heads in two processes
"""

from __future__ import annotations

import json
import sys
import tempfile
import time
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

from dissensus.study.cells import VARIES
from dissensus.study.engines.engine import Here
from dissensus.study.engines.processes import Processes
from dissensus.study.read_spec import study_of
from dissensus.study.run import run_study
from dissensus.study.spec import Study

DIGITS = {"digits": {"labels": "digits", "features": "pixels", "images": "digits"}}
MLP = {"head": "mlp", "epochs": 2, "hidden": 8}
HEADS = [{"head": "logistic", "penalty": 0.1}, {"head": "linear", "epochs": 1}, MLP]
NETWORK = {"network": "small", "width": 4, "depth": 1, "epochs": 1, "keep": ["best", "last"]}


def mixed_study() -> Study:
    """A head of every kind and a network, of which both the best and the last are kept."""
    return study_of({"name": "mixed", "seeds": 1, "data": DIGITS, "model": [*HEADS, NETWORK]})


def head_and_network() -> Study:
    """A job for each of the two kinds of models."""
    return study_of({"name": "both", "seeds": 1, "data": DIGITS, "model": [MLP, NETWORK]})


def few_heads() -> Study:
    """Five cells of one seed."""
    deliveries = ["soft", "majority", "majority | smoothed=0.1", "sls", "multipass"]
    return study_of({"name": "few", "seeds": 1, "delivery": deliveries, "data": DIGITS, "model": MLP})


def many_heads() -> Study:
    """One job for each seed."""
    return study_of(
        {
            "name": "many",
            "seeds": 16,
            "delivery": ["soft", "majority"],
            "data": DIGITS,
            "model": {"head": "mlp", "epochs": 15, "hidden": 32},
        }
    )


@cache
def undisturbed(study: Callable[[], Study]) -> dict[str, Any]:
    """What a study gives when all of it is done here, one job after the other, in one thread."""
    with tempfile.TemporaryDirectory() as folder:
        run_study(study(), folder, engine=Here(1))
        return contents(Path(folder))


def contents(folder: Path) -> dict[str, Any]:
    """Every cell to be seen in a study's folder: its record but for what may vary, and the bytes of its files."""
    return {cell.name: content(cell) for cell in cells(folder)}


def cells(folder: Path) -> list[Path]:
    return list((folder / "cells").glob("[!.]*"))


def content(cell: Path) -> tuple[dict[str, Any], dict[str, bytes]]:
    record = json.loads((cell / "record.json").read_text())
    files = {path.name: path.read_bytes() for path in sorted(cell.iterdir()) if path.name != "record.json"}
    return {key: value for key, value in record.items() if key not in VARIES}, files


def alive(pid: int) -> bool:
    """Whether a process is there and not only waiting to be buried."""
    return state_and_parent(pid)[0] not in "ZX"


def children(parent: int) -> list[int]:
    """The processes that work for another: those it started by multiprocessing."""
    pids = [int(place.name) for place in Path("/proc").glob("[0-9]*")]
    return [pid for pid in pids if state_and_parent(pid)[1] == parent and b"spawn_main" in words(pid)]


def state_and_parent(pid: int) -> tuple[str, int]:
    try:
        state, parent = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[:2]
    except (FileNotFoundError, ProcessLookupError):
        return "X", 0
    return state, int(parent)


def words(pid: int) -> bytes:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    except (FileNotFoundError, ProcessLookupError):
        return b""


def wait_until(is_so: Any, seconds: float = 120) -> None:
    end = time.monotonic() + seconds
    while not is_so():
        assert time.monotonic() < end, "it never happened"
        time.sleep(0.01)


if __name__ == "__main__":
    place = Path(sys.argv[1])
    try:
        run_study(many_heads(), place, engine=Processes(2, str(place / "unfinished")))
    except KeyboardInterrupt:
        sys.exit(130)
