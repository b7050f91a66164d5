"""Storing an answer: checked, written once, with all times that the browser measured."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, NamedTuple

import sqlalchemy as sa
from sqlalchemy.engine import Connection, Row

from dissensus.elicit.database import schema
from dissensus.elicit.database.shared_transaction import defer
from dissensus.elicit.database.store import now
from dissensus.elicit.questions.question_kinds import check_answer
from dissensus.elicit.session.doubtful_times import doubts_about
from dissensus.elicit.session.protocol import TrialKind
from dissensus.elicit.survey.extra_trials import unit_key
from dissensus.elicit.survey_run import RequestError, SurveyRun

KEEP = sa.insert(schema.answers).values({column: sa.bindparam(f"{column.name}_") for column in schema.answers.c})
UNHOLD = sa.update(schema.trials).where(schema.trials.c.id == sa.bindparam("trial_")).values(held=sa.false())
COUNT = (
    sa.update(schema.units)
    .where(schema.units.c.id == sa.bindparam("unit_"))
    .values(
        answered=schema.units.c.answered + sa.bindparam("counts"),
        assigned=schema.units.c.assigned + sa.bindparam("back"),
    )
)
# PostgreSQL does all three in one call; there a call costs as much as all three in SQLite.
AT_ONCE = COUNT.add_cte(KEEP.cte("kept"), UNHOLD.cte("unheld"))
MEASURED = {"looked", "ready", "touched", "submitted", "changes", "away", "played", "early", "reloads"}
MOST_OFTEN = 1_000_000  # limit of a count on one page
LARGEST = 1e15  # limit of any number that a browser sends
OPEN = 366 * 24 * 3600 * 1000  # limit of the time that a page is open, milliseconds
TEXT = 2000  # limit of a typed or chosen text, characters
LONGEST = 24 * 3600 * 1000  # a page open for longer, in milliseconds, gives no meaningful time


class GivenTrial(NamedTuple):
    """A trial that was given to a person.

    answered  when its answer was received, or None
    shown     what it shows, as JSON, while that is needed
    held      whether its place is still kept for the person
    drawn     when it was given
    """

    id: str
    unit: int
    kind: TrialKind
    answered: float | None
    shown: str | None
    held: bool
    drawn: float


def save_answer(
    run: SurveyRun,
    connection: Connection,
    person: Row[Any],
    given: list[GivenTrial],
    trial_id: str,
    sent: Mapping[str, Any],
    replace: Callable[[dict[str, Any]], object] | None = None,
) -> str | None:
    """Store the answer to a trial unless it is stored already. Return the feedback of a practice trial.

    given    all trials of this person; the answered one is updated
    replace  stores the answer in place of one that was taken back
    """
    place = next((i for i, trial in enumerate(given) if trial.id == trial_id), None)
    if place is None:
        raise RequestError("this trial is not part of your session", 404)
    trial = given[place]
    feedback = _feedback(run, trial)
    if trial.answered is not None and replace is None:
        return feedback
    if trial.answered is None and replace is not None:
        raise RequestError("this trial has no answer to replace", 409)
    try:
        answer = check_answer(run.survey.question, sent.get("answer"))
    except ValueError as error:
        raise RequestError(str(error)) from None
    times = check_times(sent.get("times"))
    client: Any = sent.get("client")
    received, seconds = now(), _seconds(times)
    # A trial is shown after it was drawn, and again after its answer was received. Answers in between give no bound,
    # since people return to a page that they left to change the answer before.
    since = trial.drawn if trial.answered is None else trial.answered
    doubts = "; ".join(doubts_about(times, seconds, received - since, filled_in=trial.answered is not None))
    row = {
        "trial": trial_id,
        "person": person.id,
        "unit": trial.unit,
        "kind": trial.kind,
        "answer": json.dumps(answer),
        "times": json.dumps(times),
        "seconds": seconds,
        "client": float(client) if _finite(client) else None,
        "received": received,
        "doubts": doubts or None,
    }
    if replace is not None:
        replace(row)
        return feedback
    _keep(connection, row, counts=0 if person.excluded is not None else 1, held=trial.held)
    given[place] = trial._replace(answered=received, held=False)
    return feedback


def _keep(connection: Connection, answer: Mapping[str, Any], *, counts: int, held: bool) -> None:
    """Write an answer, and count it if it is a main answer.

    `assigned` counts holders and answers. The holder becomes an answer, a released trial counts again, and an answer of
    an excluded person does not count.
    """
    row = {f"{name}_": value for name, value in answer.items()}
    if answer["kind"] != "main":
        defer(connection, KEEP, row)
        return
    change = {"counts": counts, "back": counts - held}
    # A changed count affects draws, so it is not deferred.
    write = connection.execute if change["back"] else partial(defer, connection)
    if connection.dialect.name == "postgresql":
        write(AT_ONCE, row | change)
        return
    write(KEEP, row)
    write(UNHOLD, {"trial_": answer["trial"]})
    write(COUNT, change | {"unit_": answer["unit"]})


def check_times(given: Any) -> dict[str, Any]:
    """Check the times that the browser measured, in milliseconds since the page was shown.

    looked, ready, touched, submitted  numbers; changes  [[when, field, value], …]; away  [[from, to], …]
    played  [[sound, from, to], …], where to is null if it could not be played; early, reloads  counts
    Only `submitted` is required; `doubts_about` reports other times that a real browser always sends.
    """
    if not isinstance(given, dict) or set(given) - MEASURED:
        raise RequestError(f"times: expected an object with {', '.join(sorted(MEASURED))}")
    for name in ("looked", "ready", "touched", "submitted"):
        if not _is_time(given.get(name)) and (given.get(name) is not None or name == "submitted"):
            raise RequestError(
                f"times.{name} is {str(given.get(name))[:60]}; expected milliseconds since the page was shown"
            )
    for name in ("early", "reloads"):
        if name in given and not (type(given[name]) is int and 0 <= given[name] <= MOST_OFTEN):
            raise RequestError(
                f"times.{name} is {str(given[name])[:60]}; expected a whole number from 0 to {MOST_OFTEN:,}"
            )
    for name, fits, shape in (
        ("changes", _is_change, "[when, field, value]"),
        ("away", _is_span, "[from, to]"),
        ("played", _is_play, "[sound, from, to]"),
    ):
        rows = given.get(name, [])
        if (
            not isinstance(rows, list)
            or len(rows) > 5_000
            or not all(isinstance(row, list) and fits(row) for row in rows)
        ):
            raise RequestError(f"times.{name}: expected a list of at most 5,000 {shape}")
    return given


def _is_change(row: list[Any]) -> bool:
    return len(row) == 3 and _is_time(row[0]) and isinstance(row[1], str) and _is_input(row[1]) and _is_input(row[2])


def _is_span(row: list[Any]) -> bool:
    return len(row) == 2 and _is_time(row[0]) and _is_time(row[1])


def _is_input(value: Any) -> bool:
    """Whether a value can be an input: a text, a number, a boolean, null, or a short list of these."""
    if isinstance(value, list):
        return len(value) <= 10 and not any(isinstance(part, list) for part in value) and all(map(_is_input, value))
    return value is None or isinstance(value, bool) or _finite(value) or (isinstance(value, str) and len(value) <= TEXT)


def _is_time(value: Any) -> bool:
    return _finite(value) and 0 <= value <= OPEN


def _is_play(row: list[Any]) -> bool:
    return len(row) == 3 and all(map(_is_time, row[:2])) and (row[2] is None or _is_time(row[2]))


def _seconds(times: dict[str, Any]) -> float | None:
    """The seconds from the first look to the submission, without the time when the page was hidden."""
    away = sum(max(0.0, until - since) for since, until in times.get("away", []))
    spent = times["submitted"] - (times.get("looked") or 0.0) - away
    return spent / 1000 if 0 <= spent <= LONGEST else None


def _feedback(run: SurveyRun, trial: GivenTrial) -> str | None:
    if trial.kind != "practice":
        return None
    in_place = run.survey.kind.in_place
    asked = unit_key(run.names[trial.unit], in_place)
    practice = (trial for trial in run.survey.practice if unit_key(trial.items, in_place) == asked)
    return next((trial.feedback for trial in practice), None)


def _finite(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and -LARGEST <= value <= LARGEST
