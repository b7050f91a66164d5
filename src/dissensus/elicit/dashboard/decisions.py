"""What a researcher decides while a survey runs: every decision is recorded, and only `forget` deletes answers."""

from __future__ import annotations

import sqlalchemy as sa
from sqlalchemy.engine import Connection, Row

from dissensus.elicit.database import schema
from dissensus.elicit.database.store import is_storable, now, record_event, set_setting, setting
from dissensus.elicit.identity import keyed_hash
from dissensus.elicit.session.draws import give_back
from dissensus.elicit.session.session import person_row
from dissensus.elicit.survey_run import RequestError, SurveyRun

SHORTEST = 8  # characters of an id by which somebody is found


def exclude(run: SurveyRun, person: str, why: str) -> None:
    """Leave somebody's answers out of labels; they stay in the table of raw answers, and their places reopen."""
    if not is_storable(why):
        raise RequestError("the reason contains characters that cannot be stored")

    def work(connection: Connection) -> None:
        if _known(connection, person).excluded is not None:
            return
        change = sa.update(schema.people).where(schema.people.c.id == person)
        connection.execute(change.values(excluded=now(), excluded_why=why[:500]))
        _count(connection, person, -1)
        mine = sa.select(schema.trials.c.id, schema.trials.c.unit)
        for trial, unit in connection.execute(mine.where(schema.trials.c.person == person, schema.trials.c.held)).all():
            give_back(connection, trial, unit)
        record_event(connection, "excluded", person, why=why[:500])

    run.store.write(work)


def include(run: SurveyRun, person: str) -> None:
    """Take an exclusion back; both decisions stay written down."""

    def work(connection: Connection) -> None:
        if _known(connection, person).excluded is None:
            return
        change = sa.update(schema.people).where(schema.people.c.id == person)
        connection.execute(change.values(excluded=None, excluded_why=None))
        _count(connection, person, 1)
        record_event(connection, "included", person)

    run.store.write(work)


def stop(run: SurveyRun) -> None:
    """Show no more items. Whoever is in the middle sees that the survey is paused and can go on later; an answer that
    is on its way is kept."""
    _set(run, "state", "stopped", "stopped")


def reopen(run: SurveyRun) -> None:
    _set(run, "state", "open", "opened")


def extend(run: SurveyRun, per_item: int) -> None:
    """Ask for this many answers per item from now on."""
    if not 1 <= per_item <= 100_000:
        raise RequestError(f"per_item is {per_item}; expected a number from 1 to 100,000")
    _set(run, "per_item", str(per_item), "extended")


def restore_setting(run: SurveyRun, what: str) -> None:
    """Take back what was decided here about `per_item` or the `state`, so that survey.toml holds again."""
    if what not in ("per_item", "state"):
        raise ValueError(f"{what!r} is not decided on the dashboard; expected per_item or state")
    if what == "state":
        reopen(run)
        return

    def work(connection: Connection) -> None:
        if setting(connection, "per_item", ""):
            connection.execute(sa.delete(schema.about).where(schema.about.c.key == "per_item"))
            record_event(connection, "settled", per_item=run.survey.protocol.per_item)

    run.store.write(work)


def find_person(run: SurveyRun, name: str) -> str:
    """The id under which the database has this person; ValueError where there is nobody, or more than one.

    name: their id on the recruiting site or in the export, or the first 8 or more characters of the latter, which is
    as much as the dashboard shows
    """
    known_as = schema.people.c.person
    whole = sa.select(schema.people.c.id).where(known_as.in_([name, keyed_hash(run.secret, name)]))
    begins = sa.select(schema.people.c.id).where(known_as.startswith(name, autoescape=True)).limit(2)
    with run.store.reader() as connection:
        person = connection.scalar(whole)
        if person is None and len(name) >= SHORTEST:
            people = connection.scalars(begins).all()
            if len(people) > 1:
                raise ValueError(f"more than one id in this survey begins with {name!r}; give the whole id")
            person = people[0] if people else None
    if person is None:
        raise ValueError(f"no one in this survey has the id {name!r}")
    return str(person)


def forget(run: SurveyRun, person: str) -> int:
    """Delete a person and all their answers, as they may ask. -> how many answers are gone"""
    before: list[int] = []  # what an earlier try deleted, if its connection was lost after it was done

    def work(connection: Connection) -> int:
        try:
            known = _known(connection, person)
        except RequestError:
            if before:
                return before[-1]
            raise
        if known.excluded is None:
            _count(connection, person, -1)
        mine = sa.select(schema.trials.c.unit).where(schema.trials.c.person == person, schema.trials.c.held)
        for unit in sorted(connection.scalars(mine).all()):
            change = {"assigned": schema.units.c.assigned - 1}
            connection.execute(sa.update(schema.units).where(schema.units.c.id == unit).values(change))
        gone = connection.execute(sa.delete(schema.answers).where(schema.answers.c.person == person)).rowcount
        for table in (schema.pages, schema.trials):
            connection.execute(sa.delete(table).where(table.c.person == person))
        connection.execute(sa.update(schema.events).where(schema.events.c.person == person).values(person=None))
        connection.execute(sa.delete(schema.people).where(schema.people.c.id == person))
        record_event(connection, "forgotten", answers=gone)
        before.append(gone)
        return gone

    gone = run.store.write(work)
    run.store.tidy()
    return gone


def _set(run: SurveyRun, key: str, value: str, kind: str) -> None:
    def work(connection: Connection) -> None:
        if setting(connection, key, "") != value:
            set_setting(connection, key, value)
            record_event(connection, kind, **({key: value} if key != "state" else {}))

    run.store.write(work)


def _known(connection: Connection, person: str) -> Row[tuple[object, ...]]:
    """The person's row, which nobody else changes until the decision is done."""
    try:
        return person_row(connection, person)
    except RequestError:
        raise RequestError("no such person", 404) from None


def _count(connection: Connection, person: str, by: int) -> None:
    """Let the person's main answers count for their units, or no longer."""
    main = sa.select(schema.answers.c.unit).where(schema.answers.c.person == person, schema.answers.c.kind == "main")
    for unit in sorted(connection.scalars(main).all()):
        change = {"assigned": schema.units.c.assigned + by, "answered": schema.units.c.answered + by}
        connection.execute(sa.update(schema.units).where(schema.units.c.id == unit).values(change))
