"""Where everything that is missing is held by others: a place is given twice, within bounds, rather than nobody's.

Whoever holds a place may have left without a word, which shows only some minutes later. So a person who comes in the
meantime gets the place of the one who gave no sign of life for longest. If both answer, that is one answer more than
was asked for; how many of those there can be is bounded for each unit and for all together.
"""

from __future__ import annotations

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from dissensus.elicit.database.schema import people, trials, units
from dissensus.elicit.session.batch_draws import has_missing_batch
from dissensus.elicit.survey.settings import Survey

MORE = 0.02  # of all the answers that are wanted: how many may be collected beyond them
AT_LEAST = 2  # of these, however small the survey is

HAD = sa.select(trials.c.unit).where(trials.c.person == sa.bindparam("person_"))
MISSING = sa.select(units.c.id).where(
    units.c.main, units.c.id.not_in(HAD), units.c.answered < sa.bindparam("per_item"), units.c.priority >= 0
)
EXTRA = units.c.assigned - sa.bindparam("per_item")
BEYOND = sa.select(sa.func.sum(sa.case((EXTRA > 0, EXTRA), else_=0)), sa.func.count()).where(units.c.main)
# A unit has at most one holder more than it lacks answers. Who was there longest ago is the likeliest to be gone.
SECOND = (
    MISSING.join(trials, trials.c.unit == units.c.id)
    .join(people, people.c.id == trials.c.person)
    .where(trials.c.held, units.c.assigned <= sa.bindparam("per_item"))
    .order_by(sa.case((people.c.seen > trials.c.drawn, people.c.seen), else_=trials.c.drawn))
    .limit(1)
)


def find_held_unit(connection: Connection, person: str, per_item: int) -> int | None:
    """A unit that others hold and that this person has not had; None where none is missing, or the bound is reached."""
    given = {"person_": person, "per_item": per_item}
    if connection.scalar(MISSING.limit(1), given) is None:
        return None
    too_many, count = connection.execute(BEYOND, given).one()
    if too_many >= surplus_limit(count * per_item):
        return None
    unit = connection.scalar(SECOND, given)
    return None if unit is None else int(unit)


def surplus_limit(wanted: int) -> int:
    """How many answers may be collected beyond those that are wanted, by giving places twice."""
    return max(AT_LEAST, int(MORE * wanted))


def has_missing_answers(connection: Connection, survey: Survey, person: str, per_item: int) -> bool:
    """Whether an answer is missing that this person could give, be it held by somebody else or not."""
    if survey.protocol.draw == "batches":
        return has_missing_batch(connection, survey, person, per_item)
    return connection.scalar(MISSING.limit(1), {"person_": person, "per_item": per_item}) is not None
