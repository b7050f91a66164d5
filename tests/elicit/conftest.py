"""Real surveys in temporary folders, on real databases."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.elicit.postgres import PostgresServer, postgres_server
from tests.elicit.surveys import write_survey


@pytest.fixture(scope="session")
def postgres() -> Iterator[Callable[[], str]]:
    """A real PostgreSQL server; each call makes a new, empty schema and gives its address."""
    with postgres_server() as server:
        yield server.fresh


@pytest.fixture
def mortal_postgres() -> Iterator[PostgresServer]:
    """A PostgreSQL server that a test may kill."""
    with postgres_server() as server:
        yield server


@pytest.fixture(params=["sqlite", "postgresql"])
def database(request: pytest.FixtureRequest) -> str | None:
    """The address of an empty database: None for the survey's own SQLite file, or a real PostgreSQL server's."""
    return None if request.param == "sqlite" else request.getfixturevalue("postgres")()


@pytest.fixture
def opened(tmp_path: Path, database: str | None) -> Iterator[Callable[..., Any]]:
    """Function that writes a survey and opens it on the database of this test."""
    from dissensus.elicit.survey_run import open_survey

    running = []

    def open_it(**sections: Any) -> Any:
        run = open_survey(write_survey(tmp_path / "survey", **sections), database)
        running.append(run)
        return run

    yield open_it
    for run in running:
        run.store.close()


@pytest.fixture(scope="session")
def chromium(launched: Callable[..., Any]) -> Iterator[Any]:
    """One Chromium for all tests."""
    with launched() as browser:
        yield browser


@pytest.fixture(scope="session")
def browsers() -> dict[str, list[Any]]:
    """Browsers that nobody uses at the moment, by their settings: to make one takes longer than most tests."""
    return defaultdict(list)


@pytest.fixture
def person(chromium: Any, browsers: dict[str, list[Any]]) -> Iterator[Callable[..., Any]]:
    """Function that gives somebody a browser of their own; at the end none of them saw an error or a jump."""
    from tests.elicit.browser import Person

    there = []

    def come(**context: Any) -> Any:
        free = browsers[repr(sorted(context.items()))]
        there.append((free.pop() if free else Person(chromium, **context), free))
        return there[-1][0]

    yield come
    problems = [problem for browser, _ in there for problem in browser.problems]
    shifts = [shift for browser, _ in there for shift in browser.shifts()]
    for browser, free in there:
        if browser.leaves_traces:
            browser.close()
        else:
            browser.leave()
            free.append(browser)
    assert not problems
    assert not shifts
