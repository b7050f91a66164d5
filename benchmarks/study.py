"""The overhead of running a study, and the gain of training heads together.

overhead   100 cells of small heads on the digits: the time that `run_study` takes, against that of the same jobs
           worked on by hand, without checks, hashes, folders and files; in turn, by the clock and by the processor
together   1,000 cells of heads by `run_study`, against one process for each cell, as many at once as there are
           cores, which loads the data, trains one head and scores it: what a loop over a command line does. The
           second is measured on the first `--alone` cells and multiplied

Cells go to the temporary folder. Where that holds very many files, making new ones takes several times as long:
TMPDIR names another.

python -m benchmarks.study [--repeats 3] [--alone 24] [-o FILE]
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any

from dissensus.study import Study, run_study, study_of
from dissensus.study.checks import tasks_of
from dissensus.study.commit import code_commit
from dissensus.study.engines.engine import Here
from dissensus.study.read_data import load_data
from dissensus.study.work.jobs import jobs_of
from dissensus.study.work.work import run_job

CORES = os.cpu_count() or 1
DELIVERIES = ["soft", "majority", "sls", "multipass", "majority | smoothed=0.1"]


def study(seeds: list[int], deliveries: list[str], votes: list[Any], rates: list[float]) -> Study:
    """A grid of small heads on the pixels of the embedded digits."""
    return study_of(
        {
            "name": "benchmark",
            "seeds": seeds,
            "delivery": deliveries,
            "labels": {"votes": votes},
            "data": {"digits": {"labels": "digits", "features": "pixels"}},
            "model": {"head": "mlp", "hidden": 64, "epochs": 20, "standardise": True, "learning_rate": rates},
        }
    )


HUNDRED = study([0, 1, 2, 3, 4], DELIVERIES, ["all", 3], [1e-3, 3e-3])
THOUSAND = study(list(range(20)), DELIVERIES, ["all", 1, 2, 3, 5], [1e-3, 3e-3])


def seconds(work: Callable[[], Any]) -> float:
    return both_seconds(work)[0]


def both_seconds(work: Callable[[], Any]) -> tuple[float, float]:
    """By the clock, and of the processor in all threads of this process."""
    started, used = time.perf_counter(), time.process_time()
    work()
    return time.perf_counter() - started, time.process_time() - used


def overhead(repeats: int) -> dict[str, Any]:
    """Run the study and its bare jobs in turn; both with warm caches."""
    data = load_data(HUNDRED)
    jobs = jobs_of(tasks_of(HUNDRED, data), HUNDRED, data, Here(CORES).workers)
    run_job(jobs[0], data["digits"], CORES)

    def bare() -> None:
        for job in jobs:
            run_job(job, data[job.data], CORES)

    pairs = []
    with tempfile.TemporaryDirectory() as folder:
        for place in range(repeats):
            study_took = both_seconds(partial(run_study, HUNDRED, f"{folder}/{place}"))
            pairs.append((study_took, both_seconds(bare)))
    result: dict[str, Any] = {"cells": 100}
    for which, name in enumerate(("clock", "processor")):
        mine, plain = ([took[which] for took in side] for side in zip(*pairs, strict=True))
        ratios = [one / other - 1 for one, other in zip(mine, plain, strict=True)]
        result[name] = {
            "study": [round(took, 2) for took in mine],
            "bare": [round(took, 2) for took in plain],
            "overhead": round(statistics.median(ratios), 4),
        }
    return result


def together(alone: int) -> dict[str, Any]:
    """The whole study at once, and some of its cells in a process each."""
    with tempfile.TemporaryDirectory() as folder:
        here = seconds(lambda: run_study(THOUSAND, folder))
    with ThreadPoolExecutor(CORES) as pool:
        each = seconds(lambda: list(pool.map(_in_a_process, range(alone)))) / alone
    return {
        "cells": 1000,
        "seconds together": round(here, 1),
        "cells in a process each": alone,
        "seconds of a cell so": round(each, 3),
        "times faster": round(each * 1000 / here, 1),
    }


def _in_a_process(place: int) -> None:
    environment = os.environ | {"OMP_NUM_THREADS": "1", "NUMBA_NUM_THREADS": "1"}
    command = [sys.executable, "-m", "benchmarks.study", "--cell", str(place)]
    subprocess.run(command, check=True, env=environment, capture_output=True)


def one_cell(place: int) -> None:
    """What a process of its own does for one cell."""
    data = load_data(THOUSAND)
    task = tasks_of(THOUSAND, data)[place]
    (job,) = jobs_of([task], THOUSAND, data, 1)
    (outcome,) = run_job(job, data["digits"])
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "record.json").write_text(json.dumps(outcome.record))


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--repeats", type=int, default=3)
    options.add_argument("--alone", type=int, default=24)
    options.add_argument("--cell", type=int, help=argparse.SUPPRESS)
    options.add_argument("-o", "--output", type=Path)
    given = options.parse_args()
    if given.cell is not None:
        one_cell(given.cell)
        return
    record = {"overhead": overhead(given.repeats), "together": together(given.alone)}
    added = {name: record["overhead"][name]["overhead"] for name in ("clock", "processor")}
    print(
        f"to the work of 100 cells the runner adds {added['processor']:.1%} of processor and {added['clock']:.1%} of "
        f"clock time; 1,000 together are {record['together']['times faster']:.0f} times as fast as in a process each"
    )
    about = {
        "command": "python -m benchmarks.study",
        "commit": code_commit(),
        "hardware": f"{platform.machine()}, {CORES} cores",
    }
    print(json.dumps(record, indent=1))
    if given.output is not None:
        given.output.write_text(json.dumps(about | record, indent=1) + "\n")


if __name__ == "__main__":
    main()
