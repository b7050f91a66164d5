"""Processes of this machine: one that dies takes nothing with it but the job it was at."""

from __future__ import annotations

import os
import signal
import threading
import time
from pathlib import Path

import pytest

from dissensus.study.cells import read_records
from dissensus.study.engines.processes import Processes
from dissensus.study.run import run_study
from tests.facts import states
from tests.study.small_studies import children, contents, few_heads, mixed_study, undisturbed


class Exits:
    """What ends the process that it is handed to."""

    def __reduce__(self):
        return os._exit, (3,)


def test_heads_and_networks_give_in_processes_what_they_give_here(tmp_path):
    run_study(mixed_study(), tmp_path, engine=Processes(2, str(tmp_path / "unfinished")))
    assert contents(tmp_path) == undisturbed(mixed_study)
    assert not (tmp_path / "unfinished").exists(), "states of trainings that are over"
    assert children(os.getpid()) == []


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="looks at processes through /proc")
def test_a_job_that_every_worker_dies_of_becomes_a_failure_of_each_of_its_cells_and_can_be_tried_again(tmp_path):
    over, deaths = threading.Event(), []

    def kill_whoever_comes():
        while not over.is_set():
            for pid in set(children(os.getpid())) - set(deaths):
                deaths.append(pid)
                os.kill(pid, signal.SIGKILL)
            time.sleep(0.01)

    killer = threading.Thread(target=kill_whoever_comes)
    killer.start()
    try:
        ran = run_study(few_heads(), tmp_path, engine=Processes(1))
    finally:
        over.set()
        killer.join()
    assert len(deaths) == 11, "two jobs of two cells: twice together, then each alone; and one of one cell"
    (error,) = set(ran.failures.values())
    assert ran.made == 5 and states(error, "died 3 times", "exit code -9")
    assert [record["status"] for record in read_records(tmp_path)] == ["failed"] * 5
    again = run_study(few_heads(), tmp_path, engine=Processes(1), retry=True)
    assert (again.made, again.failures) == (5, {})
    assert contents(tmp_path) == undisturbed(few_heads)


@pytest.mark.parametrize(
    ("handed", "why"),
    [
        (Exits(), r"exit code 3 .*__main__.*jobs=1"),
        (
            lambda: None,
            r"a process cannot receive this work \(.*lambda.*\): classes and functions that it",
        ),
    ],
    ids=["a process that cannot begin", "data that cannot be sent"],
)
def test_what_no_process_could_ever_begin_with_is_said_at_once(handed, why):
    engine = Processes(1)
    engine.send({"digits": handed})
    running = engine.submit(None)
    try:
        with pytest.raises(ValueError, match=why):
            running.result()
    finally:
        engine.close()
    assert children(os.getpid()) == []
