"""The server is killed in the middle of its work, again and again; nothing that it acknowledged is lost."""

from __future__ import annotations

import os
import random
import signal
import threading
import time

from dissensus.elicit.app import open_study
from dissensus.elicit.export import answer_table
from dissensus.elicit.rehearsal_report import known_by
from dissensus.elicit.rehearse import free_port, rehearse, simulated_truth, start_server
from tests.elicit.studies import write_study

KILLS = 10


def test_ten_kills_under_load_lose_and_double_nothing(tmp_path, database):
    folder = write_study(tmp_path / "study", protocol={"per_person": 8, "per_item": 60})
    run = open_study(folder, database)
    truth, port = simulated_truth(run.study, len(run.units.items), 0), free_port()
    process, address = start_server(folder, database, port=port)
    done, killed, stop = [], 0, threading.Event()

    def crowd():
        wave = 0
        while not stop.is_set():  # the load goes on until the last kill
            wave += 1
            done.append(rehearse(run.study, known_by(run), truth, address, 10, wave, at_once=10, patient=True))

    load = threading.Thread(target=crowd)
    load.start()
    dice = random.Random(1)
    try:
        for _ in range(KILLS):
            time.sleep(dice.uniform(0.05, 0.4))
            os.kill(process.pid, signal.SIGKILL)
            process.wait()
            killed += 1
            process, _ = start_server(folder, database, port=port)
    finally:
        stop.set()
        load.join(120)
        process.terminate()
        process.wait(20)
    acknowledged = [trial for one in done for trial in one.acknowledged]
    kept = answer_table(run).column("trial").to_pylist()
    run.store.close()
    assert killed == KILLS and not load.is_alive()
    assert not [error for one in done for error in one.errors]
    assert len(acknowledged) > 50 and sorted(acknowledged) == sorted(kept)
