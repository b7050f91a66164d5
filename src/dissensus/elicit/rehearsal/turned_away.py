"""People who were sent away although they could have given a missing answer, found from the stored answers."""

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
    """Count people who got fewer items than intended while an item that they had not had still lacked an answer.

    Meant for draws by least answers: items closed by expected error count as missing, and batches are given whole.
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
    intended = units_per_person(run.survey, run.units)
    return sum(
        len(had.get(person, ())) < intended
        and any(at > finished for unit, at in complete.items() if unit not in had.get(person, ()))
        for person, finished in let_go
    )
