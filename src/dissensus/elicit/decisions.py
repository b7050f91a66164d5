"""What a researcher decides while a study runs: each written down, none of it deletes an answer unless asked to."""

from __future__ import annotations

import sqlalchemy as sa

from dissensus.elicit import tables
from dissensus.elicit.session import Refused, Running
from dissensus.elicit.store import event, now, set_setting


def exclude(run: Running, person: str, why: str) -> None:
    """Leave somebody's answers out of labels; they stay in the table of raw answers, and their places reopen."""
    with run.store.writing() as connection:
        _known(connection, person)
        already = connection.scalar(sa.select(tables.people.c.excluded).where(tables.people.c.id == person))
        if already is not None:
            return
        change = sa.update(tables.people).where(tables.people.c.id == person)
        connection.execute(change.values(excluded=now(), excluded_why=why[:500]))
        _count(connection, person, -1)
        event(connection, "excluded", person, why=why[:500])


def include(run: Running, person: str) -> None:
    """Take an exclusion back; both decisions stay written down."""
    with run.store.writing() as connection:
        _known(connection, person)
        if connection.scalar(sa.select(tables.people.c.excluded).where(tables.people.c.id == person)) is None:
            return
        change = sa.update(tables.people).where(tables.people.c.id == person)
        connection.execute(change.values(excluded=None, excluded_why=None))
        _count(connection, person, 1)
        event(connection, "included", person)


def stop(run: Running) -> None:
    """Take no more answers; whoever is in the middle sees that the study is paused, and can go on later."""
    with run.store.writing() as connection:
        set_setting(connection, "state", "stopped")
        event(connection, "stopped")


def reopen(run: Running) -> None:
    with run.store.writing() as connection:
        set_setting(connection, "state", "open")
        event(connection, "opened")


def extend(run: Running, per_item: int) -> None:
    """Ask for so many answers for each item from now on."""
    if not 1 <= per_item <= 100_000:
        raise Refused(f"per_item is {per_item}; expected a number from 1 to 100,000")
    with run.store.writing() as connection:
        set_setting(connection, "per_item", str(per_item))
        event(connection, "extended", per_item=per_item)


def forget(run: Running, person: str) -> int:
    """Delete a person with all that they gave, as they may ask. -> how many answers are gone"""
    with run.store.writing() as connection:
        _known(connection, person)
        excluded = connection.scalar(sa.select(tables.people.c.excluded).where(tables.people.c.id == person))
        if excluded is None:
            _count(connection, person, -1)
        held = sa.select(tables.trials.c.unit).where(tables.trials.c.person == person, tables.trials.c.held)
        for unit in connection.scalars(held).all():
            change = {"assigned": tables.units.c.assigned - 1}
            connection.execute(sa.update(tables.units).where(tables.units.c.id == unit).values(change))
        gone = connection.execute(sa.delete(tables.answers).where(tables.answers.c.person == person)).rowcount
        for table in (tables.pages, tables.trials):
            connection.execute(sa.delete(table).where(table.c.person == person))
        connection.execute(sa.update(tables.events).where(tables.events.c.person == person).values(person=None))
        connection.execute(sa.delete(tables.people).where(tables.people.c.id == person))
        event(connection, "forgotten", answers=gone)
    return gone


def _known(connection: sa.Connection, person: str) -> None:
    if connection.scalar(sa.select(tables.people.c.id).where(tables.people.c.id == person)) is None:
        raise Refused("no such person", 404)


def _count(connection: sa.Connection, person: str, by: int) -> None:
    """Let the person's main answers count for their units, or no longer."""
    main = sa.select(tables.answers.c.unit).where(tables.answers.c.person == person, tables.answers.c.kind == "main")
    for unit in connection.scalars(main).all():
        change = {"assigned": tables.units.c.assigned + by, "answered": tables.units.c.answered + by}
        connection.execute(sa.update(tables.units).where(tables.units.c.id == unit).values(change))
