"""Choice of a person's next unit: the least answered, the one with the largest expected gain, or the next of a batch.

A person holds only the unit that is shown to them. See `second_holders` for units that others hold.
"""

from __future__ import annotations

import random
from collections.abc import Collection
from typing import NamedTuple

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from dissensus.elicit.database.schema import people, trials, units
from dissensus.elicit.database.shared_transaction import defer, people_in_transaction, read_ahead, write_deferred
from dissensus.elicit.session.batch_draws import next_of_batch
from dissensus.elicit.session.hold_times import long_before
from dissensus.elicit.session.offers import Offers, Upcoming
from dissensus.elicit.session.second_holders import find_held_unit
from dissensus.elicit.survey.settings import Survey

SOME = 24  # units to look up for a draw; the person has rarely had all of them
# The same formula as in `Unit.after_draw`.
FALLS = (units.c.assigned + 1.0) * (units.c.assigned + 1.0) / ((units.c.assigned + 2.0) * (units.c.assigned + 2.0))
TAKE = (
    sa.update(units)
    .where(units.c.id == sa.bindparam("unit_"))
    .values(
        assigned=units.c.assigned + 1,
        priority=units.c.priority * FALLS,
        tie=sa.bindparam("tie_"),
    )
)
LATE = (
    sa.select(trials.c.id, trials.c.unit)
    .join(units, units.c.id == trials.c.unit)
    .join(people, people.c.id == trials.c.person)
    .where(trials.c.held, trials.c.drawn < sa.bindparam("before"))
    .where((people.c.seen < sa.bindparam("before")) | (trials.c.drawn < sa.bindparam("long_before")))
    .limit(50)
)


class DrawnUnit(NamedTuple):
    """A unit that a person now holds, and the unit that probably follows."""

    unit: int
    upcoming: Upcoming | None


def draw(
    connection: Connection,
    survey: Survey,
    person: str,
    seed: int,
    per_item: int,
    *,
    had: Collection[int],
    late: float,
    first: bool,
    announced: Upcoming | None = None,
) -> DrawnUnit | None:
    """Draw a unit that this person has not had and that needs answers, and hold it; None if there is none.

    had        the units that the person had
    late       units of people who were inactive since this time are released
    first      whether this is the person's first draw; units are released then, and if nothing is left
    announced  the unit whose pictures the person has preloaded; they get it if nobody else drew it since
    """
    if first:
        _release(connection, late)
    drawn = _take_unit(connection, survey, person, seed, per_item, had, late, announced)
    if drawn is None and not first and _release(connection, late):
        drawn = _take_unit(connection, survey, person, seed, per_item, had, late, None)
    if drawn is None and survey.protocol.draw != "batches":
        unit = find_held_unit(connection, person, per_item)
        if unit is not None:
            connection.execute(TAKE, {"unit_": unit, "tie_": random.getrandbits(30)})
            drawn = DrawnUnit(unit, None)
    return drawn


def hold_again(connection: Connection, trial: str, unit: int) -> None:
    """Hold a shown trial again that was released while the person was away."""
    connection.execute(sa.update(trials).where(trials.c.id == trial).values(held=True))
    connection.execute(TAKE, {"unit_": unit, "tie_": random.getrandbits(30)})


def give_back(connection: Connection, trial: str, unit: int) -> None:
    """Release the place of a trial; the person may still answer it."""
    connection.execute(sa.update(trials).where(trials.c.id == trial).values(held=False))
    connection.execute(sa.update(units).where(units.c.id == unit).values(assigned=units.c.assigned - 1))


def _take_unit(
    connection: Connection,
    survey: Survey,
    person: str,
    seed: int,
    per_item: int,
    had: Collection[int],
    late: float,
    announced: Upcoming | None,
) -> DrawnUnit | None:
    draw = survey.protocol.draw
    if draw == "batches":
        units_left = next_of_batch(connection, survey, person, seed, per_item, late)
        if not units_left:
            return None
        connection.execute(TAKE, {"unit_": units_left[0], "tie_": random.getrandbits(30)})
        return DrawnUnit(units_left[0], Upcoming(units_left[1], 0) if len(units_left) > 1 else None)
    most = SOME + 2 * len(people_in_transaction(connection))
    offers = read_ahead(connection, (draw, per_item), lambda: Offers(connection, draw, per_item, most))
    unit = offers.take(had, announced)
    if unit is None and not offers.complete:  # the person had all of these
        write_deferred(connection)
        offers.look_up(connection, len(had) + most)
        unit = offers.take(had, announced)
    if unit is None:
        return None
    defer(connection, TAKE, {"unit_": unit.id, "tie_": unit.tie})
    return DrawnUnit(unit.id, offers.next_for({*had, unit.id}))


def _release(connection: Connection, before: float) -> int:
    """Release the trials of people inactive since then, or held for several times as long. Return their number."""
    late = connection.execute(LATE, {"before": before, "long_before": long_before(before)}).all()
    for trial, unit in late:
        give_back(connection, trial, unit)
    return len(late)
