"""Who was let go while they could have answered something that was missing, found out afterwards from the answers."""

from __future__ import annotations

import math

import sqlalchemy as sa

from dissensus.elicit.database import schema
from dissensus.elicit.database.store import setting
from dissensus.elicit.survey.items import units_per_person
from dissensus.elicit.survey_run import SurveyRun

MAIN = (
    sa.select(schema.answers.c.person, schema.answers.c.unit, schema.answers.c.received)
    .where(schema.answers.c.kind == "main")
    .order_by(schema.answers.c.received)
)
LET_GO = sa.select(schema.people.c.id, schema.people.c.finished).where(schema.people.c.stage.in_(("full", "done")))


def count_turned_away(run: SurveyRun) -> int:
    """How many were told that nothing is left, or got fewer items than one person is to get, while an item that they
    had not had still lacked an answer.

    Items that a draw by expected error has closed count as missing nothing only where they have all their answers, and
    batches are given whole, so it is about draws without either.
    """
    with run.store.reader() as connection:
        per_item = int(setting(connection, "per_item", str(run.survey.protocol.per_item)))
        answers = connection.execute(MAIN).all()
        let_go = connection.execute(LET_GO).all()
        main = connection.scalars(sa.select(schema.units.c.id).where(schema.units.c.main)).all()
    had: dict[str, set[int]] = {}
    times: dict[int, list[float]] = {unit: [] for unit in main}
    for person, unit, received in answers:
        had.setdefault(person, set()).add(unit)
        times[unit].append(received)
    complete = {unit: at[per_item - 1] if len(at) >= per_item else math.inf for unit, at in times.items()}
    each = units_per_person(run.survey, run.units)
    return sum(
        len(had.get(person, ())) < each
        and any(at > finished for unit, at in complete.items() if unit not in had.get(person, ()))
        for person, finished in let_go
    )
