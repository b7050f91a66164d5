"""Which unit a person gets next: the least answered, the most uncertain, or the next of a batch.

Only what is shown is held. Where everything that is missing is held by others, see `second_holders`.
"""

from __future__ import annotations

import random
from typing import NamedTuple

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from dissensus.elicit.database.schema import people, trials, units
from dissensus.elicit.session.batch_draws import next_of_batch
from dissensus.elicit.session.hold_times import long_before
from dissensus.elicit.session.second_holders import HAD, second_place
from dissensus.elicit.survey.settings import Survey

OPEN = sa.select(units.c.id).where(units.c.main, units.c.id.not_in(HAD), units.c.assigned < sa.bindparam("per_item"))
WANTED = {
    "least-answered": OPEN.order_by(units.c.assigned, units.c.tie).limit(1),
    # A unit whose priority is below 0 is known well enough and gets no more answers.
    "expected-error": OPEN.where(units.c.priority >= 0)
    .order_by(units.c.priority.desc(), units.c.assigned, units.c.tie)
    .limit(1),
}
# What the person was told to expect, if nobody has taken it since: then it is still as much wanted as any other.
EXPECTED = OPEN.where(
    units.c.id == sa.bindparam("expected"), units.c.assigned == sa.bindparam("then"), units.c.priority >= 0
)
# What one more answer is worth falls about with the square of how many there are; the next ranking says it exactly.
FALLS = (units.c.assigned + 1.0) * (units.c.assigned + 1.0) / ((units.c.assigned + 2.0) * (units.c.assigned + 2.0))
# A unit gets a new random place among its equals whenever it is taken, so that no two people get the same series.
TAKEN = {"assigned": units.c.assigned + 1, "priority": units.c.priority * FALLS, "tie": sa.bindparam("tie_")}
TAKE = sa.update(units).where(units.c.id == sa.bindparam("unit_")).values(TAKEN)
FEWEST = WANTED["least-answered"].with_only_columns(units.c.assigned).correlate(None).scalar_subquery()
# With it comes what the person can expect next. Others draw from the top, so it is one that they will come to last,
# or, where draws are by expected error, one that is near the top and not the first.
later = units.alias("later")
LATER = sa.select(sa.cast(later.c.id, sa.Text) + ":" + sa.cast(later.c.assigned, sa.Text)).where(
    later.c.main, later.c.id.not_in(HAD), later.c.id != sa.bindparam("expected")
)  # fmt: skip
NEAR_TOP = 8
NEXT = {
    # Nothing but the equality, so that the index gives the last of them without a look at the others.
    "least-answered": LATER.where(later.c.assigned == FEWEST).order_by(later.c.tie.desc()),
    "expected-error": LATER.where(later.c.priority >= 0, later.c.assigned < sa.bindparam("per_item"))
    .order_by(later.c.priority.desc(), later.c.assigned, later.c.tie)
    .offset(sa.bindparam("skip_")),
}
TAKE_WANTED = {
    name: sa.update(units)
    .where(units.c.id == sa.func.coalesce(EXPECTED.scalar_subquery(), wanted.scalar_subquery()))
    .values(TAKEN)
    .returning(units.c.id, NEXT[name].limit(1).scalar_subquery().label("next"))
    for name, wanted in WANTED.items()
}
LATE = (
    sa.select(trials.c.id, trials.c.unit)
    .join(units, units.c.id == trials.c.unit)
    .join(people, people.c.id == trials.c.person)
    .where(trials.c.held, trials.c.drawn < sa.bindparam("before"))
    .where((people.c.seen < sa.bindparam("before")) | (trials.c.drawn < sa.bindparam("long_before")))
    .limit(50)
)


class Next(NamedTuple):
    """A unit that a person may expect, without holding it, and how many had drawn it by then."""

    unit: int
    then: int


class Drawn(NamedTuple):
    """A unit that a person now holds, and what they may expect after it."""

    unit: int
    next: Next | None


def draw(
    connection: Connection, survey: Survey, person: str, seed: int, per_item: int, *, late: float, first: bool,
    expected: Next | None = None,
) -> Drawn | None:  # fmt: skip
    """A unit that this person has not had and that still needs answers, held for them; None when there is none.

    late      what was shown to somebody who gave no sign of life since this time is given back
    first     whether it is the person's first: then, and where nothing is left, is when things are given back
    expected  what the person was told to expect; they get it where nobody took it meanwhile
    """
    if first:
        _release(connection, late)
    drawn = _taken(connection, survey, person, seed, per_item, late, expected)
    if drawn is None and not first and _release(connection, late):
        drawn = _taken(connection, survey, person, seed, per_item, late, None)
    if drawn is None and survey.protocol.draw != "batches":
        unit = second_place(connection, person, per_item)
        if unit is not None:
            connection.execute(TAKE, {"unit_": unit, "tie_": random.getrandbits(30)})
            drawn = Drawn(unit, None)
    return drawn


def hold_again(connection: Connection, trial: str, unit: int) -> None:
    """Hold what somebody has before them again, after it was given back while they were away."""
    connection.execute(sa.update(trials).where(trials.c.id == trial).values(held=True))
    connection.execute(TAKE, {"unit_": unit, "tie_": random.getrandbits(30)})


def give_back(connection: Connection, trial: str, unit: int) -> None:
    """Keep the place of a trial no longer; whoever has it before them may still answer it."""
    connection.execute(sa.update(trials).where(trials.c.id == trial).values(held=False))
    connection.execute(sa.update(units).where(units.c.id == unit).values(assigned=units.c.assigned - 1))


def _taken(
    connection: Connection, survey: Survey, person: str, seed: int, per_item: int, late: float, expected: Next | None
) -> Drawn | None:
    given = {"person_": person, "per_item": per_item, "tie_": random.getrandbits(30)}
    if survey.protocol.draw == "batches":
        units_left = next_of_batch(connection, survey, person, seed, per_item, late)
        if not units_left:
            return None
        connection.execute(TAKE, {**given, "unit_": units_left[0]})
        return Drawn(units_left[0], Next(units_left[1], 0) if len(units_left) > 1 else None)
    told = {"expected": expected.unit if expected else -1, "then": expected.then if expected else -1}
    skip = {"skip_": random.randrange(1, NEAR_TOP)} if survey.protocol.draw == "expected-error" else {}
    taken = connection.execute(TAKE_WANTED[survey.protocol.draw], {**given, **told, **skip}).one_or_none()
    if taken is None:
        return None
    following = Next(*map(int, taken.next.split(":"))) if taken.next else None
    # Whether a unit counts as taken already is seen differently by the two databases.
    return Drawn(int(taken.id), None if following is None or following.unit == taken.id else following)


def _release(connection: Connection, before: float) -> int:
    """Give back what was shown to people who have not been there since, or have had it for several times as long, and
    say how much it was; they may still answer it."""
    late = connection.execute(LATE, {"before": before, "long_before": long_before(before)}).all()
    for trial, unit in late:
        give_back(connection, trial, unit)
    return len(late)
