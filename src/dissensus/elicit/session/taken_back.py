"""Taking back the last answer, until the next one is sent.

Taking back reopens the trial. Until a new answer arrives, the old one stays valid, so that nobody loses it by leaving.
Afterwards the old answer is kept next to the new one. The page has a new name each time it is reopened, so that a late
resend never replaces a newer answer. If another trial is answered first, such as in another tab, the old answer stays.
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

MOST = 5  # times that an answer can be taken back, so that nobody can fill the database
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
# The person's row, which every request reads, marks that a trial is reopened.
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
    """Return the trial whose answer can be taken back: the last answered one, if it belongs to this stage."""
    last = next((trial for trial in reversed(given) if trial.answered is not None), None)
    return last.id if last is not None and last.kind in OFFERED.get(stage, ()) else None


def open_trial(connection: Connection, person: Row[Any]) -> str | None:
    """Return the trial that this person has reopened, or None."""
    return connection.scalar(OPEN, {"person_": person.id}) if person.stage in OFFERED and person.place == 1 else None


def reopen(connection: Connection, person: Row[Any], given: list[GivenTrial], trial: str) -> None:
    """Reopen a trial. Repeating the call has no effect."""
    if open_trial(connection, person) == trial:
        return
    if last_answered(person.stage, given) != trial:
        raise RequestError("only the last answer can be taken back, until the next one is sent", 409)
    times = len(connection.execute(OF_TRIAL, {"trial_": trial}).all())
    if times >= MOST:
        raise RequestError(f"an answer can be taken back at most {MOST} times; please continue with the next one")
    answer = connection.execute(ANSWER, {"trial_": trial}).one()
    row = {"trial": trial, "number": times, "person": person.id, "at": now(), "replaced": None, **answer._mapping}
    connection.execute(TAKE_BACK, row)
    connection.execute(MARK, {"person_": person.id, "open_": 1})


def close_by_next(connection: Connection, person: Row[Any], given: list[GivenTrial], trial: str) -> None:
    """Close a reopened trial if another trial gets its first answer; the old answer stays."""
    first = any(row.id == trial and row.answered is None for row in given)
    if first and person.stage in OFFERED and person.place == 1:
        connection.execute(MARK, {"person_": person.id, "open_": 0})


def reopened_page(connection: Connection, trial: str) -> dict[str, Any]:
    """Return what a reopened page has in addition: its new name and the old answer."""
    rows = connection.execute(OF_TRIAL, {"trial_": trial}).all()
    return {"page": f"trial:{trial}:{len(rows)}", "again": True, "before": json.loads(rows[-1].answer)}


def replace_answer(connection: Connection, person: Row[Any], trial: str, opened: str, row: dict[str, Any]) -> bool:
    """Replace the answer that was taken back. Return whether it was replaced now, which happens once.

    opened  number of the reopening in which the new answer was given: 1, 2, …
    row     the new answer as stored
    """
    rows = connection.execute(OF_TRIAL, {"trial_": trial}).all()
    if opened not in {str(number + 1) for number in range(len(rows))}:
        raise RequestError(f"this answer was not taken back {opened[:20]} times", 409)
    if int(opened) < len(rows) or rows[-1].replaced is not None:
        return False
    if open_trial(connection, person) != trial:
        raise RequestError("your earlier answer stays, since the next one was sent first", 409)
    connection.execute(REPLACE.values({name: row[name] for name in KEPT}), {"trial_": trial})
    connection.execute(CLOSE.values(replaced=row["received"]), {"trial_": trial})
    connection.execute(MARK, {"person_": person.id, "open_": 0})
    return True
