"""A real PostgreSQL server of one's own, which can also be killed."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from typing import Any, NoReturn

import pytest
import sqlalchemy as sa

from dissensus.elicit.server import find_free_port


class PostgresServer:
    """A running server with its files in a folder; `fresh` makes a new, empty schema and gives its address."""

    def __init__(self, programs: Path, folder: Path) -> None:
        self.programs, self.folder, self.port = programs, folder, find_free_port()
        self.numbers = count()
        # The server refuses to run as root.
        self.become = ["runuser", "-u", "nobody", "--"] if os.geteuid() == 0 else []
        if self.become:
            shutil.chown(folder, "nobody")
        self._run("initdb", "-D", f"{folder}/data", "-U", "lab", "-A", "trust", "-N", "-E", "UTF8", "--locale=C.UTF-8")

    def start(self) -> None:
        options = f"-k {self.folder} -p {self.port} -c listen_addresses=127.0.0.1 -c fsync=off -c max_connections=200"
        self._run("pg_ctl", "-D", f"{self.folder}/data", "-w", "-l", f"{self.folder}/log", "-o", options, "start")

    def stop(self) -> None:
        self._run("pg_ctl", "-D", f"{self.folder}/data", "-w", "-m", "immediate", "stop")

    def kill(self) -> None:
        """The processes of the server end without a word, in the middle of what they do."""
        first = int((self.folder / "data" / "postmaster.pid").read_text().split()[0])
        processes = [first, *map(int, Path(f"/proc/{first}/task/{first}/children").read_text().split())]
        for process in processes:
            os.kill(process, signal.SIGKILL)

    def fresh(self) -> str:
        import psycopg

        # Of databases proper each is 300 files, which a busy disk takes longer to write and delete than most tests.
        schema = f"survey{next(self.numbers)}"
        server = f"postgresql://lab@127.0.0.1:{self.port}/postgres"
        with psycopg.connect(server, autocommit=True) as connection:
            connection.execute(f"CREATE SCHEMA {schema}")
        return f"{server}?options=-csearch_path%3D{schema}"

    def _run(self, program: str, *args: str) -> None:
        command = [*self.become, self.programs / program, *args]
        subprocess.run(command, check=True, capture_output=True, cwd=self.folder)


@contextmanager
def postgres_server() -> Iterator[PostgresServer]:
    config = shutil.which("pg_config")
    if config is None:
        _unavailable("PostgreSQL is not installed: pg_config was not found")
    programs = Path(subprocess.run([config, "--bindir"], capture_output=True, text=True, check=True).stdout.strip())
    if not (programs / "initdb").exists():
        _unavailable(f"PostgreSQL's server is not installed: no initdb in {programs}")
    with tempfile.TemporaryDirectory(prefix="pg", dir=os.environ.get("PYTEST_DEBUG_TEMPROOT")) as name:
        server = PostgresServer(programs, Path(name))
        server.start()
        yield server
        server.stop()


def lose_connections(engine: sa.Engine, due: list[bool]) -> None:
    """Lose a connection right after the commit for every entry of `due`, of which one is taken out each time."""

    @sa.event.listens_for(engine, "commit")
    def lose(connection: sa.Connection) -> None:
        if due:
            due.pop()
            lost: Any = connection.connection.driver_connection
            lost.commit()
            lost.close()


def _unavailable(reason: str) -> NoReturn:
    """Skip, or fail where DISSENSUS_REQUIRE_POSTGRES=1 says that the server must be there."""
    if os.environ.get("DISSENSUS_REQUIRE_POSTGRES") == "1":
        pytest.fail(reason)
    pytest.skip(reason)
