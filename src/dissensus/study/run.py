"""Run a study: what is there stays, what is missing is worked on, whatever happens in between."""

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
from dissensus.study.holding import held
from dissensus.study.read_data import load_data
from dissensus.study.spec import Study
from dissensus.study.splits import split_items
from dissensus.study.work.jobs import Job, Task, jobs_of
from dissensus.study.work.scoring import columns_of, scored
from dissensus.study.work.work import Outcome, record_of

TRIES = 3  # of a job whose worker died
POLL = 0.02  # seconds between two looks at an engine's jobs


class StoppedError(ValueError):
    """A cell failed, and the run was to end at the first that does."""


@dataclass(frozen=True)
class StudyProgress:
    """How far a run is: cells of the whole study, of which some were there before."""

    total: int
    before: int
    done: int
    failed: int
    seconds: float

    @property
    def left(self) -> float | None:
        """Seconds left, by the pace so far; None before the first cell is done."""
        now = self.done - self.before
        return self.seconds / now * (self.total - self.done) if now > 0 else None


@dataclass(frozen=True)
class Ran:
    """What a run did: cells of the study, there before, made, judged anew; why each that failed did."""

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
    progress: Report = lambda progress: None,
    say: Say = to_stderr,
) -> Ran:
    """Work on all cells of a study that are not in its folder yet, and put each there as it is done.

    engine    whatever has `submit`: what `make_engine` gives, which is closed in the end, an executor of
              concurrent.futures, or a Dask client. None: this process for heads, processes with one thread each for
              networks
    jobs      processes at once, of the engine of this machine; as many as cores unless given
    retry     also cells that failed before
    stop      at the first cell that fails; else the others are worked on all the same
    progress  called when cells are done
    """
    if not isinstance(study, Study):
        raise ValueError(
            f"run_study takes a Study, and this is of the type {type(study).__name__}: `study_of` makes one of a "
            "dictionary, `read_study` one of a file"
        )
    place = Path(folder)
    _check_place(study, place)
    data = load_data(study, say)
    tasks = tasks_of(study, data)
    if engine is None and any(model.kind == "network" for model in study.models) and find_spec("torch") is None:
        raise not_installed("a study of networks", "torch")
    with held(place):
        cells = place / "cells"
        cells.mkdir(exist_ok=True)
        sweep(cells)
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
        return Ran(len(tasks), run.before, run.done - run.before, anew, run.failures)


def _check_place(study: Study, folder: Path) -> None:
    """Refuse a folder that would be taken for the data from then on: what is on the disk goes before a data set."""
    for name, source in study.data.items():
        for key in ("labels", "people", "features", "images"):
            if isinstance(given := getattr(source, key), str | Path) and Path(given).resolve() == folder.resolve():
                study.text.refuse(
                    ("data", name, key), f"is {str(given)!r}, and so is the folder of the study; choose another for it"
                )


def known_cells(tasks: list[Task], cells: Path) -> dict[str, dict[str, Any]]:
    """The records of those tasks that are in the folder, each checked to be of its task."""
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
        """Hand over all jobs, and put away what comes back; a job whose worker dies is handed over again."""
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
                    f"the engine {type(engine).__name__} gave {self.done - self.before} cells back, and "
                    f"{self.total - self.before} were handed over; expected a list with an Outcome for each of a job"
                )
        finally:
            engine.close()
            with suppress(OSError):  # where states of trainings are left, it stays
                self.unfinished.rmdir()

    def _put_away(self, job: Job, attempt: int, running: Running) -> list[tuple[Job, int]]:
        """Write what a job gave; where its worker died, what to hand over again, with the try it then is."""
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
        return code_commit()  # which takes a moment, so it is asked while the first job is worked on

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
    """Data may be called something else than when a cell was made, and its arm is what the study calls it now."""
    for task in tasks:
        record = known.get(task.key)
        if record is not None and record["arm"] != task.cell.arm:
            record["arm"] = task.cell.arm
            write_text(record_text(record), cells / task.key / RECORD)


def _wait(out: list[Running]) -> None:
    """Until a job may be done; looking again and again takes time from heads that are trained in this process."""
    futures = [running for running in out if isinstance(running, Future)]
    if len(futures) == len(out):
        wait(futures, timeout=1, return_when=FIRST_COMPLETED)
    else:
        time.sleep(POLL)


def _judge_anew(
    study: Study, tasks: list[Task], known: dict[str, dict[str, Any]], data: Mapping[str, StudyData], cells: Path
) -> int:
    """Score predictions again where other slices are asked for than a record has, or their columns say other things.

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
