"""Connections to the two databases, each prepared for what is asked of it."""

from __future__ import annotations

import sqlite3
import time
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import Connection, Engine, make_url

from dissensus.elicit.database.private_files import keep_private

CONNECTIONS = 5  # for each server process: one that writes, and a few that read
# A process or machine that vanished while it wrote does not keep others from writing for longer than this. Those who
# wait for it try more than once within their patience.
TIMEOUTS = "SET idle_in_transaction_session_timeout = '15s'; SET lock_timeout = '8s'"
PATIENCE = 60.0  # seconds for which SQLite waits for another process
BUSY = f"busy_timeout={PATIENCE * 1000:.0f}"


def engine_of(url: str) -> Engine:
    """The engine of sqlite:///FILE or postgresql://…; connections of it are ready to be used."""
    try:
        parsed = make_url(url)
    except sa.exc.ArgumentError:
        raise ValueError("that is not the address of a database; expected sqlite:///FILE or postgresql://…") from None
    if parsed.drivername in ("postgresql", "postgres"):
        parsed = parsed.set(drivername="postgresql+psycopg")
    if parsed.get_backend_name() == "postgresql":
        return _postgres(parsed)
    if parsed.get_backend_name() != "sqlite":
        raise ValueError(f"database {parsed.drivername}: expected sqlite:///FILE or postgresql://…")
    if parsed.database and parsed.database != ":memory:" and not parsed.database.startswith("file:"):
        keep_private(Path(parsed.database))
    engine = sa.create_engine(
        parsed, pool_size=20, max_overflow=30, connect_args={"timeout": PATIENCE}, hide_parameters=True
    )

    @sa.event.listens_for(engine, "connect")
    def prepare(connection: Any, _: Any) -> None:
        connection.isolation_level = None  # the driver must not open transactions of its own
        connection.execute(f"PRAGMA {BUSY}")
        _use_write_ahead_log(connection)
        # secure_delete: whoever asks to be forgotten is overwritten, not only unlinked.
        for pragma in ("synchronous=FULL", "foreign_keys=ON", "secure_delete=ON"):
            connection.execute(f"PRAGMA {pragma}")

    @sa.event.listens_for(engine, "begin")
    def begin(connection: Connection) -> None:
        # Taking the write lock at once makes writers wait in line instead of failing in the middle.
        if connection.get_execution_options().get("isolation_level") != "AUTOCOMMIT":
            connection.exec_driver_sql("BEGIN IMMEDIATE")

    return engine


def _use_write_ahead_log(connection: sqlite3.Connection) -> None:
    """Write ahead, as the file remembers from then on. Where several do so in a new file, SQLite lets nobody wait."""
    until = time.monotonic() + PATIENCE
    while True:
        try:
            connection.execute("PRAGMA journal_mode=WAL")
            return
        except sqlite3.OperationalError as error:
            if "locked" not in str(error) or time.monotonic() > until:
                raise
            time.sleep(0.01)


def _postgres(address: sa.URL) -> Engine:
    # What is written is written again where a connection was lost, so that none is tested before it is used.
    engine = sa.create_engine(
        address, pool_size=CONNECTIONS, max_overflow=0, pool_timeout=60, hide_parameters=True
    )  # an error in a log names nobody

    @sa.event.listens_for(engine, "connect")
    def prepare(connection: Any, _: Any) -> None:
        connection.autocommit = True
        connection.execute(TIMEOUTS)
        connection.autocommit = False

    return engine
