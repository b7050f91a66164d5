"""Connections to SQLite and PostgreSQL."""

from __future__ import annotations

import sqlite3
import time
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import Connection, Engine, make_url

from dissensus.elicit.database.private_files import keep_private

CONNECTIONS = 5  # per server process: one that writes, the others read
# Limits how long a writer that disappeared blocks the others, which retry within their own patience.
TIMEOUTS = "SET idle_in_transaction_session_timeout = '15s'; SET lock_timeout = '8s'"
PATIENCE = 60.0  # seconds that SQLite waits for another process
BUSY = f"busy_timeout={PATIENCE * 1000:.0f}"


def engine_of(url: str) -> Engine:
    """Make the engine of sqlite:///FILE or postgresql://…."""
    try:
        parsed = make_url(url)
    except sa.exc.ArgumentError:
        raise ValueError("not a valid database address; expected sqlite:///FILE or postgresql://…") from None
    if parsed.drivername in ("postgresql", "postgres"):
        parsed = parsed.set(drivername="postgresql+psycopg")
    if parsed.get_backend_name() == "postgresql":
        return _postgres(parsed)
    if parsed.get_backend_name() != "sqlite":
        raise ValueError(f"unknown database {parsed.drivername!r}; expected sqlite:///FILE or postgresql://…")
    if parsed.database and parsed.database != ":memory:" and not parsed.database.startswith("file:"):
        keep_private(Path(parsed.database))
    engine = sa.create_engine(
        parsed, pool_size=20, max_overflow=30, connect_args={"timeout": PATIENCE}, hide_parameters=True
    )

    @sa.event.listens_for(engine, "connect")
    def prepare(connection: Any, _: Any) -> None:
        connection.isolation_level = None  # keep the driver from opening its own transactions
        connection.execute(f"PRAGMA {BUSY}")
        _use_write_ahead_log(connection)
        # secure_delete overwrites the answers of a person who asks to be forgotten.
        for pragma in ("synchronous=FULL", "foreign_keys=ON", "secure_delete=ON"):
            connection.execute(f"PRAGMA {pragma}")

    @sa.event.listens_for(engine, "begin")
    def begin(connection: Connection) -> None:
        # Taking the write lock first makes writers wait for their turn instead of failing midway.
        if connection.get_execution_options().get("isolation_level") != "AUTOCOMMIT":
            connection.exec_driver_sql("BEGIN IMMEDIATE")

    return engine


def _use_write_ahead_log(connection: sqlite3.Connection) -> None:
    """Switch the file to write-ahead logging. SQLite does not wait if several processes do so at once, so retry."""
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
    # Writes are retried if a connection is lost, so connections need no test before use. Logs must not contain answers.
    engine = sa.create_engine(address, pool_size=CONNECTIONS, max_overflow=0, pool_timeout=60, hide_parameters=True)

    @sa.event.listens_for(engine, "connect")
    def prepare(connection: Any, _: Any) -> None:
        connection.autocommit = True
        connection.execute(TIMEOUTS)
        connection.autocommit = False

    return engine
