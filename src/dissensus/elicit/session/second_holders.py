"""Second holders: if others hold everything that is missing, a person gets a unit that someone else already holds.

A holder may have left, which shows only minutes later. So a new person gets the unit whose holder was inactive for
longest. If both answer, the unit has one answer too many. The number of such answers is limited per unit and in total.
"""

from __future__ import annotations

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from dissensus.elicit.database.schema import people, trials, units
from dissensus.elicit.session.batch_draws import has_missing_batch
from dissensus.elicit.survey.settings import Survey

MORE = 0.02  # answers beyond those wanted, as a share of those wanted
AT_LEAST = 2  # the same in small surveys

HAD = sa.select(trials.c.unit).where(trials.c.person == sa.bindparam("person_"))
MISSING = sa.select(units.c.id).where(
    units.c.main, units.c.id.not_in(HAD), units.c.answered < sa.bindparam("per_item"), units.c.priority >= 0
)
EXTRA = units.c.assigned - sa.bindparam("per_item")
SURPLUS = sa.select(sa.func.sum(sa.case((EXTRA > 0, EXTRA), else_=0)), sa.func.count()).where(units.c.main)
# A unit has at most one holder more than it lacks answers. The holder inactive for longest has most likely left.
SECOND = (
    MISSING.join(trials, trials.c.unit == units.c.id)
    .join(people, people.c.id == trials.c.person)
    .where(trials.c.held, units.c.assigned <= sa.bindparam("per_item"))
    .order_by(sa.case((people.c.seen > trials.c.drawn, people.c.seen), else_=trials.c.drawn))
    .limit(1)
)


def find_held_unit(connection: Connection, person: str, per_item: int) -> int | None:
    """Find a unit that others hold and this person has not had; None if nothing is missing or the limit is reached."""
    given = {"person_": person, "per_item": per_item}
    if connection.scalar(MISSING.limit(1), given) is None:
        return None
    surplus, count = connection.execute(SURPLUS, given).one()
    if surplus >= surplus_limit(count * per_item):
        return None
    unit = connection.scalar(SECOND, given)
    return None if unit is None else int(unit)


def surplus_limit(wanted: int) -> int:
    """Return the number of answers that may be collected beyond those wanted."""
    return max(AT_LEAST, int(MORE * wanted))


def has_missing_answers(connection: Connection, survey: Survey, person: str, per_item: int) -> bool:
    """Whether an answer is missing that this person could give, even if someone else holds the unit."""
    if survey.protocol.draw == "batches":
        return has_missing_batch(connection, survey, person, per_item)
    return connection.scalar(MISSING.limit(1), {"person_": person, "per_item": per_item}) is not None
