"""Run a study: existing cells are reused, missing cells are run, and an interrupted run can be resumed."""

from __future__ import annotations

import shutil
import time
from collections import deque
from collections.abc import Callable, Mapping
from concurrent.futures import FIRST_COMPLETED, Future, wait
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from dissensus.files.notices import to_stderr
from dissensus.files.whole_files import write_text
from dissensus.fronts import not_installed
from dissensus.study.cells import RECORD, check_same, read_predictions, read_record, record_text, sweep, write_cells
from dissensus.study.checks import tasks_of
from dissensus.study.commit import code_commit
from dissensus.study.data import Say, StudyData
from dissensus.study.description import write_description
from dissensus.study.engines.choose import as_engine, local_engine
from dissensus.study.engines.engine import Engine, LostError, Running
from dissensus.study.holding import hold_folder
from dissensus.study.read_data import load_data
from dissensus.study.shared_cells import give_shared, take_shared
from dissensus.study.spec import Study
from dissensus.study.splits import split_items
from dissensus.study.work.jobs import Job, Task, jobs_of
from dissensus.study.work.scoring import columns_of, scored
from dissensus.study.work.work import Outcome, record_of

TRIES = 3  # of a job whose worker died
POLL = 0.02  # seconds between two looks at an engine's jobs


class StoppedError(ValueError):
    """A cell failed in a run with `stop`."""


@dataclass(frozen=True)
class StudyProgress:
    """Progress of a run, in cells of the whole study; `before` of them were there before it."""

    total: int
    before: int
    done: int
    failed: int
    seconds: float

    @property
    def left(self) -> float | None:
        """Seconds left at the pace so far; None before the first cell is done."""
        now = self.done - self.before
        return self.seconds / now * (self.total - self.done) if now > 0 else None


@dataclass(frozen=True)
class Ran:
    """The result of a run: cells in total, there before, made, rescored for new slices, and errors by cell."""

    total: int
    before: int
    made: int
    judged_anew: int
    failures: Mapping[str, str]


Report = Callable[[StudyProgress], None]


def run_study(
    study: Study,
    folder: str | Path,
    *,
    engine: Any = None,
    jobs: int | None = None,
    retry: bool = False,
    stop: bool = False,
    shared: str | Path | None = None,
    progress: Report = lambda progress: None,
    say: Say = to_stderr,
) -> Ran:
    """Run all cells of a study that its folder does not have yet; rerun to resume.

    Parameters
    ----------
    study    : by `read_study` or `study_of`
    folder   : of the study; each cell is written when it is done
    engine   : an engine of `make_engine`, an executor of concurrent.futures, or a Dask client. None: this process for
        heads, processes with one thread each for networks
    jobs     : processes on this machine; one per core by default
    retry    : also run cells that failed before
    stop     : stop at the first cell that fails
    shared   : folder of cells that several studies share; cells that are there are not trained again
    progress : called with a StudyProgress when cells are done
    say      : receives notices

    Returns
    -------
    Ran, with the number of cells in total, before, made, and the failures

    Examples
    --------
    >>> labels = Distributions.from_counts([[2, 1], [0, 3]] * 10)
    >>> data = {"labels": labels, "features": np.tile(np.eye(2), (10, 1))}
    >>> study = study_of({"data": data, "model": {"head": "logistic", "penalty": 1}, "seeds": 2})
    >>> run_study(study, "runs", say=lambda notice: None).made
    2
    """
    if not isinstance(study, Study):
        raise ValueError(
            f"expected a Study, not {type(study).__name__}: make one with `study_of` from a dictionary, or with "
            "`read_study` from a file"
        )
    place = Path(folder)
    _check_place(study, place)
    data = load_data(study, say)
    tasks = tasks_of(study, data)
    if engine is None and any(model.kind == "network" for model in study.models) and find_spec("torch") is None:
        raise not_installed("a study of networks", "torch")
    with hold_folder(place):
        cells = place / "cells"
        cells.mkdir(exist_ok=True)
        sweep(cells)
        if shared is not None:
            take_shared(tasks, cells, Path(shared))
        known = known_cells(tasks, cells)
        _name_anew(tasks, known, cells)
        write_description(study, tasks, place)
        anew = _judge_anew(study, tasks, known, data, cells)
        left = [task for task in tasks if task.key not in known or (retry and known[task.key]["status"] == "failed")]
        run = _Run(place, len(tasks), len(tasks) - len(left), progress, stop)
        again = {task.key for task in left}
        run.failures = {
            key: record["error"] for key, record in known.items() if record["status"] == "failed" and key not in again
        }
        if left:
            chosen = local_engine(left, jobs, place) if engine is None else as_engine(engine)
            run.work(jobs_of(left, study, data, chosen.workers), data, chosen)
        if shared is not None:
            give_shared(tasks, cells, Path(shared))
        return Ran(len(tasks), run.before, run.done - run.before, anew, run.failures)


def _check_place(study: Study, folder: Path) -> None:
    """Refuse a folder with the name of the data: a path on disk has priority over a data set."""
    for name, source in study.data.items():
        for key in ("labels", "people", "features", "images"):
            if isinstance(given := getattr(source, key), str | Path) and Path(given).resolve() == folder.resolve():
                study.text.refuse(
                    ("data", name, key),
                    f"is {str(given)!r}, also the folder of the study; choose another folder",
                )


def known_cells(tasks: list[Task], cells: Path) -> dict[str, dict[str, Any]]:
    """Read the records of those tasks that are in the folder, and check that each belongs to its task."""
    known = {}
    for task in tasks:
        record = read_record(cells / task.key)
        if record is not None:
            check_same(record, task.settings, cells / task.key)
            known[task.key] = record
    return known


class _Run:
    """The state of a run while its jobs are out."""

    def __init__(self, folder: Path, total: int, before: int, progress: Report, stop: bool) -> None:
        self.cells, self.unfinished = folder / "cells", folder / "unfinished"
        self.total, self.before, self.done = total, before, before
        self.failures: dict[str, str] = {}
        self._progress, self._stop = progress, stop
        self._started = time.perf_counter()

    def work(self, jobs: list[Job], data: Mapping[str, StudyData], engine: Engine) -> None:
        """Submit all jobs and store their results; a job whose worker dies is submitted again."""
        waiting = deque((job, 1) for job in jobs)  # with the try it is
        out: list[tuple[Job, int, Running]] = []
        try:
            engine.send(data)
            self._tell()
            while waiting or out:
                while waiting and len(out) < 2 * engine.workers:
                    job, attempt = waiting.popleft()
                    out.append((job, attempt, engine.submit(job)))
                ended = [entry for entry in out if entry[2].done()]
                if not ended:
                    _ = self._commit
                    _wait([running for _, _, running in out])
                for entry in ended:
                    out.remove(entry)
                    waiting.extendleft(self._put_away(*entry))
            if self.done != self.total:
                raise ValueError(
                    f"the engine {type(engine).__name__} returned {self.done - self.before} of "
                    f"{self.total - self.before} cells; expected a list with an Outcome per cell of a job"
                )
        finally:
            engine.close()
            with suppress(OSError):  # where states of trainings are left, it stays
                self.unfinished.rmdir()

    def _put_away(self, job: Job, attempt: int, running: Running) -> list[tuple[Job, int]]:
        """Store the results of a job; if its worker died, return the jobs to submit again, with their attempt."""
        try:
            outcomes = running.result()
        except LostError as loss:
            if attempt < TRIES - 1:
                return [(job, attempt + 1)]
            if attempt < TRIES:  # which of its cells it was is seen when each is alone
                return [(replace(job, tasks=(task,)), TRIES) for task in job.tasks]
            error = f"its worker died {TRIES} times: it was killed, or out of memory; the last time: {loss}"
            record = {"error": error, "traceback": "", "seconds": 0.0}
            outcomes = [Outcome(record_of(task, "failed") | record, None, {}) for task in job.tasks]
        self._put(outcomes)
        for task in job.tasks:  # states of trainings that are over
            shutil.rmtree(self.unfinished / task.key, ignore_errors=True)
        self._tell()
        return []

    @cached_property
    def _commit(self) -> str:
        return code_commit()  # which takes a moment, so it runs during the first job

    def _put(self, outcomes: list[Outcome]) -> None:
        """Write cells."""
        records = [outcome.record | {"commit": self._commit} for outcome in outcomes]
        write_cells(
            self.cells,
            [(rec, outcome.predictions, outcome.files) for rec, outcome in zip(records, outcomes, strict=True)],
        )
        self.done += len(records)
        failed = {record["cell"]: record["error"] for record in records if record["status"] == "failed"}
        self.failures |= failed
        if failed and self._stop:
            key, error = next(iter(failed.items()))
            raise StoppedError(f"cell {key} failed: {error}; its record has the traceback")

    def _tell(self) -> None:
        seconds = time.perf_counter() - self._started
        self._progress(StudyProgress(self.total, self.before, self.done, len(self.failures), seconds))


def _name_anew(tasks: list[Task], known: dict[str, dict[str, Any]], cells: Path) -> None:
    """Data may have been renamed since a cell was made; its arm has the current name."""
    for task in tasks:
        record = known.get(task.key)
        if record is not None and record["arm"] != task.cell.arm:
            record["arm"] = task.cell.arm
            write_text(record_text(record), cells / task.key / RECORD)


def _wait(out: list[Running]) -> None:
    """Wait until a job may be done; polling takes time from heads that are trained in this process."""
    futures = [running for running in out if isinstance(running, Future)]
    if len(futures) == len(out):
        wait(futures, timeout=1, return_when=FIRST_COMPLETED)
    else:
        time.sleep(POLL)


def _judge_anew(
    study: Study, tasks: list[Task], known: dict[str, dict[str, Any]], data: Mapping[str, StudyData], cells: Path
) -> int:
    """Rescore predictions if the requested slices are not in a record, or their columns have changed.

    Nothing is trained for that.
    """
    count, slices = 0, study.evaluation.slices
    for task in tasks:
        record = known.get(task.key)
        if record is None or record["status"] != "done":
            continue
        items = data[task.cell.data]
        if (
            set(slices) <= set(record["slices"])
            and columns_of(slices, items).items() <= record.get("columns", {}).items()
        ):
            continue
        test = split_items(items, study.split, task.cell.seed, task.cell.fold).test
        probs = read_predictions(cells / task.key).probs
        judged = scored(probs, items, test, study.evaluation)
        record["slices"] |= judged["slices"]
        record["columns"] = record.get("columns", {}) | judged["columns"]
        write_text(record_text(record), cells / task.key / RECORD)
        count += 1
    return count
