"""Whatever carries the jobs of a study, in whatever order and however many at once, the results are the same."""

from __future__ import annotations

import random
import subprocess
import sys
import time
from concurrent.futures import Future, ProcessPoolExecutor, ThreadPoolExecutor
from multiprocessing import get_context

import pytest

from dissensus.study.checks import tasks_of
from dissensus.study.engines.choose import ENGINES, as_engine, local_engine, make_engine
from dissensus.study.engines.engine import Engine, Here, LostError
from dissensus.study.engines.executors import Executed
from dissensus.study.engines.processes import Processes
from dissensus.study.read_data import load_data
from dissensus.study.run import run_study
from dissensus.study.work.jobs import jobs_of
from tests.facts import refuses, states
from tests.study.small_studies import contents, few_heads, mixed_study, undisturbed, wait_until
from tests.study.world import small_study


class Shuffled(Here):
    """One cell for each job, in an order of its own, and several threads."""

    workers = 100

    def __init__(self):
        super().__init__(threads=3)
        self.out = []

    def submit(self, job):
        self.out.append(super().submit(job))
        return Drawn(self.out)


class Drawn:
    """Somebody else's result, drawn when all are out; cells say themselves which they are."""

    def __init__(self, out):
        self.out = out

    def done(self):
        return True

    def result(self):
        return self.out.pop(random.Random(len(self.out)).randrange(len(self.out))).result()


def test_neither_the_order_of_jobs_nor_how_many_are_trained_together_nor_threads_change_a_byte(tmp_path):
    study = mixed_study()
    data = load_data(study)
    tasks = tasks_of(study, data)
    assert len(jobs_of(tasks, study, data, Shuffled.workers)) > len(jobs_of(tasks, study, data, Here.workers))
    run_study(study, tmp_path, engine=Shuffled())
    assert contents(tmp_path) == undisturbed(mixed_study)


def test_a_network_is_trained_here_by_the_one_who_asks_as_ctrl_c_reaches_nobody_else():
    """A thread cannot be interrupted, and a run that waits for one would end hours after Ctrl-C."""
    study = mixed_study()
    data = load_data(study)
    engine = Here(1)
    engine.send(data)
    jobs = {job.tasks[0].cell.model.kind: job for job in jobs_of(tasks_of(study, data), study, data, engine.workers)}
    beside, asked, late = (engine.submit(jobs[kind]) for kind in ("head", "network", "network"))
    assert isinstance(beside, Future) and not isinstance(asked, Future) and asked.done()
    assert {outcome.record["status"] for running in (beside, asked) for outcome in running.result()} == {"done"}
    engine.close()
    with refuses("closed", error=LostError):
        late.result()


def test_heads_that_nobody_waits_for_any_more_are_given_up():
    """Jobs of 40 heads that take seconds: the one in training is the last."""
    model = {"head": "mlp", "hidden": 64, "epochs": 400, "patience": "none"}
    study = small_study(seeds=80, model=model, split={"scheme": "fixed", "validation": 0})
    data = load_data(study)
    engine = Here(1)
    engine.send(data)
    running = [engine.submit(job) for job in jobs_of(tasks_of(study, data), study, data, 1)]
    assert len(running) > 1
    wait_until(running[0].running)
    time.sleep(0.3)  # a moment into its seconds
    engine.close()
    assert isinstance(running[0].exception(), KeyboardInterrupt | LostError) and running[1].cancelled()


def test_an_engine_that_loses_cells_is_found_out(tmp_path):
    given = Future()
    given.set_result([])
    engine = Here(1)
    engine.submit = lambda job: given
    with refuses("engine Here", "0 of 5 cells"):
        run_study(few_heads(), tmp_path, engine=engine)


def test_threads_that_are_handed_in_carry_a_study_and_stay_open(tmp_path):
    """Threads share one process, and how many threads a library uses is a setting of the process."""
    with ThreadPoolExecutor(2) as pool:
        run_study(mixed_study(), tmp_path, engine=pool)
        assert pool.submit(abs, -3).result() == 3
    assert contents(tmp_path) == undisturbed(mixed_study)


def test_processes_that_are_handed_in_carry_a_study_and_stay_open(tmp_path):
    with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as pool:
        run_study(few_heads(), tmp_path, engine=pool)
        assert pool.submit(abs, -3).result() == 3
    assert contents(tmp_path) == undisturbed(few_heads)


def test_an_executor_whose_workers_die_is_said_to_be_broken(tmp_path):
    with ProcessPoolExecutor(1) as pool:
        for process in (pool.submit(abs, -3).result() and pool._processes).values():
            process.kill()
            process.join()
        with refuses("ProcessPoolExecutor", "no more jobs"):
            run_study(few_heads(), tmp_path, engine=pool)


def test_an_engine_is_known_by_what_it_has():
    assert isinstance(Here(1), Engine) and as_engine(engine := Processes(2)) is engine
    with ThreadPoolExecutor(3) as pool:
        assert isinstance(as_engine(pool), Executed) and as_engine(pool).workers == 3
    for wrong in ("ray", 4, Here):
        with refuses(f"engine is {wrong!r}", "`submit`"):
            as_engine(wrong)


def test_this_machine_trains_heads_in_one_process_and_networks_in_several(tmp_path):
    study = mixed_study()
    mixed = tasks_of(study, load_data(study))
    heads = [task for task in mixed if task.cell.model.kind == "head"]
    here, processes = local_engine(heads, 2, tmp_path), local_engine(mixed, 2, tmp_path)
    assert isinstance(here, Here) and here.threads == 2
    assert isinstance(processes, Processes) and processes.workers == 2
    assert isinstance(local_engine(mixed, 1, tmp_path), Here), "one job at a time needs no further process"
    with refuses("jobs=0:", "1 or more"):
        local_engine(heads, 0, tmp_path)


def test_engines_have_names_and_refuse_what_is_not_theirs(tmp_path):
    assert make_engine("local", folder=tmp_path, jobs=2) is None
    with refuses("engine 'slurm'", ", ".join(ENGINES)):
        make_engine("slurm", folder=tmp_path)
    with refuses("engine local", "no address", "address='auto'"):
        make_engine("local", folder=tmp_path, address="auto")
    with refuses("engine ray", "timeout_min", "submitit"):
        make_engine("ray", folder=tmp_path, options={"timeout_min": 5})


@pytest.mark.parametrize(
    ("name", "module", "extra"), [(name, kind.package, kind.extra) for name, kind in ENGINES.items() if kind.package]
)
def test_an_engine_that_is_not_installed_says_which_extra_brings_it(name, module, extra):
    code = (
        f"import sys; sys.modules[{module!r}] = None  # what Python does for a module that is not there\n"
        "from dissensus.study.engines.choose import make_engine\n"
        f"try:\n    make_engine({name!r}, folder='x')\nexcept ModuleNotFoundError as problem:\n    print(problem)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    command = f"pip install -c constraints.txt '.[{extra}]'"
    assert states(done.stdout, f"engine {name}", module, "not installed", command) and done.stdout.count("\n") == 1


def test_a_study_of_heads_needs_no_torch():
    code = (
        "import sys, tempfile; from dissensus.study.run import run_study\n"
        "from tests.study.small_studies import DIGITS, study_of\n"
        "study = study_of({'data': DIGITS, 'seeds': 1, 'model': {'head': 'linear', 'epochs': 1}})\n"
        "print(run_study(study, tempfile.mkdtemp()).made, 'torch' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "1 False\n"
