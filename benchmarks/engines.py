"""Threads or processes for the jobs of a study on one machine, measured for networks and for heads.

    python -m benchmarks.engines [--repeats 5]

Networks: trainings of a small network, one after the other with all cores as threads, against as many processes as
cores with one thread each; processes have begun before the clock runs. Heads: a study of 120 small ones on the same
features, trained together in one process with threads, against the same in processes, with and without their start.
Both alternate, and the fastest run of each counts, since other load on the machine only adds time.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Mapping
from typing import Any

import torch

from dissensus.study.checks import tasks_of
from dissensus.study.data import StudyData
from dissensus.study.engines.engine import Engine, Here
from dissensus.study.engines.processes import Processes
from dissensus.study.read_data import load_data
from dissensus.study.read_spec import study_of
from dissensus.study.work.jobs import Job, jobs_of
from dissensus.train.child_processes import cores
from dissensus.train.loop import train_module
from dissensus.train.networks.catalogue import make_network
from dissensus.train.train_config import TrainConfig

DIGITS = {"digits": {"labels": "digits", "features": "pixels", "images": "digits"}}
NETWORK = {"network": "small", "width": 16, "epochs": 1}
HEAD = {"head": "mlp", "epochs": 10, "hidden": 64}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repeats", type=int, default=5, help="repeats; the fastest counts")
    repeats, count = parser.parse_args().repeats, cores()
    print(f"{count} cores, torch {torch.__version__}")

    jobs, data = work_of(NETWORK, count, count)
    pool, beginning = begun(count, jobs, data)
    alone, threads, processes = fastest(
        repeats,
        lambda: [train_once(data, seed, 1) for seed in range(count)],
        lambda: [train_once(data, seed, count) for seed in range(count)],
        lambda: run_engine(pool, jobs),
    )
    pool.close()
    print(
        f"networks: {count} trainings: {alone:.2f} s with 1 thread, {threads:.2f} s with {count} threads, "
        f"{processes:.2f} s in {count} processes",
        flush=True,
    )

    jobs, data = work_of(HEAD, 40, 1)
    parts, _ = work_of(HEAD, 40, count)
    here = Here(count)
    here.send(data)
    pool, beginning = begun(count, parts, data)
    together, apart = fastest(repeats, lambda: run_engine(here, jobs), lambda: run_engine(pool, parts))
    pool.close()
    print(
        f"heads: {len(jobs)} jobs of 120 heads: {together:.2f} s here in {count} threads, {apart:.2f} s in {count} "
        f"processes ({len(parts)} jobs), which take {beginning:.1f} s to begin: {apart / together:.2f} x as long "
        "without that"
    )


def work_of(model: Mapping[str, Any], seeds: int, workers: int) -> tuple[list[Job], dict[str, StudyData]]:
    """Jobs of one set of data: networks with one delivery, heads with three, which share the features."""
    deliveries = ["soft"] if "network" in model else ["soft", "majority", "sls"]
    study = study_of(
        {
            "data": DIGITS,
            "seeds": seeds,
            "delivery": deliveries,
            "model": model,
            "split": {"scheme": "fixed", "validation": 0},
        }
    )
    data = load_data(study)
    return jobs_of(tasks_of(study, data), study, data, workers), data


def train_once(data: Mapping[str, StudyData], seed: int, threads: int) -> None:
    """A training as a job has it, but for its threads."""
    digits = data["digits"]
    torch.set_num_threads(threads)
    items = list(range(round(0.8 * digits.n_items)))
    config = TrainConfig(epochs=NETWORK["epochs"], seed=seed, device="cpu")
    module = make_network(
        "small", digits.people.n_classes, width=NETWORK["width"], channels=digits.images.pixels.shape[3]
    )
    train_module(module, digits.images.select(items), digits.people.select(items), config, quiet=True)


def begun(count: int, jobs: list[Job], data: Mapping[str, StudyData]) -> tuple[Processes, float]:
    """Processes that have done a job each, so that everything they need is loaded, and the seconds that took."""
    started = time.perf_counter()
    pool = Processes(count)
    pool.send(data)
    run_engine(pool, jobs[:count])
    return pool, time.perf_counter() - started


def run_engine(engine: Engine, jobs: list[Job]) -> None:
    for running in [engine.submit(job) for job in jobs]:
        assert all(outcome.record["status"] == "done" for outcome in running.result())


def fastest(repeats: int, *ways: Callable[[], Any]) -> list[float]:
    """The seconds of each way when it was fastest; they take turns."""
    seconds: list[list[float]] = [[] for _ in ways]
    for _ in range(repeats):
        for place, way in enumerate(ways):
            started = time.perf_counter()
            way()
            seconds[place].append(time.perf_counter() - started)
    return [min(times) for times in seconds]


if __name__ == "__main__":
    main()
