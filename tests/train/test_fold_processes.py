"""Processes that work side by side end when they are done, when one of them fails, and when their parent is killed."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
import torch

from dissensus.labels.refusals import Refusal, Way
from dissensus.train.child_processes import cores
from dissensus.train.fold_processes import in_processes, torch_threads
from tests.facts import refuses


def squared(task, tell):
    tell(("began", os.getpid()))
    os.kill(os.getpid(), signal.SIGINT)  # which is the business of the parent
    return task * task, torch.get_num_threads(), os.getpid()


def refused(task, tell):
    raise ValueError(f"task {task} is no good")


def refused_with_a_way(task, tell):
    raise Refusal("too large", "votes.csv", [Way("make it smaller with {size}", size=task)])


def broken(task, tell):
    raise KeyError(task)


def dies(task, tell):
    os._exit(7)


def waits(folder, tell):
    Path(folder, str(os.getpid())).touch()
    time.sleep(600)


def ignored(place, remark):
    pass


def alive(pid):
    """Whether a process is there and not only waiting to be buried."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    except (FileNotFoundError, ProcessLookupError):
        return False


def wait_until(is_so, seconds=120):
    end = time.monotonic() + seconds
    while not is_so():
        assert time.monotonic() < end, "it never happened"
        time.sleep(0.05)


def test_results_come_in_the_order_of_the_tasks_from_processes_of_one_thread_that_nothing_interrupts():
    heard = []
    results = in_processes(squared, [3, 1, 2], 2, lambda place, remark: heard.append((place, remark)))
    assert [square for square, _, _ in results] == [9, 1, 4]
    assert {threads for _, threads, _ in results} == {1}
    assert sorted(heard) == [(place, ("began", pid)) for place, (_, _, pid) in enumerate(results)]
    assert os.getpid() not in {pid for _, _, pid in results}
    assert not any(alive(pid) for _, _, pid in results)


def test_what_fails_there_is_raised_here():
    with refuses("task 5"):
        in_processes(refused, [5], 1, ignored)
    with refuses("too large", place="votes.csv", ways={"size": 5}):
        in_processes(refused_with_a_way, [5], 1, ignored)
    with refuses("in broken", "KeyError: 6", error=RuntimeError):
        in_processes(broken, [6], 1, ignored)
    with refuses("exit code 7", '`if __name__ == "__main__":`', "jobs=1"):
        in_processes(dies, [7], 1, ignored)


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="looks at processes through /proc")
def test_a_parent_that_is_killed_leaves_nobody_and_nothing_behind(tmp_path, tmp_path_factory):
    litter = tmp_path_factory.mktemp("litter")
    (litter / "images.npy").touch()
    code = (
        "from dissensus.train.fold_processes import in_processes\n"
        "from tests.train.test_fold_processes import ignored, waits\n"
        "if __name__ == '__main__':\n"
        "    from pathlib import Path\n"
        f"    in_processes(waits, [{str(tmp_path)!r}], 1, ignored, Path({str(litter)!r}))\n"
    )
    root = str(Path(__file__).parents[2])
    paths = os.pathsep.join([root, *(path for path in sys.path if path)])
    parent = subprocess.Popen([sys.executable, "-c", code], env=os.environ | {"PYTHONPATH": paths})
    try:
        wait_until(lambda: list(tmp_path.iterdir()))
        child = int(next(tmp_path.iterdir()).name)
        assert alive(child)
    finally:
        parent.send_signal(signal.SIGKILL)
        parent.wait()
    wait_until(lambda: not alive(child))
    assert not litter.exists()


def test_threads_are_given_back():
    before = torch.get_num_threads()
    with torch_threads(1):
        assert torch.get_num_threads() == 1
    assert torch.get_num_threads() == before and cores() >= 1
