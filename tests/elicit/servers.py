"""Server processes of their own, which can be killed; they are forked from one that has loaded everything already."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import uvicorn

from dissensus.elicit.app import make_app
from dissensus.elicit.server import SETTINGS, find_free_port, wait_for_server
from dissensus.elicit.session.arrivals import arrive
from dissensus.elicit.survey_run import open_survey
from tests.elicit.surveys import from_prolific
from tests.forks import FORKS


class ForkedServer:
    """A process that serves one survey, as `elicit serve` does with one worker; named as those of `subprocess` are."""

    def __init__(self, folder: Path, database: str | None, place: int | socket.socket) -> None:
        """place: the port, or where several of them listen together"""
        self._process = FORKS.Process(target=_serve, args=(folder, database, place), daemon=True)
        self._process.start()
        assert self._process.pid is not None
        self.pid = self._process.pid

    def poll(self) -> int | None:
        return self._process.exitcode

    def wait(self, seconds: float | None = None) -> None:
        self._process.join(seconds)

    def terminate(self) -> None:
        self._process.terminate()

    def kill(self) -> None:
        self._process.kill()


def start_server(folder: Path, database: str | None, *, port: int | None = None) -> tuple[ForkedServer, str]:
    """Start the server and wait until it answers."""
    port = port or find_free_port()
    process = ForkedServer(folder, database, port)
    return process, wait_for_server(process, port)


@contextmanager
def background_server(folder: Path, database: str | None, *, workers: int = 1) -> Iterator[str]:
    """Server processes at one address, which it gives; they end with the block."""
    with socket.create_server(("127.0.0.1", 0)) as place:
        processes = [ForkedServer(folder, database, place) for _ in range(workers)]
        try:
            yield wait_for_server(processes[0], place.getsockname()[1])
        finally:
            for process in processes:
                process.terminate()
            for process in processes:
                process.wait(20)


def ten_arrive(folder: Path, database: str | None, barrier: Any, arrived: Any) -> None:
    """What a process does that opens the survey when others do, and tells whom it met there."""
    run = open_survey(folder, database)
    barrier.wait()
    arrived.put([arrive(run, from_prolific(i)) for i in range(10)])
    run.store.close()


def _serve(folder: Path, database: str | None, place: int | socket.socket) -> None:
    app = make_app(open_survey(folder, database))
    if isinstance(place, int):
        uvicorn.run(app, port=place, **SETTINGS)
    else:
        uvicorn.Server(uvicorn.Config(app, **SETTINGS)).run([place])
