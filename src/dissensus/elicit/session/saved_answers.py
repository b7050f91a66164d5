"""Keeping an answer: checked, written once, with every time the browser measured."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import sqlalchemy as sa
from sqlalchemy.engine import Connection, Row

from dissensus.elicit.database import schema
from dissensus.elicit.database.store import now
from dissensus.elicit.questions.question_kinds import check_answer
from dissensus.elicit.running import Refused, Running
from dissensus.elicit.session.protocol import TrialKind

KEEP = sa.insert(schema.answers)
UNHOLD = (
    sa.update(schema.trials)
    .where(schema.trials.c.id == sa.bindparam("trial_"), schema.trials.c.held)
    .values(held=sa.false())
)
COUNT = (
    sa.update(schema.units)
    .where(schema.units.c.id == sa.bindparam("unit_"))
    .values(
        answered=schema.units.c.answered + sa.bindparam("counts"),
        assigned=schema.units.c.assigned + sa.bindparam("back"),
    )
)
MEASURED = {"looked", "ready", "touched", "submitted", "changes", "away", "played", "early", "reloads"}
MOST_OFTEN = 1_000_000  # that something is counted on one page
LARGEST = 1e15  # of any number that a browser sends
LONGEST = 24 * 3600 * 1000  # a page that was open for more milliseconds than this has no honest time


class Given(NamedTuple):
    """A trial that a person has been given, when its answer came, if it did, and what was shown, while it matters."""

    id: str
    unit: int
    kind: TrialKind
    answered: float | None
    shown: str | None


def save_answer(
    run: Running, connection: Connection, person: Row[Any], given: list[Given], trial_id: str, sent: Mapping[str, Any],
    replace: Callable[[dict[str, Any]], object] | None = None,
) -> str | None:  # fmt: skip
    """Keep the answer to a trial of this person, unless it is kept already; the feedback if it was practice.

    given    all trials of this person; the one that is answered is marked so
    replace  takes the answer as it is stored, where it is to replace one that was taken back
    """
    place = next((i for i, trial in enumerate(given) if trial.id == trial_id), None)
    if place is None:
        raise Refused("this trial is not part of your session", 404)
    trial = given[place]
    feedback = _feedback(run, trial)
    if trial.answered is not None and replace is None:
        return feedback
    if trial.answered is None and replace is not None:
        raise Refused("this trial has no answer that was taken back", 409)
    try:
        answer = check_answer(run.survey.question, sent.get("answer"))
    except ValueError as error:
        raise Refused(str(error)) from None
    times = checked_times(sent.get("times"))
    client: Any = sent.get("client")
    received = now()
    row = {
        "trial": trial_id, "person": person.id, "unit": trial.unit, "kind": trial.kind, "answer": json.dumps(answer),
        "times": json.dumps(times), "seconds": _seconds(times), "client": float(client) if _finite(client) else None,
        "received": received,
    }  # fmt: skip
    if replace is not None:
        replace(row)
        return feedback
    connection.execute(KEEP, row)
    given[place] = trial._replace(answered=received)
    if trial.kind == "main":
        # `assigned` counts holders and answers: the holder becomes an answer, a trial that was given back in the
        # meantime counts again, and the answer of somebody who is excluded counts for nothing.
        held = connection.execute(UNHOLD, {"trial_": trial_id}).rowcount
        counts = 0 if person.excluded is not None else 1
        connection.execute(COUNT, {"unit_": trial.unit, "counts": counts, "back": counts - held})
    return feedback


def checked_times(given: Any) -> dict[str, Any]:
    """What the browser measured, in milliseconds since the page was shown; what makes no sense is refused.

    looked, ready, touched, submitted  numbers; changes  [[when, field, value], …]; away  [[from, to], …]
    played  [[sound, from, to], …], where to is null if it could not be played; early, reloads  how often
    """
    if given is None:
        return {}
    if not isinstance(given, dict) or set(given) - MEASURED:
        raise Refused(f"expected times to be an object with {', '.join(sorted(MEASURED))}")
    for name in ("looked", "ready", "touched", "submitted"):
        if given.get(name) is not None and not (_finite(given[name]) and given[name] >= 0):
            raise Refused(f"times.{name} is {given[name]!r}; expected milliseconds")
    for name in ("early", "reloads"):
        if name in given and not (type(given[name]) is int and 0 <= given[name] <= MOST_OFTEN):
            raise Refused(f"times.{name} is {given[name]!r}; expected a whole number from 0 to {MOST_OFTEN:,}")
    for name, fits, shape in (("changes", _is_change, "[when, field, value]"), ("away", _is_span, "[from, to]"),
                              ("played", _is_play, "[sound, from, to]")):  # fmt: skip
        rows = given.get(name, [])
        if (
            not isinstance(rows, list)
            or len(rows) > 5_000
            or not all(isinstance(row, list) and fits(row) for row in rows)
        ):
            raise Refused(f"times.{name} is not a list of at most 5,000 {shape}")
    return given


def _is_change(row: list[Any]) -> bool:
    return len(row) == 3 and _finite(row[0]) and isinstance(row[1], str)


def _is_span(row: list[Any]) -> bool:
    return len(row) == 2 and _finite(row[0]) and _finite(row[1])


def _is_play(row: list[Any]) -> bool:
    return len(row) == 3 and all(map(_finite, row[:2])) and (row[2] is None or _finite(row[2]))


def _seconds(times: dict[str, Any]) -> float | None:
    """From the first look to the submission, without the time when the page was out of sight."""
    if not _finite(times.get("submitted")):
        return None
    away = sum(max(0.0, until - since) for since, until in times.get("away", []))
    spent = times["submitted"] - (times.get("looked") or 0.0) - away
    return spent / 1000 if 0 <= spent <= LONGEST else None


def _feedback(run: Running, trial: Given) -> str | None:
    if trial.kind != "practice" or trial.shown is None:
        return None
    item = json.loads(trial.shown)["items"][0]
    return next((practice.feedback for practice in run.survey.practice if practice.item == item), None)


def _finite(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and -LARGEST <= value <= LARGEST
