"""Pages other than trials: consent, instructions, comprehension, breaks and debriefing."""

from __future__ import annotations

import json
from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import Connection, Row

from dissensus.elicit.database import schema
from dissensus.elicit.database.shared_transaction import INDEPENDENT, defer
from dissensus.elicit.database.store import now, record_event
from dissensus.elicit.session import protocol
from dissensus.elicit.survey.settings import Survey
from dissensus.elicit.survey_run import RequestError, SurveyRun

MOVE = sa.update(schema.people).where(schema.people.c.id == sa.bindparam("person_")).execution_options(**INDEPENDENT)
PAGE = sa.insert(schema.pages)


def page_name(person: Row[Any]) -> str:
    """Return the name of a page, under which it is submitted."""
    if person.stage == "instructions":
        return f"instructions:{person.place}"
    if person.stage == "comprehension":
        return f"comprehension:{person.attempts}"
    return str(person.stage)


def save_page(run: SurveyRun, connection: Connection, person: Row[Any], page: str, answer: dict[str, Any]) -> None:
    """Store a submitted page once and move the person on. Pages that were submitted before stay as they are."""
    if page != page_name(person) and not page.startswith("break:"):
        known = sa.select(schema.pages.c.page).where(schema.pages.c.person == person.id, schema.pages.c.page == page)
        if connection.scalar(known) is None:
            raise RequestError(f"{page!r} is not the current page of this session", 409)
        return
    stored = sa.select(schema.pages.c.page).where(schema.pages.c.person == person.id, schema.pages.c.page == page)
    if connection.scalar(stored) is not None:
        return
    stage, place, attempts = _step_after(run, person, page, answer)
    fields = _keep_fields(run.survey, page, answer)
    row = {"person": person.id, "page": page, "answer": json.dumps(fields), "received": now()}
    defer(connection, PAGE, row)
    change: dict[str, Any] = {"stage": stage, "place": place, "attempts": attempts}
    if stage in protocol.ENDS:
        change["finished"] = now()
        record_event(connection, stage, person.id)
    connection.execute(MOVE.values(change), {"person_": person.id})


def _step_after(run: SurveyRun, person: Row[Any], page: str, answer: dict[str, Any]) -> tuple[str, int, int]:
    """The stage, place and attempts after this page."""
    survey, stage = run.survey, str(person.stage)
    if page.startswith("break:"):
        settings = survey.protocol
        breaks = settings.per_person // settings.break_every if settings.break_every else 0
        if page not in {f"break:{number}" for number in range(1, breaks + 1)}:
            raise RequestError(f"{page!r} is not the current page of this session", 409)
        return stage, int(person.place), int(person.attempts)
    if stage == "consent":
        if not isinstance(answer.get("agreed"), bool):
            raise RequestError("answer.agreed: expected true or false")
        return (protocol.stage_after(survey, stage), 0, 0) if answer["agreed"] else ("declined", 0, 0)
    if stage == "instructions" and person.place + 1 < len(survey.protocol.instructions):
        return stage, person.place + 1, 0
    if stage == "comprehension":
        chosen = answer.get("chosen")
        checks = survey.comprehension
        if (
            not isinstance(chosen, list)
            or len(chosen) != len(checks)
            or any(option not in check.options for option, check in zip(chosen, checks, strict=True))
        ):
            raise RequestError(f"answer.chosen: expected a list of {len(checks)} options, one per question")
        if not protocol.passed(survey, chosen):
            attempts = int(person.attempts) + 1
            return (stage, 0, attempts) if attempts < survey.protocol.attempts else ("failed", 0, attempts)
    if stage == "debrief":
        _check_debrief(survey, answer)
    if stage in ("trials", "practice", *protocol.ENDS):
        raise RequestError(f"{page!r} is not the current page of this session", 409)
    return protocol.stage_after(survey, stage), 0, 0


def _keep_fields(survey: Survey, page: str, answer: dict[str, Any]) -> dict[str, Any]:
    """The fields that the page asked for, so that nobody can fill the database with other data."""
    fields = {"consent": ["agreed"], "comprehension": ["chosen"], "debrief": [field.name for field in survey.debrief]}
    return {name: answer[name] for name in fields.get(page.partition(":")[0], []) if name in answer}


def _check_debrief(survey: Survey, answer: dict[str, Any]) -> None:
    for field in survey.debrief:
        value = answer.get(field.name, "")
        if not isinstance(value, str) or len(value) > 10_000:
            raise RequestError(f"answer.{field.name}: expected a text of at most 10,000 characters")
        if field.required and not value.strip():
            raise RequestError(f"{field.question} needs an answer")
        if field.options and value and value not in field.options:
            raise RequestError(f"answer.{field.name} is {value!r}; expected one of the options")
