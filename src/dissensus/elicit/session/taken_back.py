"""Taking back the last answer until the next one is sent.

To take an answer back is to open its trial again for another one. Until that comes, the earlier one stays the answer,
so that nobody loses it by leaving; then it is kept beside the new one. The page of the trial has another name each time
it is opened, so that what is sent again late never takes the place of what came after it. The next answer, as from
another tab, closes the trial: the earlier answer stays.
"""

from __future__ import annotations

import json
from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import Connection, Row

from dissensus.elicit.database import schema
from dissensus.elicit.database.store import now
from dissensus.elicit.session.saved_answers import GivenTrial
from dissensus.elicit.survey_run import RequestError

MOST = 5  # times that one answer can be taken back, so that nobody fills the database with it
OFFERED = {
    "practice": ("practice",),
    "trials": ("main", "attention", "repeat"),
    "debrief": ("main", "attention", "repeat"),
}
KEPT = ("answer", "times", "seconds", "client", "received", "doubts")
OPEN = (
    sa.select(schema.taken_back.c.trial)
    .where(schema.taken_back.c.person == sa.bindparam("person_"), schema.taken_back.c.replaced.is_(None))
    .order_by(schema.taken_back.c.at.desc())
    .limit(1)
)
# That a trial is open again stands in the person's row, which is read anyway.
MARK = sa.update(schema.people).where(schema.people.c.id == sa.bindparam("person_")).values(place=sa.bindparam("open_"))
OF_TRIAL = (
    sa.select(schema.taken_back)
    .where(schema.taken_back.c.trial == sa.bindparam("trial_"))
    .order_by(schema.taken_back.c.number)
)
ANSWER = sa.select(*(schema.answers.c[name] for name in KEPT)).where(schema.answers.c.trial == sa.bindparam("trial_"))
TAKE_BACK = sa.insert(schema.taken_back)
REPLACE = sa.update(schema.answers).where(schema.answers.c.trial == sa.bindparam("trial_"))
CLOSE = sa.update(schema.taken_back).where(
    schema.taken_back.c.trial == sa.bindparam("trial_"), schema.taken_back.c.replaced.is_(None)
)


def last_answered(stage: str, given: list[GivenTrial]) -> str | None:
    """The trial whose answer can be taken back in this stage: the last one that is answered, if it is of this stage."""
    last = next((trial for trial in reversed(given) if trial.answered is not None), None)
    return last.id if last is not None and last.kind in OFFERED.get(stage, ()) else None


def open_trial(connection: Connection, person: Row[Any]) -> str | None:
    """The trial that is open again for this person."""
    return connection.scalar(OPEN, {"person_": person.id}) if person.stage in OFFERED and person.place == 1 else None


def reopen(connection: Connection, person: Row[Any], given: list[GivenTrial], trial: str) -> None:
    """Open the trial again, once however often it is asked for."""
    if open_trial(connection, person) == trial:
        return
    if last_answered(person.stage, given) != trial:
        raise RequestError("only the last answer can be taken back, until the next one is sent", 409)
    times = len(connection.execute(OF_TRIAL, {"trial_": trial}).all())
    if times >= MOST:
        raise RequestError(f"an answer can be taken back {MOST} times; please go on with the next one")
    there = connection.execute(ANSWER, {"trial_": trial}).one()
    row = {"trial": trial, "number": times, "person": person.id, "at": now(), "replaced": None, **there._mapping}
    connection.execute(TAKE_BACK, row)
    connection.execute(MARK, {"person_": person.id, "open_": 1})


def close_by_next(connection: Connection, person: Row[Any], given: list[GivenTrial], trial: str) -> None:
    """Where a trial is open again and this one gets its first answer: from now on the earlier answer stays."""
    first = any(each.id == trial and each.answered is None for each in given)
    if first and person.stage in OFFERED and person.place == 1:
        connection.execute(MARK, {"person_": person.id, "open_": 0})


def reopened_page(connection: Connection, trial: str) -> dict[str, Any]:
    """What the page of a trial that is open again has beside that of a new one: its name, and the earlier answer."""
    rows = connection.execute(OF_TRIAL, {"trial_": trial}).all()
    return {"page": f"trial:{trial}:{len(rows)}", "again": True, "before": json.loads(rows[-1].answer)}


def replace_answer(connection: Connection, person: Row[Any], trial: str, opened: str, row: dict[str, Any]) -> bool:
    """Put this answer in the place of the one that was taken back; whether it was, which it is once.

    opened  which time the trial was open again when this was answered: 1, 2, …
    row     the answer as it is stored
    """
    rows = connection.execute(OF_TRIAL, {"trial_": trial}).all()
    if opened not in {str(number + 1) for number in range(len(rows))}:
        raise RequestError(f"this trial was not taken back {opened[:20]} times", 409)
    if int(opened) < len(rows) or rows[-1].replaced is not None:
        return False
    if open_trial(connection, person) != trial:
        raise RequestError("your earlier answer stays: the next one was sent before you changed it", 409)
    connection.execute(REPLACE.values({name: row[name] for name in KEPT}), {"trial_": trial})
    connection.execute(CLOSE.values(replaced=row["received"]), {"trial_": trial})
    connection.execute(MARK, {"person_": person.id, "open_": 0})
    return True
