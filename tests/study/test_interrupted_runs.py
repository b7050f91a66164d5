"""Whatever happens to a run, what it has done is kept, and the run after it ends where an undisturbed one does."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from dissensus.study.run import run_study
from tests.facts import refuses
from tests.study.small_studies import alive, cells, children, contents, many_heads, undisturbed, wait_until

DRIVER = Path(__file__).with_name("small_studies.py")
ROOT = DRIVER.parent.parent.parent
pytestmark = pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="looks at processes through /proc")


def driver(folder: Path) -> subprocess.Popen[str]:
    """A run in a process of its own, which has a group of its own as one started in a terminal has."""
    return subprocess.Popen(
        [sys.executable, str(DRIVER), str(folder)],
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        env=os.environ | {"PYTHONPATH": os.pathsep.join([str(ROOT), *sys.path])},
    )


def busy(run: subprocess.Popen[str]) -> list[int]:
    """The workers of a run, when there are some."""
    wait_until(lambda: children(run.pid) or run.poll() is not None)
    return children(run.pid)


def wait_for_more(before: int, folder: Path, run: subprocess.Popen[str]) -> None:
    wait_until(lambda: len(cells(folder)) > before or run.poll() is not None)


def kill(pid: int) -> None:
    os.kill(pid, signal.SIGKILL)
    wait_until(lambda: not alive(pid))


def test_a_study_whose_driver_and_workers_are_killed_ten_times_ends_as_an_undisturbed_one(tmp_path):
    """No cell is ever to be seen that is not whole and right, and nobody goes on working for a driver that is dead.

    Some die while they begin, and some in the middle of their work: when there are more cells than at the death before.
    """
    expected, chance = undisturbed(many_heads), random.Random(16)
    run, killed, seen = driver(tmp_path), [], {}
    for victim in chance.sample(["driver"] * 4 + ["worker"] * 6, 10):
        workers = busy(run)
        assert run.poll() is None, f"the study was over after {len(killed)} deaths"
        if chance.random() < 0.5:
            wait_for_more(len(seen), tmp_path, run)
        else:
            time.sleep(chance.uniform(0, 0.3))
        workers = children(run.pid) or workers
        killed.append(run.pid if victim == "driver" else chance.choice(workers))
        kill(killed[-1])
        seen = contents(tmp_path)
        assert seen.items() <= expected.items()
        if victim == "driver":
            wait_until(lambda left=workers: not any(alive(pid) for pid in left))
            run.stderr.close()
            run.wait()
            run = driver(tmp_path)
    assert len(killed) == 10 and 0 < len(seen) < len(expected)
    assert run.communicate()[1] == "" and run.returncode == 0
    assert contents(tmp_path) == expected
    assert sorted(path.name for path in tmp_path.iterdir()) == ["cells", "study.json"]
    assert all(not path.name.startswith(".") for path in (tmp_path / "cells").iterdir())


def test_a_second_run_is_refused_and_ctrl_c_ends_the_first_quietly_with_its_cells_kept(tmp_path):
    run = driver(tmp_path)
    workers = busy(run)
    since = json.loads((tmp_path / ".running.json").read_text())["since"]
    with refuses(f"{tmp_path}:", f"process {run.pid}", since, "wait"):
        run_study(many_heads(), tmp_path)
    wait_until(lambda: any((tmp_path / "cells").glob("[!.]*/record.json")))
    os.killpg(run.pid, signal.SIGINT)  # as a terminal does it
    said = run.communicate()[1]
    assert (said, run.returncode) == ("", 130)
    assert workers and not any(alive(pid) for pid in workers)
    assert contents(tmp_path) and contents(tmp_path).items() < undisturbed(many_heads).items()
    assert not (tmp_path / ".running.json").exists()
