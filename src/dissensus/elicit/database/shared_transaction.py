"""Reads and writes shared by all requests of one transaction.

A call to PostgreSQL costs more than its work. So rows that every request reads first are read ahead, in one call for
all people of the transaction. Writes that nothing depends on are deferred to its end and sent in one call. Statements
marked INDEPENDENT neither change rows that were read ahead nor depend on deferred writes. Before any other statement,
the deferred writes are sent. Before any other statement that is not a SELECT, the rows read ahead are discarded. So
every statement sees the database as if the requests had run one after the other.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, TypeVar, cast

import sqlalchemy as sa
from sqlalchemy.engine import Connection, Engine, Row

INDEPENDENT = {"independent": True}  # execution options of such a statement
_KEY = "shared transaction"
Read = TypeVar("Read")


class _SharedTransaction:
    def __init__(self, people: Collection[str]) -> None:
        self.people = tuple(people)
        self.changed = False  # whether a write may have changed rows that were read ahead
        self.ahead: dict[Any, Any] = {}
        self.deferred: dict[sa.UpdateBase, list[Mapping[str, Any]]] = {}


@contextmanager
def share_transaction(connection: Connection, people: Collection[str]) -> Iterator[None]:
    """Share reads about these people in a `with` block, and send deferred writes at its end."""
    info = connection.info  # read now, since a lost connection no longer has it
    info[_KEY] = _SharedTransaction(people)
    try:
        yield
        write_deferred(connection)
    finally:
        info.pop(_KEY, None)


def rows_of(connection: Connection, about_people: sa.Select[Any], person: str) -> list[Row[Any]]:
    """Return the rows of a person from a statement that selects rows of `people_`, with the person's id in `whose`."""
    group: _SharedTransaction = connection.info[_KEY]
    if about_people not in group.ahead and person in group.people and not group.changed:
        by_person: dict[str, list[Row[Any]]] = {member: [] for member in group.people}
        for row in connection.execute(about_people, {"people_": group.people}, execution_options=INDEPENDENT):
            by_person[row.whose].append(row)
        group.ahead[about_people] = by_person
    rows = group.ahead.get(about_people, {}).pop(person, None)  # removed, so that a second call sees changes
    return list(connection.execute(about_people, {"people_": (person,)})) if rows is None else rows


def read_ahead(connection: Connection, what: Hashable, read: Callable[[], Read]) -> Read:
    """Return what was read under this name; read it again if a write may have changed it."""
    group: _SharedTransaction = connection.info[_KEY]
    if what not in group.ahead:
        group.ahead[what] = read()
    return cast(Read, group.ahead[what])


def people_in_transaction(connection: Connection) -> tuple[str, ...]:
    """Return the people whose requests share this transaction."""
    return cast(tuple[str, ...], connection.info[_KEY].people)


def defer(connection: Connection, statement: sa.UpdateBase, row: Mapping[str, Any]) -> None:
    """Write this row at the end of the transaction, or before a statement that may depend on it."""
    connection.info[_KEY].deferred.setdefault(statement, []).append(row)


def write_deferred(connection: Connection) -> None:
    """Send the deferred writes."""
    group: _SharedTransaction = connection.info[_KEY]
    deferred, group.deferred = group.deferred, {}
    for statement, rows in deferred.items():
        connection.execute(statement, rows if len(rows) > 1 else rows[0], execution_options=INDEPENDENT)


def write_deferred_first(engine: Engine) -> None:
    """Send deferred writes before every statement that is not marked INDEPENDENT."""

    @sa.event.listens_for(engine, "before_cursor_execute")
    def write_first(
        connection: Connection, cursor: object, statement: object, parameters: object, context: Any, many: object
    ) -> None:
        group: _SharedTransaction | None = connection.info.get(_KEY)
        if group is None or context.execution_options.get("independent"):
            return
        write_deferred(connection)
        if not isinstance(context.invoked_statement, sa.Select):
            group.changed, group.ahead = True, {}
