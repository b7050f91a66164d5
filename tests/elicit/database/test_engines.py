"""Connections that come at the same time."""

from __future__ import annotations

import sqlite3
import threading
from contextlib import closing

from dissensus.elicit.database.engines import engine_of


def test_a_new_file_to_which_somebody_writes_is_waited_for(tmp_path):
    """SQLite lets nobody wait who wants to write ahead while somebody else writes in the old way: it is tried again."""
    place = tmp_path / "answers.db"
    with closing(sqlite3.connect(place, isolation_level=None, check_same_thread=False)) as first:
        first.execute("BEGIN IMMEDIATE")
        done = threading.Timer(0.3, first.execute, ["COMMIT"])
        done.start()
        engine = engine_of(f"sqlite:///{place}")
        with engine.connect() as second:
            assert second.exec_driver_sql("PRAGMA journal_mode").scalar() == "wal"
            assert second.exec_driver_sql("PRAGMA busy_timeout").scalar() == 60_000
        done.join()
        engine.dispose()
