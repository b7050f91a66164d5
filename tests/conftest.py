"""Fixtures all tests share: the folder with the public data sets and a browser, where they are."""

from __future__ import annotations

import gc
import os
import shutil
import signal
from collections.abc import Callable, Iterator
from functools import cache
from itertools import islice
from pathlib import Path
from typing import Any, NoReturn

import pytest
from hypothesis import settings

# Cores may be busy, so no test has a deadline; in continuous integration the same examples are tried every time.
settings.register_profile("steady", deadline=None, derandomize=os.environ.get("CI") == "true")
settings.load_profile("steady")

# Every answer of a survey, every checkpoint and every file that appears whole waits for the disk, thousands of times
# here; in memory nobody waits.
MEMORY = Path("/dev/shm")
if MEMORY.is_dir() and shutil.disk_usage(MEMORY).free > 2**31:
    os.environ.setdefault("PYTEST_DEBUG_TEMPROOT", str(MEMORY))

# A shell starts `… &` with interrupts ignored, and commands that tests interrupt would inherit that.
signal.signal(signal.SIGINT, signal.default_int_handler)

gc.disable()  # while everything is imported there is no garbage

# Half of the workers begin with tests that mostly wait, as people do, and the others with the longest that compute: so
# the processors always have something to do, and at the end nobody waits for one long test.
WAITING = (
    "tests/study/engines/test_on_ray.py",
    "tests/elicit/rehearsal/",
    "tests/elicit/test_browser_",
    "tests/elicit/test_accessibility.py",
    "tests/elicit/dashboard/test_browser_",
    "tests/elicit/test_faults.py",
)
COMPUTING = (
    "tests/test_missing_packages.py",
    "tests/test_docs.py",
    "tests/study/test_interrupted_runs.py",
    "tests/evaluate/test_ceiling.py",
    "tests/papers/",
)


@pytest.hookimpl(trylast=True)  # when those that are left out are gone
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Tests are dealt to workers in blocks of one size: each block begins with its share of these, whole files, for
    tests of a file share what is made at length."""
    workers = getattr(config, "workerinput", {}).get("workercount", 1)
    shares: list[list[pytest.Item]] = [[] for _ in range(workers)]
    for first, mine in ((WAITING, shares[::2]), (COMPUTING, shares[1::2] or shares)):
        files: dict[str, list[pytest.Item]] = {}
        for item in items:
            if item.nodeid.startswith(first):
                files.setdefault(item.nodeid.partition("::")[0], []).append(item)
        in_turn = sorted(files, key=lambda file: next(i for i, part in enumerate(first) if file.startswith(part)))
        for turn, file in enumerate(in_turn):
            mine[turn % len(mine)].extend(files[file])
    others = iter([item for item in items if not item.nodeid.startswith(WAITING + COMPUTING)])
    blocks, left = [], len(items)
    for done, share in enumerate(shares):
        size = left // (workers - done)
        blocks += share + list(islice(others, max(0, size - len(share))))
        left -= size
    items[:] = blocks + list(others)


def pytest_collection_finish(session: pytest.Session) -> None:
    """What has been imported by now stays to the end, so whoever looks for garbage need not look through it again."""
    gc.freeze()
    gc.enable()


_WANTED = "set DISSENSUS_DATA to a folder with the public data sets to run this test"


def _without_data(reason: str) -> NoReturn:
    """Skip, or fail where DISSENSUS_REQUIRE_DATA=1 says that the data must be there."""
    if os.environ.get("DISSENSUS_REQUIRE_DATA") == "1":
        pytest.fail(reason)
    pytest.skip(reason)


@pytest.fixture(scope="session")
def data_folder() -> Path:
    """The folder named by DISSENSUS_DATA."""
    named = os.environ.get("DISSENSUS_DATA", "")
    if not named or not Path(named).is_dir():
        _without_data(_WANTED)
    return Path(named)


@cache
def _loaded(name: str) -> Any:
    from dissensus.datasets import load

    return load(name)


@pytest.fixture(scope="session")
def loaded(data_folder: Path) -> Callable[[str], Any]:
    """Function that loads a data set by name, once a session; skips where its files are missing."""

    def load_or_skip(name: str) -> Any:
        try:
            return _loaded(name)
        except FileNotFoundError as problem:
            _without_data(f"{_WANTED}: {problem}")

    return load_or_skip


@pytest.fixture(scope="session")
def launched() -> Iterator[Callable[..., Any]]:
    """Function that starts a real Chromium: the one that DISSENSUS_CHROMIUM names, on the path, or playwright's own.

    That without windows is Chromium's own build for tests, and takes a quarter less of the processors.
    """
    from tests.elicit.browser import ARGUMENTS, unavailable

    try:
        from playwright.sync_api import Error, sync_playwright
    except ImportError:
        unavailable("no browser: playwright is not installed")
    found = map(shutil.which, ("chromium-headless-shell", "chromium", "google-chrome"))
    program = os.environ.get("DISSENSUS_CHROMIUM") or next(filter(None, found), None)
    with sync_playwright() as playwright:

        def launch(*more: str) -> Any:
            try:
                return playwright.chromium.launch(executable_path=program, args=[*ARGUMENTS, *more])
            except Error as error:
                unavailable(f"no browser: {error}; set DISSENSUS_CHROMIUM, or run `playwright install chromium`")

        yield launch
