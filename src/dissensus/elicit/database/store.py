"""The database of a survey, and its crash-safe transactions."""

from __future__ import annotations

import json
import random
import threading
import time
from collections.abc import Callable, Collection, Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Any, TypeAlias, TypeVar

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from dissensus.elicit.database import DATABASE, schema
from dissensus.elicit.database.engines import BUSY, CONNECTIONS, engine_of
from dissensus.elicit.database.shared_transaction import defer, share_transaction, write_deferred_first
from dissensus.elicit.survey.extra_trials import unit_key
from dissensus.elicit.survey.items import Units
from dissensus.elicit.survey.settings import Survey

SCHEMA = "2"
PATIENCE = 20.0  # seconds for which a transaction is retried; a page retries after 30
# One process writes at a time, as in SQLite. The lock is per schema, since two surveys may share a database.
WRITE_LOCK = "SELECT pg_advisory_xact_lock(4217, hashtext(current_schema()))"
LONGEST_READ = 60.0  # seconds that a reader, such as a download, may use SQLite's journal
Result = TypeVar("Result")
Work: TypeAlias = Callable[[Connection], Result]  # must be repeatable: it is retried if a connection is lost
EVENT = sa.insert(schema.events)
SETTING = sa.select(schema.about.c.value).where(schema.about.c.key == sa.bindparam("key_"))


class Store:
    """An open database. A `transaction` commits whole or not at all, and survives a crash once committed.

    Only one transaction runs at a time, over all processes, so what it reads stays true until it commits.
    """

    def __init__(self, folder: Path, url: str | None = None) -> None:
        self.url = url or f"sqlite:///{(folder / DATABASE).resolve()}"
        self.engine = engine_of(self.url)
        write_deferred_first(self.engine)
        self._turn = threading.Lock()  # wakes the next writer at once; SQLite would poll
        self._readers = threading.Semaphore(CONNECTIONS - 1)  # leaves one connection for the writer

    @property
    def address(self) -> str:
        """The address of the database, without its password."""
        return self.engine.url.render_as_string(hide_password=True)

    @contextmanager
    def transaction(self, people: Collection[str] = ()) -> Iterator[Connection]:
        """Open a transaction that reads ahead the rows of these people."""
        with self._turn, self.engine.begin() as connection:
            if connection.dialect.name == "postgresql":
                connection.exec_driver_sql(WRITE_LOCK)
            with share_transaction(connection, people):
                yield connection

    def write(self, work: Work[Result]) -> Result:
        """Do `work` in its own transaction. Retry from the start if the connection is lost."""
        waits = retry_waits()
        while True:
            try:
                with self.transaction() as connection:
                    return work(connection)
            except sa.exc.OperationalError as error:
                wait = next(waits, None)
                if wait is None or not is_retryable(error):
                    raise
            time.sleep(wait)

    @contextmanager
    def reader(self) -> Iterator[Connection]:
        """Open a connection for reading, which neither waits for writers nor blocks them."""
        with self._readers:
            # Detect lost connections, such as after a restart of the database.
            if self.engine.dialect.name != "sqlite":
                with suppress(sa.exc.OperationalError), self.engine.connect() as connection:
                    connection.exec_driver_sql("SELECT 1")
            with self.engine.connect() as connection:
                yield connection.execution_options(isolation_level="AUTOCOMMIT")

    def prepare(self, survey: Survey, units: Units) -> None:
        """Create the tables and units, or check that existing ones belong to this survey."""
        scale = {name: survey.question.options[name] for name, option in survey.kind.options.items() if option.scale}
        wanted = {
            "schema": SCHEMA,
            "kind": survey.question.kind,
            "classes": json.dumps(list(survey.question.classes)),
            "scale": json.dumps(scale),
        }
        with self.transaction() as connection:
            schema.metadata.create_all(connection)
            _add_columns(connection)
            for index in (index for table in schema.metadata.sorted_tables for index in table.indexes):
                index.create(connection, checkfirst=True)  # databases of earlier versions lack some
            connection.exec_driver_sql("DROP INDEX IF EXISTS units_by_priority")  # replaced by units_by_worth
            known = dict(connection.execute(sa.select(schema.about.c.key, schema.about.c.value)).all())
            if known.get("schema", SCHEMA) != SCHEMA:
                raise ValueError(
                    f"the database has schema version {known['schema']}, but this version of dissensus needs {SCHEMA}; "
                    "export its answers with the version that created it, and use a new database here"
                )
            for key, value in wanted.items():
                if key in known and known[key] != value:
                    raise ValueError(
                        f"{key} is {value} in survey.toml, but {known[key]} in the database with its answers; "
                        "use a new folder and database for the changed survey"
                    )
            missing = [{"key": key, "value": value} for key, value in wanted.items() if key not in known]
            if missing:
                connection.execute(sa.insert(schema.about), missing)
            _add_units(connection, survey, units)

    def tidy(self) -> None:
        """Empty SQLite's journal, which still contains deleted rows, as soon as no reader uses it."""
        until = time.monotonic() + LONGEST_READ
        while self.engine.dialect.name == "sqlite" and not self._empty_journal() and time.monotonic() < until:
            time.sleep(0.1)

    def _empty_journal(self) -> bool:
        """Empty the journal without waiting for readers, which would block writers. Return whether it is empty."""
        with self._turn, closing(self.engine.raw_connection()) as connection:
            cursor = connection.cursor()
            cursor.execute("PRAGMA busy_timeout=0")
            try:
                return not cursor.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0]
            finally:
                cursor.execute(f"PRAGMA {BUSY}")

    def unit_names(self) -> dict[int, tuple[str, ...]]:
        """Return the items of every unit."""
        with self.reader() as connection:
            rows = connection.execute(sa.select(schema.units.c.id, schema.units.c.names))
            return {unit: tuple(json.loads(names)) for unit, names in rows}

    def close(self) -> None:
        self.engine.dispose()


def is_storable(text: str) -> bool:
    """Whether both databases can store a text: no lone surrogates, and no character 0, which PostgreSQL rejects."""
    return "\0" not in text and not any("\ud800" <= character <= "\udfff" for character in text)


def now() -> float:
    """Return the seconds since 1970 by the server's clock."""
    return time.time()


def record_event(connection: Connection, event_kind: str, person: str | None = None, **details: Any) -> None:
    """Record an event. These rows are never changed."""
    row = {"at": now(), "kind": event_kind, "person": person, "details": json.dumps(details)}
    defer(connection, EVENT, row)


def setting(connection: Connection, key: str, default: str) -> str:
    """Return a setting that may change while the survey runs, or its default."""
    value = connection.scalar(SETTING, {"key_": key})
    return default if value is None else str(value)


def setting_column(key: str) -> sa.Label[str]:
    """Return a column with a setting that may change while the survey runs; null if it was never set."""
    return sa.select(schema.about.c.value).where(schema.about.c.key == key).scalar_subquery().label(key)


def set_setting(connection: Connection, key: str, value: str) -> None:
    changed = connection.execute(sa.update(schema.about).where(schema.about.c.key == key).values(value=value))
    if not changed.rowcount:
        connection.execute(sa.insert(schema.about).values(key=key, value=value))


def retry_waits() -> Iterator[float]:
    """Yield the seconds to wait before each retry, for up to PATIENCE seconds."""
    until, wait = time.monotonic() + PATIENCE, 0.002
    while time.monotonic() <= until:
        yield random.uniform(0.5, 1.5) * wait
        wait = min(0.1, 1.5 * wait)


def is_retryable(error: Exception) -> bool:
    """Whether a retry can succeed: the connection was lost, or the lock timed out.

    A commit whose connection is lost may have succeeded, so repeating any write here must leave one row.
    """
    return isinstance(error, sa.exc.OperationalError) and (
        error.connection_invalidated or getattr(error.orig, "sqlstate", None) == "55P03"
    )


def _add_columns(connection: Connection) -> None:
    """Add columns that a database of an earlier version lacks; they are null in its rows."""
    inspector = sa.inspect(connection)
    for table in schema.metadata.sorted_tables:
        known = {column["name"] for column in inspector.get_columns(table.name)}
        for column in (column for column in table.columns if column.name not in known):
            assert column.nullable, f"{table.name}.{column.name} has no value for existing rows"
            kind = column.type.compile(connection.dialect)
            connection.execute(sa.text(f"ALTER TABLE {table.name} ADD COLUMN {column.name} {kind}"))


def _add_units(connection: Connection, survey: Survey, units: Units) -> None:
    """Add new units at the end. Units keep their number, and units that the survey no longer has stay."""
    rows = connection.execute(sa.select(schema.units.c.id, schema.units.c.names, schema.units.c.main)).all()
    in_place = survey.kind.in_place
    stored = {unit_key(json.loads(names), in_place): (unit, main) for unit, names, main in rows}
    wanted = {unit_key(unit, in_place): (json.dumps(unit), True) for unit in units.main}
    wanted |= {unit_key(items, in_place): (json.dumps(items), False) for items in survey.extra_units}
    # `tie` is a fixed random order that breaks ties between units.
    new = [
        {"id": len(stored) + i, "names": names, "main": main, "tie": random.getrandbits(30)}
        for i, (names, main) in enumerate(unit for key, unit in wanted.items() if key not in stored)
    ]
    if new:
        connection.execute(sa.insert(schema.units), new)
        if connection.dialect.name == "postgresql":  # without statistics it sorts all units for every draw
            connection.exec_driver_sql("ANALYZE units")
    change = sa.update(schema.units).where(schema.units.c.id == sa.bindparam("unit_"))
    for key, (unit, main) in stored.items():
        if wanted.get(key, ("", False))[1] != main:
            connection.execute(change.values(main=not main), {"unit_": unit})
