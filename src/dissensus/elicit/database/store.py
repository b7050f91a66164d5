"""The database of a survey: opened, prepared, and written to in transactions that outlive a crash."""

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
PATIENCE = 20.0  # seconds for which a transaction is tried again; a page waits for 30 before it sends again
# One process writes at a time, as in SQLite. What the lock is of is the survey: two may share a database.
ALONE = "SELECT pg_advisory_xact_lock(4217, hashtext(current_schema()))"
LONGEST_READ = 60.0  # seconds for which somebody may read what is in SQLite's journal, as for a download
Result = TypeVar("Result")
Work: TypeAlias = Callable[[Connection], Result]  # what can be done again where a connection was lost
EVENT = sa.insert(schema.events)
SETTING = sa.select(schema.about.c.value).where(schema.about.c.key == sa.bindparam("key_"))


class Store:
    """An open database. `transaction` commits whole or not at all, and what is committed survives a crash.

    Whoever writes is alone, in this process and among all: what was read in a transaction still holds when something
    is written because of it.
    """

    def __init__(self, folder: Path, url: str | None = None) -> None:
        self.url = url or f"sqlite:///{(folder / DATABASE).resolve()}"
        self.engine = engine_of(self.url)
        write_deferred_first(self.engine)
        self._turn = threading.Lock()  # waiting here is fair and prompt; waiting in SQLite is by polling
        self._looks = threading.Semaphore(CONNECTIONS - 1)  # one connection stays for whoever writes

    @property
    def address(self) -> str:
        """Where the database is, without its password."""
        return self.engine.url.render_as_string(hide_password=True)

    @contextmanager
    def transaction(self, people: Collection[str] = ()) -> Iterator[Connection]:
        """A transaction, in which what is about these people is read ahead, for all of them at once."""
        with self._turn, self.engine.begin() as connection:
            if connection.dialect.name == "postgresql":
                connection.exec_driver_sql(ALONE)
            with share_transaction(connection, people):
                yield connection

    def write(self, work: Work[Result]) -> Result:
        """Do `work` in a transaction of its own; again from the start where a connection was lost."""
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
        """A look that neither waits for writers nor holds them up."""
        with self._looks:
            # Lost connections, as by a restart of the database, are noticed here.
            if self.engine.dialect.name != "sqlite":
                with suppress(sa.exc.OperationalError), self.engine.connect() as connection:
                    connection.exec_driver_sql("SELECT 1")
            with self.engine.connect() as connection:
                yield connection.execution_options(isolation_level="AUTOCOMMIT")

    def prepare(self, survey: Survey, units: Units) -> None:
        """Make the tables and the units, or check that those which are there belong to this survey."""
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
                index.create(connection, checkfirst=True)  # those that a database of an earlier version lacks
            connection.exec_driver_sql("DROP INDEX IF EXISTS units_by_priority")  # which units_by_worth replaces
            known = dict(connection.execute(sa.select(schema.about.c.key, schema.about.c.value)).all())
            if known.get("schema", SCHEMA) != SCHEMA:
                raise ValueError(
                    f"the database was made by another version of dissensus (tables {known['schema']}, here {SCHEMA}); "
                    "export its answers with that version, and give this one a new database"
                )
            for key, value in wanted.items():
                if key in known and known[key] != value:
                    raise ValueError(
                        f"the database holds answers of a survey whose {key} is {known[key]}, but survey.toml now says "
                        f"{value}; give the changed survey a folder and a database of its own"
                    )
            missing = [{"key": key, "value": value} for key, value in wanted.items() if key not in known]
            if missing:
                connection.execute(sa.insert(schema.about), missing)
            _add_units(connection, survey, units)

    def tidy(self) -> None:
        """Empty SQLite's journal, in which deleted rows can still be read, once nobody reads what is in it."""
        until = time.monotonic() + LONGEST_READ
        while self.engine.dialect.name == "sqlite" and not self._empty_journal() and time.monotonic() < until:
            time.sleep(0.1)

    def _empty_journal(self) -> bool:
        """Whether the journal could be emptied at once: to wait for readers here would be to hold up all who write."""
        with self._turn, closing(self.engine.raw_connection()) as connection:
            cursor = connection.cursor()
            cursor.execute("PRAGMA busy_timeout=0")
            try:
                return not cursor.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0]
            finally:
                cursor.execute(f"PRAGMA {BUSY}")

    def unit_names(self) -> dict[int, tuple[str, ...]]:
        """The items of every unit."""
        with self.reader() as connection:
            rows = connection.execute(sa.select(schema.units.c.id, schema.units.c.names))
            return {unit: tuple(json.loads(names)) for unit, names in rows}

    def close(self) -> None:
        self.engine.dispose()


def is_storable(text: str) -> bool:
    """Whether both databases can hold it: no lone surrogates, and not the character 0, which PostgreSQL refuses."""
    return "\0" not in text and not any("\ud800" <= character <= "\udfff" for character in text)


def now() -> float:
    """Seconds since 1970 on the server's clock."""
    return time.time()


def record_event(connection: Connection, event_kind: str, person: str | None = None, **details: Any) -> None:
    """Write down that something was done; these rows are never changed."""
    row = {"at": now(), "kind": event_kind, "person": person, "details": json.dumps(details)}
    defer(connection, EVENT, row)


def setting(connection: Connection, key: str, default: str) -> str:
    """A setting that may change while the survey runs, or its default."""
    value = connection.scalar(SETTING, {"key_": key})
    return default if value is None else str(value)


def setting_column(key: str) -> sa.Label[str]:
    """A setting that may change while the survey runs, as a column beside others; null where it never was."""
    return sa.select(schema.about.c.value).where(schema.about.c.key == key).scalar_subquery().label(key)


def set_setting(connection: Connection, key: str, value: str) -> None:
    changed = connection.execute(sa.update(schema.about).where(schema.about.c.key == key).values(value=value))
    if not changed.rowcount:
        connection.execute(sa.insert(schema.about).values(key=key, value=value))


def retry_waits() -> Iterator[float]:
    """Seconds to wait before each further try, for as long as patience lasts."""
    until, wait = time.monotonic() + PATIENCE, 0.002
    while time.monotonic() <= until:
        yield random.uniform(0.5, 1.5) * wait
        wait = min(0.1, 1.5 * wait)


def is_retryable(error: Exception) -> bool:
    """Whether a transaction can succeed when it is tried again: its connection was lost, as after a restart of the
    database, or whoever wrote before took too long.

    A commit whose connection is lost may have happened, so all that is written here can be done twice and is there
    once.
    """
    return isinstance(error, sa.exc.OperationalError) and (
        error.connection_invalidated or getattr(error.orig, "sqlstate", None) == "55P03"
    )


def _add_columns(connection: Connection) -> None:
    """Columns that a database of an earlier version lacks; its rows have nothing in them."""
    there = sa.inspect(connection)
    for table in schema.metadata.sorted_tables:
        known = {column["name"] for column in there.get_columns(table.name)}
        for column in (column for column in table.columns if column.name not in known):
            assert column.nullable, f"{table.name}.{column.name} has no value for the rows that are there"
            kind = column.type.compile(connection.dialect)
            connection.execute(sa.text(f"ALTER TABLE {table.name} ADD COLUMN {column.name} {kind}"))


def _add_units(connection: Connection, survey: Survey, units: Units) -> None:
    """Units keep their number for good; new ones are added at the end, and those that the survey lost stay."""
    rows = connection.execute(sa.select(schema.units.c.id, schema.units.c.names, schema.units.c.main)).all()
    in_place = survey.kind.in_place
    there = {unit_key(json.loads(names), in_place): (unit, main) for unit, names, main in rows}
    wanted = {unit_key(unit, in_place): (json.dumps(unit), True) for unit in units.main}
    wanted |= {unit_key(items, in_place): (json.dumps(items), False) for items in survey.extra_units}
    # A random order that stays: draws start somewhere in it, so that ties between units are broken evenly.
    new = [
        {"id": len(there) + i, "names": names, "main": main, "tie": random.getrandbits(30)}
        for i, (names, main) in enumerate(unit for key, unit in wanted.items() if key not in there)
    ]
    if new:
        connection.execute(sa.insert(schema.units), new)
        if connection.dialect.name == "postgresql":  # which sorts all of them for every draw until it knows them
            connection.exec_driver_sql("ANALYZE units")
    change = sa.update(schema.units).where(schema.units.c.id == sa.bindparam("unit_"))
    for key, (unit, main) in there.items():
        if wanted.get(key, ("", False))[1] != main:
            connection.execute(change.values(main=not main), {"unit_": unit})
