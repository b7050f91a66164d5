"""Which engine carries a study: by name, by what the study consists of, or whatever is handed in."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from dissensus.fronts import advise_install
from dissensus.labels.refusals import one_of
from dissensus.study.engines.engine import Engine, Here
from dissensus.study.engines.executors import Dask, Executed
from dissensus.study.engines.processes import Processes
from dissensus.study.work.jobs import Task
from dissensus.train.child_processes import cores

ENGINES = ("local", "ray", "submitit")


def engine_of(
    name: str,
    *,
    folder: str | Path,
    address: str | None = None,
    jobs: int | None = None,
    options: Mapping[str, Any] | None = None,
) -> Engine | None:
    """The engine of that name; None for "local", as what suits is seen when it is known which cells are left.

    name     one of ENGINES
    folder   of the study
    address  of a Ray cluster; "local" or "slurm" for submitit
    jobs     at once
    options  of submitit, such as {"slurm_partition": "short", "timeout_min": 60}
    """
    check_jobs(jobs)
    one_of("engine", name, ENGINES)
    if name == "local" and address is not None:
        raise ValueError(f"the engine local has no address, and {address!r} was given; leave it out, or take ray")
    if name != "submitit" and options:
        raise ValueError(
            f"the engine {name} takes no options, and was given {', '.join(options)}; they are for submitit"
        )
    try:
        if name == "ray":
            from dissensus.study.engines.on_ray import RayEngine

            return RayEngine(address, jobs)
        if name == "submitit":
            from dissensus.study.engines.on_slurm import SubmititEngine

            return SubmititEngine(Path(folder) / "unfinished" / "submitit", address, jobs, options)
    except ModuleNotFoundError as missing:
        advice = advise_install(missing, f"the engine {name}")
        if advice is None:
            raise
        raise ModuleNotFoundError(advice, name=missing.name) from None
    return None


def as_engine(value: Any) -> Engine:
    """Whatever has `submit` as an engine: an Engine as it is, an executor, or a Dask client."""
    if isinstance(value, Engine) and not isinstance(value, type):
        return value
    if callable(getattr(value, "submit", None)) and not isinstance(value, type):
        known_to_dask = all(hasattr(value, name) for name in ("scatter", "nthreads"))
        return Dask(value) if known_to_dask else Executed(value)
    raise ValueError(
        f"the engine is {value!r}; expected whatever has `submit`: an executor of concurrent.futures, a Dask client, "
        "or what `engine_of` gives"
    )


def local_engine(tasks: Sequence[Task], jobs: int | None, folder: Path) -> Engine:
    """Heads are trained here, in threads that share their work; networks in processes with one thread each."""
    check_jobs(jobs)
    count, scratch = jobs or cores(), str(folder / "unfinished")
    networks = sum(task.cell.model.kind == "network" for task in tasks)
    if not networks or min(count, networks) == 1:
        return Here(count, scratch)
    return Processes(min(count, len(tasks)), scratch)


def check_jobs(jobs: int | None) -> None:
    """Refuse a number of workers below 1."""
    if jobs is not None and jobs < 1:
        raise ValueError(f"jobs is {jobs}; expected how many work at once, 1 or more")
