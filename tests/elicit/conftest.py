"""Real studies in temporary folders, on real databases."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path
from socket import socket
from typing import Any

import pytest

from tests.elicit.studies import write_study

_numbers = count()


@pytest.fixture(scope="session")
def postgres() -> Iterator[Callable[[], str]]:
    """A real PostgreSQL server; each call makes a new, empty database and gives its address."""
    found = shutil.which("pg_config")
    if found is None:
        pytest.skip("PostgreSQL is not installed: pg_config was not found")
    bin_folder = Path(subprocess.run([found, "--bindir"], capture_output=True, text=True, check=True).stdout.strip())
    if not (bin_folder / "initdb").exists():
        pytest.skip(f"PostgreSQL's server is not installed: no initdb in {bin_folder}")
    with tempfile.TemporaryDirectory(prefix="pg") as name:
        folder = Path(name)
        # The server refuses to run as root.
        become = ["runuser", "-u", "nobody", "--"] if os.geteuid() == 0 else []
        if become:
            shutil.chown(folder, "nobody")
        with socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]

        def run(program: str, *args: str) -> None:
            subprocess.run([*become, bin_folder / program, *args], check=True, capture_output=True, cwd=folder)

        run("initdb", "-D", f"{name}/data", "-U", "lab", "-A", "trust", "-N", "-E", "UTF8", "--locale=C.UTF-8")
        options = f"-k {name} -p {port} -c listen_addresses=127.0.0.1 -c fsync=off -c max_connections=200"
        run("pg_ctl", "-D", f"{name}/data", "-w", "-l", f"{name}/log", "-o", options, "start")

        def fresh() -> str:
            database = f"study{next(_numbers)}"
            run("createdb", "-h", name, "-p", str(port), "-U", "lab", database)
            return f"postgresql://lab@127.0.0.1:{port}/{database}"

        yield fresh
        run("pg_ctl", "-D", f"{name}/data", "-w", "-m", "immediate", "stop")


@pytest.fixture(params=["sqlite", "postgresql"])
def database(request: pytest.FixtureRequest) -> str | None:
    """The address of an empty database: None for the study's own SQLite file, or a real PostgreSQL server's."""
    return None if request.param == "sqlite" else request.getfixturevalue("postgres")()


@pytest.fixture
def opened(tmp_path: Path, database: str | None) -> Iterator[Callable[..., Any]]:
    """Function that writes a study and opens it on the database of this test."""
    from dissensus.elicit.app import open_study

    running = []

    def open_it(**sections: Any) -> Any:
        run = open_study(write_study(tmp_path / "study", **sections), database)
        running.append(run)
        return run

    yield open_it
    for run in running:
        run.store.close()


@pytest.fixture(scope="session")
def chromium() -> Iterator[Any]:
    """A real Chromium for all tests: the one that DISSENSUS_CHROMIUM names, one on the path, or playwright's own."""
    from tests.elicit.browser import ARGUMENTS, unavailable

    try:
        from playwright.sync_api import Error, sync_playwright
    except ImportError:
        unavailable("no browser: playwright is not installed")
    found = os.environ.get("DISSENSUS_CHROMIUM") or shutil.which("chromium") or shutil.which("google-chrome")
    with sync_playwright() as playwright:
        try:
            launched = playwright.chromium.launch(executable_path=found, args=ARGUMENTS)
        except Error as error:
            unavailable(f"no browser: {error}; set DISSENSUS_CHROMIUM, or run `playwright install chromium`")
        yield launched
        launched.close()


@pytest.fixture
def person(chromium: Any) -> Iterator[Callable[..., Any]]:
    """Function that gives somebody a browser of their own; at the end none of them saw an error or a jump."""
    from tests.elicit.browser import Person

    there = []

    def come(**context: Any) -> Any:
        there.append(Person(chromium, **context))
        return there[-1]

    yield come
    problems = [problem for one in there for problem in one.problems]
    shifts = [shift for one in there for shift in one.shifts()]
    for one in there:
        one.close()
    assert not problems
    assert not shifts
