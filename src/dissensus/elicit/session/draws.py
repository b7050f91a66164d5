"""Which unit a person gets next: the least answered, the most uncertain, or the next of a batch."""

from __future__ import annotations

import json
import random

import numpy as np
import sqlalchemy as sa
from sqlalchemy.engine import Connection

from dissensus.elicit.database.schema import people, trials, units
from dissensus.elicit.database.store import Busy
from dissensus.elicit.survey.item_batches import read_batches
from dissensus.elicit.survey.settings import Survey

HAD = sa.select(trials.c.unit).where(trials.c.person == sa.bindparam("person_"))
OPEN = sa.select(units.c.id).where(units.c.main, units.c.id.not_in(HAD), units.c.assigned < sa.bindparam("per_item"))
WANTED = {
    "least-answered": OPEN.order_by(units.c.assigned, units.c.tie).limit(1),
    # A unit whose priority is below 0 is known well enough and gets no more answers.
    "expected-error": OPEN.where(units.c.priority >= 0)
    .order_by(units.c.priority.desc(), units.c.assigned, units.c.tie)
    .limit(1),
}
# What one more answer is worth falls about with the square of how many there are; the next ranking says it exactly.
FALLS = (units.c.assigned + 1.0) * (units.c.assigned + 1.0) / ((units.c.assigned + 2.0) * (units.c.assigned + 2.0))
# A unit gets a new random place among its equals whenever it is taken, so that no two people get the same series.
TAKEN = {"assigned": units.c.assigned + 1, "priority": units.c.priority * FALLS, "tie": sa.bindparam("tie_")}
TAKE = sa.update(units).where(units.c.id == sa.bindparam("unit_")).values(TAKEN)
# One statement: the first of the wanted units that nobody else is just drawing. A draw never waits for another while
# it holds a unit itself, so that two cannot wait for each other.
# With it comes the fewest answers that an open unit had: fewer than the taken one has, where such were passed over.
FEWEST = WANTED["least-answered"].with_only_columns(units.c.assigned).scalar_subquery().label("fewest")
TAKE_WANTED = {
    name: sa.update(units)
    .where(units.c.id == wanted.with_for_update(skip_locked=True).scalar_subquery())
    .values(TAKEN)
    .returning(units.c.id, units.c.assigned, FEWEST if name == "least-answered" else sa.null().label("fewest"))
    for name, wanted in WANTED.items()
}
NOT_LOCKED = sa.select(units.c.id).where(units.c.id == sa.bindparam("unit_")).with_for_update(skip_locked=True)
# Of people who come at once, one after the other chooses a batch, so that none gets more people than it is to have.
ONE_CHOOSES = sa.text("SELECT pg_advisory_xact_lock(4219)")
LATE = (
    sa.select(trials.c.id, trials.c.unit)
    .join(units, units.c.id == trials.c.unit)
    .where(trials.c.held, trials.c.drawn < sa.bindparam("before"))
    .limit(50)
    .with_for_update(skip_locked=True)
)


def draw(
    connection: Connection, survey: Survey, person: str, seed: int, per_item: int, *, late: float, first: bool
) -> int | None:
    """A unit that this person has not had and that still needs answers, held for them; None when there is none.

    late   what was drawn before this time and never answered is given back
    first  whether it is the person's first: then, and where nothing is left, is when things are given back
    """
    if first:
        if survey.protocol.draw == "batches" and connection.dialect.name == "postgresql":
            connection.execute(ONE_CHOOSES)
        _release(connection, late)
    unit = _taken(connection, survey, person, seed, per_item, late)
    if unit is None and not first and _release(connection, late):
        return _taken(connection, survey, person, seed, per_item, late)
    return unit


def _taken(connection: Connection, survey: Survey, person: str, seed: int, per_item: int, late: float) -> int | None:
    given = {"person_": person, "per_item": per_item, "tie_": random.getrandbits(30)}
    if survey.protocol.draw == "batches":
        unit = _of_batch(connection, survey, person, seed, per_item, late)
        if unit is not None:
            connection.execute(TAKE, {**given, "unit_": unit})
        return unit
    taken = connection.execute(TAKE_WANTED[survey.protocol.draw], given).one_or_none()
    if connection.dialect.name == "postgresql":
        # What others were drawing was passed over: where it was wanted more, or is all that is left, try again.
        if taken is None:
            passed_over = connection.scalar(WANTED[survey.protocol.draw], given) is not None
        else:
            passed_over = taken.fewest is not None and taken.fewest < taken.assigned - 1
        if passed_over:
            raise Busy("what is wanted most is being drawn by somebody else")
    return None if taken is None else int(taken.id)


def _of_batch(connection: Connection, survey: Survey, person: str, seed: int, per_item: int, late: float) -> int | None:
    """The next of the person's batch in their own order. A batch is chosen once and given whole."""
    listed = read_batches(survey.folder / survey.protocol.batches)
    mine = connection.scalar(sa.select(people.c.batch).where(people.c.id == person))
    if mine is None:
        mine = _open_batch(connection, listed, per_item, late)
        if mine is None:
            return None
        connection.execute(sa.update(people).where(people.c.id == person).values(batch=mine))
    order = np.random.default_rng([seed, 5]).permutation(len(listed[mine]))
    had = set(connection.scalars(sa.select(trials.c.unit).where(trials.c.person == person)))
    names = [json.dumps([name]) for name in listed[mine]]
    known = dict(connection.execute(sa.select(units.c.names, units.c.id).where(units.c.names.in_(names))).all())
    left = [int(known[names[place]]) for place in order if known[names[place]] not in had]
    free = next((unit for unit in left if connection.scalar(NOT_LOCKED, {"unit_": unit}) is not None), None)
    if left and free is None:
        raise Busy("every item that is left of the batch is being drawn by somebody else")
    return free


def _open_batch(connection: Connection, listed: dict[str, list[str]], per_item: int, late: float) -> str | None:
    """The batch with the fewest people who are at it or through with it; None where all have `per_item` of them."""
    there = (people.c.seen >= late) | people.c.stage.in_(("debrief", "done"))
    counted = (people.c.batch.is_not(None), people.c.excluded.is_(None), there)
    taken = sa.select(people.c.batch, sa.func.count()).where(*counted)
    counts: dict[str, int] = dict(connection.execute(taken.group_by(people.c.batch)).all())
    fewest = min(listed, key=lambda name: counts.get(name, 0))
    return fewest if counts.get(fewest, 0) < per_item else None


def _release(connection: Connection, before: float) -> int:
    """Give back what was drawn long ago and never answered, and say how much it was; whoever returns may still
    answer it."""
    late = connection.execute(LATE, {"before": before}).all()
    for trial, unit in late:
        connection.execute(sa.update(trials).where(trials.c.id == trial).values(held=False))
        connection.execute(sa.update(units).where(units.c.id == unit).values(assigned=units.c.assigned - 1))
    return len(late)
