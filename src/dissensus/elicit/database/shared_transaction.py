"""What the work of many people has in common: read for all of them when the first asks, written for all at the end.

A call to PostgreSQL costs more than the work that it does. So, of what sixteen people do in one transaction, that which
each of them reads first and that which nobody needs before the end is one call each. Statements marked as ASIDE neither
change what was read ahead about others nor need what was put off. Before every other one, what was put off is written,
and before every other that is not a SELECT, what was read ahead is forgotten: it sees the database as if everything had
been done in its turn, and so does whatever comes after it.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, TypeVar, cast

import sqlalchemy as sa
from sqlalchemy.engine import Connection, Engine, Row

INDEPENDENT = {"aside": True}  # execution options of such a statement
_KEY = "together"
Read = TypeVar("Read")


class _SharedTransaction:
    def __init__(self, people: Collection[str]) -> None:
        self.people = tuple(people)
        self.changed = False  # whether anything was written by which what was read ahead may be wrong
        self.ahead: dict[Any, Any] = {}
        self.defer: dict[sa.UpdateBase, list[Mapping[str, Any]]] = {}


@contextmanager
def share_transaction(connection: Connection, people: Collection[str]) -> Iterator[None]:
    """Within this, what is about these people is read ahead; what was put off is written at the end."""
    info = connection.info  # asked for now: a connection that was lost no longer says what is known about it
    info[_KEY] = _SharedTransaction(people)
    try:
        yield
        write_deferred(connection)
    finally:
        info.pop(_KEY, None)


def rows_of(connection: Connection, about_people: sa.Select[Any], person: str) -> list[Row[Any]]:
    """The rows about a person, of a statement that selects those about `people_` and names the person in `whose`."""
    group: _SharedTransaction = connection.info[_KEY]
    if about_people not in group.ahead and person in group.people and not group.changed:
        there: dict[str, list[Row[Any]]] = {each: [] for each in group.people}
        for row in connection.execute(about_people, {"people_": group.people}, execution_options=INDEPENDENT):
            there[row.whose].append(row)
        group.ahead[about_people] = there
    mine = group.ahead.get(about_people, {}).pop(person, None)  # whoever asks again wants to see what has changed
    return list(connection.execute(about_people, {"people_": (person,)})) if mine is None else mine


def read_ahead(connection: Connection, what: Hashable, read: Callable[[], Read]) -> Read:
    """What was read under this name, until something is written by which it may be wrong; then it is read anew."""
    group: _SharedTransaction = connection.info[_KEY]
    if what not in group.ahead:
        group.ahead[what] = read()
    return cast(Read, group.ahead[what])


def people_in_transaction(connection: Connection) -> tuple[str, ...]:
    """Whose work is done in this transaction."""
    return cast(tuple[str, ...], connection.info[_KEY].people)


def defer(connection: Connection, statement: sa.UpdateBase, row: Mapping[str, Any]) -> None:
    """Write this by the end of the transaction, or before anything that could need it."""
    connection.info[_KEY].defer.setdefault(statement, []).append(row)


def write_deferred(connection: Connection) -> None:
    """Write what was put off."""
    group: _SharedTransaction = connection.info[_KEY]
    written, group.defer = group.defer, {}
    for statement, rows in written.items():
        connection.execute(statement, rows if len(rows) > 1 else rows[0], execution_options=INDEPENDENT)


def write_deferred_first(engine: Engine) -> None:
    """From now on everything that is not marked as ASIDE settles first."""

    @sa.event.listens_for(engine, "before_cursor_execute")
    def settle_first(
        connection: Connection, cursor: object, statement: object, parameters: object, context: Any, many: object
    ) -> None:
        group: _SharedTransaction | None = connection.info.get(_KEY)
        if group is None or context.execution_options.get("aside"):
            return
        write_deferred(connection)
        if not isinstance(context.invoked_statement, sa.Select):
            group.changed, group.ahead = True, {}
