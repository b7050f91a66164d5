"""Decisions of a researcher while a survey runs. Every decision is recorded; only `forget` deletes answers."""

from __future__ import annotations

import sqlalchemy as sa
from sqlalchemy.engine import Connection, Row

from dissensus.elicit.database import schema
from dissensus.elicit.database.store import is_storable, now, record_event, set_setting, setting
from dissensus.elicit.identity import keyed_hash
from dissensus.elicit.session.draws import give_back
from dissensus.elicit.session.session import person_row
from dissensus.elicit.survey_run import RequestError, SurveyRun
from dissensus.labels.refusals import one_of

SHORTEST = 8  # characters: the shortest start of an id that identifies a person


def exclude(run: SurveyRun, person: str, why: str) -> None:
    """Exclude a person from the labels; their raw answers stay, and others are asked in their place.

    Parameters
    ----------
    run : an open survey, from `open_survey`
    person : an id from `find_person`
    why : the reason, which is recorded

    Returns
    -------
    None; a person who is excluded already stays so

    Examples
    --------
    >>> from dissensus.elicit.rehearsal.example import example_run
    >>> with example_run() as run:
    ...     exclude(run, annotator_rows(run)[0]["id"], "random answers")
    ...     labels_of(run).n_answers
    2
    """
    if not is_storable(why):
        raise RequestError("the reason contains characters that cannot be stored")

    def work(connection: Connection) -> None:
        if _get_person(connection, person).excluded is not None:
            return
        change = sa.update(schema.people).where(schema.people.c.id == person)
        connection.execute(change.values(excluded=now(), excluded_why=why[:500]))
        _count(connection, person, -1)
        trials = schema.trials
        held = sa.select(trials.c.id, trials.c.unit).where(trials.c.person == person, trials.c.held)
        for trial, unit in connection.execute(held).all():
            give_back(connection, trial, unit)
        record_event(connection, "excluded", person, why=why[:500])

    run.store.write(work)


def include(run: SurveyRun, person: str) -> None:
    """Undo an exclusion; both decisions stay recorded.

    Parameters
    ----------
    run : an open survey, from `open_survey`
    person : an id from `find_person`

    Returns
    -------
    None

    Examples
    --------
    >>> from dissensus.elicit.rehearsal.example import example_run
    >>> with example_run() as run:
    ...     person = annotator_rows(run)[0]["id"]
    ...     exclude(run, person, "random answers")
    ...     include(run, person)
    ...     labels_of(run).n_answers
    4
    """

    def work(connection: Connection) -> None:
        if _get_person(connection, person).excluded is None:
            return
        change = sa.update(schema.people).where(schema.people.c.id == person)
        connection.execute(change.values(excluded=None, excluded_why=None))
        _count(connection, person, 1)
        record_event(connection, "included", person)

    run.store.write(work)


def stop(run: SurveyRun) -> None:
    """Pause the survey: show no more items. People can continue later, and answers already sent are kept."""
    _set(run, "state", "stopped", "stopped")


def reopen(run: SurveyRun) -> None:
    """Resume a paused survey."""
    _set(run, "state", "open", "opened")


def extend(run: SurveyRun, per_item: int) -> None:
    """Set the number of answers wanted per item."""
    if not 1 <= per_item <= 100_000:
        raise RequestError(f"per_item is {per_item}; expected a number from 1 to 100,000")
    _set(run, "per_item", str(per_item), "extended")


def restore_setting(run: SurveyRun, name: str) -> None:
    """Restore `per_item` to the value of survey.toml, or the `state` to open."""
    if one_of("setting", name, ("per_item", "state")) == "state":
        reopen(run)
        return

    def work(connection: Connection) -> None:
        if setting(connection, "per_item", ""):
            connection.execute(sa.delete(schema.about).where(schema.about.c.key == "per_item"))
            record_event(connection, "settled", per_item=run.survey.protocol.per_item)

    run.store.write(work)


def find_person(run: SurveyRun, name: str) -> str:
    """Find the database id of a person.

    Parameters
    ----------
    run : an open survey, from `open_survey`
    name : the person's id on the recruiting site or in the export, or at least the first 8 characters of the latter,
        which the dashboard shows

    Returns
    -------
    the id that `exclude`, `include` and `forget` take

    Raises
    ------
    ValueError
        if no id matches, or more than one

    Examples
    --------
    >>> from dissensus.elicit.rehearsal.example import example_run
    >>> with example_run() as run:
    ...     row = annotator_rows(run)[0]
    ...     find_person(run, row["annotator"][:8]) == row["id"]
    True
    """
    exported = schema.people.c.person
    whole = sa.select(schema.people.c.id).where(exported.in_([name, keyed_hash(run.secret, name)]))
    start = sa.select(schema.people.c.id).where(exported.startswith(name, autoescape=True)).limit(2)
    with run.store.reader() as connection:
        person = connection.scalar(whole)
        if person is None and len(name) >= SHORTEST:
            people = connection.scalars(start).all()
            if len(people) > 1:
                raise ValueError(f"several ids start with {name!r}; give the whole id")
            person = people[0] if people else None
    if person is None:
        raise ValueError(f"unknown person {name!r}; expected an id from the recruiting site or from the export")
    return str(person)


def forget(run: SurveyRun, person: str) -> int:
    """Delete a person and all their answers.

    Parameters
    ----------
    run : an open survey, from `open_survey`
    person : an id from `find_person`

    Returns
    -------
    number of deleted answers

    Examples
    --------
    >>> from dissensus.elicit.rehearsal.example import example_run
    >>> with example_run() as run:
    ...     forget(run, annotator_rows(run)[0]["id"])
    2
    """
    attempts: list[int] = []  # answers deleted by an attempt whose connection was lost after the commit

    def work(connection: Connection) -> int:
        try:
            row = _get_person(connection, person)
        except RequestError:
            if attempts:
                return attempts[-1]
            raise
        if row.excluded is None:
            _count(connection, person, -1)
        held = sa.select(schema.trials.c.unit).where(schema.trials.c.person == person, schema.trials.c.held)
        for unit in sorted(connection.scalars(held).all()):
            change = {"assigned": schema.units.c.assigned - 1}
            connection.execute(sa.update(schema.units).where(schema.units.c.id == unit).values(change))
        deleted = connection.execute(sa.delete(schema.answers).where(schema.answers.c.person == person)).rowcount
        for table in (schema.pages, schema.trials):
            connection.execute(sa.delete(table).where(table.c.person == person))
        connection.execute(sa.update(schema.events).where(schema.events.c.person == person).values(person=None))
        connection.execute(sa.delete(schema.people).where(schema.people.c.id == person))
        record_event(connection, "forgotten", answers=deleted)
        attempts.append(deleted)
        return deleted

    deleted = run.store.write(work)
    run.store.tidy()
    return deleted


def _set(run: SurveyRun, key: str, value: str, kind: str) -> None:
    def work(connection: Connection) -> None:
        if setting(connection, key, "") != value:
            set_setting(connection, key, value)
            record_event(connection, kind, **({key: value} if key != "state" else {}))

    run.store.write(work)


def _get_person(connection: Connection, person: str) -> Row[tuple[object, ...]]:
    """Return the person's row, locked until the transaction ends."""
    try:
        return person_row(connection, person)
    except RequestError:
        raise RequestError("no such person", 404) from None


def _count(connection: Connection, person: str, by: int) -> None:
    """Add (by = 1) or subtract (by = -1) the person's main answers in the counts of their units."""
    main = sa.select(schema.answers.c.unit).where(schema.answers.c.person == person, schema.answers.c.kind == "main")
    for unit in sorted(connection.scalars(main).all()):
        change = {"assigned": schema.units.c.assigned + by, "answered": schema.units.c.answered + by}
        connection.execute(sa.update(schema.units).where(schema.units.c.id == unit).values(change))
