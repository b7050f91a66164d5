"""The engine of a study: by name, by the remaining cells, or as given."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from dissensus.fronts import not_installed
from dissensus.labels.refusals import Refusal, one_of
from dissensus.study.engines.catalogue import ENGINES, Request
from dissensus.study.engines.engine import Engine, Here
from dissensus.study.engines.executors import Dask, Executed
from dissensus.study.engines.processes import Processes
from dissensus.study.work.jobs import Task
from dissensus.train.child_processes import cores


def make_engine(
    name: str,
    *,
    folder: str | Path,
    address: str | None = None,
    jobs: int | None = None,
    options: Mapping[str, Any] | None = None,
) -> Engine | None:
    """Make the engine of that name.

    Parameters
    ----------
    name    : one of ENGINES
    folder  : of the study
    address : of a Ray cluster; "local" or "slurm" for submitit
    jobs    : at the same time
    options : of submitit, such as {"slurm_partition": "short", "timeout_min": 60}

    Returns
    -------
    Engine, or None for "local": `run_study` then chooses what suits the cells that are left

    Examples
    --------
    >>> make_engine("local", folder="runs") is None
    True
    """
    check_jobs(jobs)
    kind = ENGINES[one_of("engine", name, ENGINES)]
    if address is not None and not kind.address:
        raise Refusal(f"the engine {name} has no address, and {{address}} was given", address=address)
    if options and not kind.options:
        others = ", ".join(other for other, known in ENGINES.items() if known.options)
        raise Refusal(f"the engine {name} has no options, and was given {', '.join(options)}; options are for {others}")
    try:
        return kind.make(Request(Path(folder), address, jobs, options or {}))
    except ModuleNotFoundError as missing:
        if (missing.name or "").partition(".")[0] != kind.package:
            raise
        raise not_installed(f"the engine {name}", kind.package, kind.extra) from None


def as_engine(value: Any) -> Engine:
    """An Engine as it is; an executor or a Dask client as an engine."""
    if isinstance(value, Engine) and not isinstance(value, type):
        return value
    if callable(getattr(value, "submit", None)) and not isinstance(value, type):
        known_to_dask = all(hasattr(value, name) for name in ("scatter", "nthreads"))
        return Dask(value) if known_to_dask else Executed(value)
    raise ValueError(
        f"the engine is {value!r}; expected a value with `submit`: an executor of concurrent.futures, a Dask client, "
        "or an engine of `make_engine`"
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
        raise Refusal("{jobs}: expected a whole number of 1 or more", jobs=jobs)
