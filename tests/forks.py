"""Processes forked from one that has loaded everything; from nothing each would take a second."""

from __future__ import annotations

import multiprocessing
import os
import sys
from collections.abc import Mapping
from multiprocessing import reduction
from pathlib import Path
from typing import Any

FORKS = multiprocessing.get_context("forkserver")
FORKS.set_forkserver_preload(
    [  # not the verbs: they look at the terminal when they are loaded
        "tests.elicit.servers",
        "dissensus.elicit.dashboard.routes",
        "psycopg",
        "sqlalchemy.dialects.sqlite.pysqlite",
        "uvicorn.lifespan.on",
        "uvicorn.protocols.http.auto",
        "pandas",
        "typer",
        "pydantic.type_adapter",
        "rich.progress",
        "scipy.stats",
        "scipy.signal",
        "dissensus.aggregate.aggregations",
        "dissensus.aggregate.agreement_summary",
        "dissensus.aggregate.annotators_page",
        "dissensus.aggregate.second_look",
        "dissensus.evaluate.comparisons",
        "dissensus.evaluate.inputs",
        "dissensus.files.read_labels",
        "dissensus.report.labels_card",
    ]
)


class Command:
    """`dissensus WORDS` as a process of its own, with these file descriptors as its standard streams."""

    def __init__(self, words: list[str], folder: Path, environment: Mapping[str, str], streams: list[int]) -> None:
        handed = [_Stream(number) for number in streams]
        self._process = FORKS.Process(target=_run, args=(words, str(folder), dict(environment), handed))
        self._process.start()

    def wait(self) -> int:
        """The code with which it ended."""
        self._process.join()
        assert self._process.exitcode is not None
        return self._process.exitcode


class _Stream:
    """A file descriptor, which gets another number where it is sent to."""

    def __init__(self, number: int) -> None:
        self.number = number

    def __reduce__(self) -> Any:
        return _received, (reduction.DupFd(self.number),)


def _received(duplicate: Any) -> int:
    number: int = duplicate.detach()
    return number


def _run(words: list[str], folder: str, environment: dict[str, str], streams: list[int]) -> None:
    for place, number in enumerate(streams):
        os.dup2(number, place)
        os.close(number)
    os.environ.clear()
    os.environ.update(environment)
    os.chdir(folder)
    sys.stdin, sys.stdout, sys.stderr = (
        open(place, mode, encoding=environment.get("PYTHONIOENCODING", "utf-8"), closefd=False)  # noqa: SIM115
        for place, mode in enumerate("rww")
    )
    sys.argv = ["dissensus", *words]
    from dissensus.__main__ import main

    main()
