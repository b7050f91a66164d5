"""Server and database are killed in the middle of their work; nothing that was acknowledged is lost or doubled."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import threading
import time
from contextlib import contextmanager, suppress
from pathlib import Path

from dissensus.elicit.export import answer_table
from dissensus.elicit.rehearsal.report import items_by_stimulus
from dissensus.elicit.rehearsal.simulated_people import send_people, simulate_truth
from dissensus.elicit.server import find_free_port
from dissensus.elicit.server import start_server as start_workers
from dissensus.elicit.survey_run import open_survey
from tests.elicit.servers import start_server
from tests.elicit.surveys import write_survey

KILLS = 10


class Crowd:
    """People who answer, and send again what nobody took, until they are told to stop; `acknowledged` wakes waiters."""

    def __init__(self, run, address):
        self.done, self.count, self.going = [], 0, True
        self.changed = threading.Condition()
        truth, names = simulate_truth(run.survey, len(run.units.items), 0), items_by_stimulus(run)

        def come():
            wave = 0
            while self.going:
                wave += 1
                finished = send_people(
                    run.survey, names, truth, address, 10, wave, at_once=10, tick=self.tick, patient=True
                )
                self.done.append(finished)

        self.thread = threading.Thread(target=come, daemon=True)
        self.thread.start()

    def tick(self):
        with self.changed:
            self.count += 1
            self.changed.notify_all()

    def next_acknowledgement(self, after=1):
        """Returns at the moment when somebody has been told that an answer is saved."""
        with self.changed:
            wanted = self.count + after
            assert self.changed.wait_for(lambda: self.count >= wanted, timeout=120)

    def stop(self):
        self.going = False
        self.thread.join(180)


@contextmanager
def under_load(tmp_path, database):
    """A survey with a crowd, whose server is yet to be started; at the end what was acknowledged is what is kept."""
    folder = write_survey(tmp_path / "survey", protocol={"per_person": 8, "per_item": 600})
    run, port = open_survey(folder, database), find_free_port()
    crowd = Crowd(run, f"http://127.0.0.1:{port}")
    try:
        yield folder, port, crowd
    finally:
        crowd.going = False
    assert not crowd.thread.is_alive()
    acknowledged = [trial for wave in crowd.done for trial in wave.acknowledged]
    stored = answer_table(run).column("trial").to_pylist()
    run.store.close()
    assert not [error for wave in crowd.done for error in wave.errors]
    assert len(acknowledged) > 50 and sorted(acknowledged) == sorted(stored)


def workers_of(process):
    """The processes that answer, which the server's first process has started."""
    children = Path(f"/proc/{process}/task/{process}/children").read_text().split()
    return [int(pid) for pid in children if b"spawn_main" in Path(f"/proc/{pid}/cmdline").read_bytes()]


def test_ten_kills_under_load_lose_and_double_nothing(tmp_path, database):
    dice = random.Random(1)
    with under_load(tmp_path, database) as (folder, port, crowd):
        process, _ = start_server(folder, database, port=port)
        try:
            for _ in range(KILLS):
                crowd.next_acknowledgement(after=dice.randint(1, 20))
                time.sleep(dice.uniform(0, 0.05))
                os.kill(process.pid, signal.SIGKILL)
                process.wait()
                process, _ = start_server(folder, database, port=port)
            crowd.stop()
        finally:
            process.terminate()
            process.wait(20)


def test_kills_of_two_processes_right_after_an_acknowledgement(tmp_path, database):
    """One of the two is killed, which the other survives, then all of them at once, and one of those that came back."""
    with under_load(tmp_path, database) as (folder, port, crowd):
        process, _ = start_workers(folder, database, port=port, workers=2)
        try:
            for kill in range(3):
                crowd.next_acknowledgement(after=20)
                workers = workers_of(process.pid)
                assert workers  # one, where the other has not come back yet
                if kill % 2 == 0:
                    os.kill(workers[0], signal.SIGKILL)
                    continue
                for pid in (process.pid, *workers):
                    os.kill(pid, signal.SIGKILL)
                process.wait()
                process, _ = start_workers(folder, database, port=port, workers=2)
            crowd.stop()
        finally:
            process.terminate()
            process.wait(20)


def test_a_database_that_is_killed_comes_back_with_every_acknowledged_answer(tmp_path, mortal_postgres):
    """The server goes on without a restart: it says that it cannot take answers, and takes them again afterwards."""
    database = mortal_postgres.fresh()
    with under_load(tmp_path, database) as (folder, port, crowd):
        process, _ = start_server(folder, database, port=port)
        try:
            for _ in range(2):
                crowd.next_acknowledgement(after=20)
                mortal_postgres.kill()
                started_again(mortal_postgres)
                crowd.next_acknowledgement(after=20)
            assert process.poll() is None
            crowd.stop()
        finally:
            process.terminate()
            process.wait(20)


def started_again(server):
    """Processes that lost their server need a moment to end, and until then no other may begin."""
    for _ in range(50):
        with suppress(subprocess.CalledProcessError):
            server.start()
            return
        time.sleep(0.2)
    raise TimeoutError("PostgreSQL does not start any more")
