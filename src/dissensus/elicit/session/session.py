"""A person's session: the current page, submissions, and taking back the last answer."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from functools import partial
from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import Connection, Row

from dissensus.elicit.database import schema
from dissensus.elicit.database.shared_transaction import rows_of
from dissensus.elicit.database.store import Work, is_storable, setting_column
from dissensus.elicit.session import protocol, taken_back, trials
from dissensus.elicit.session.other_pages import MOVE, page_name, save_page
from dissensus.elicit.session.presence import note_presence
from dissensus.elicit.session.saved_answers import GivenTrial, save_answer
from dissensus.elicit.session.second_holders import has_missing_answers
from dissensus.elicit.survey.ends import WAIT
from dissensus.elicit.survey.items import units_per_person
from dissensus.elicit.survey_run import RequestError, SurveyRun, exit_of

# The person with the settings that a researcher may have changed, or null, in one query.
PERSON = sa.select(
    schema.people.c.id.label("whose"), schema.people, setting_column("state"), setting_column("per_item")
).where(schema.people.c.id.in_(sa.bindparam("people_", expanding=True)))


def current_page(run: SurveyRun, person_id: str) -> dict[str, Any]:
    """Return the current page of a person. Someone for whom nothing was left may get a trial when they return."""
    return run.store.write(page_work(run, person_id))


def submit(run: SurveyRun, person_id: str, sent: Mapping[str, Any]) -> dict[str, Any]:
    """Store a submission once, and return the next page.

    Submitting a page again changes nothing and is not an error: a double click, a second tab, the back button and a
    resent queue all lead to one answer. Nothing is acknowledged before it is committed.
    """
    return run.store.write(submit_work(run, person_id, sent))


def take_back(run: SurveyRun, person_id: str, sent: Mapping[str, Any]) -> dict[str, Any]:
    """Reopen the last answered trial and return its page. Repeating the call is not an error."""
    return run.store.write(take_back_work(run, person_id, sent))


def page_work(run: SurveyRun, person_id: str) -> Work[dict[str, Any]]:
    """Return the work of `current_page`, for a transaction of the caller."""

    def work(connection: Connection) -> dict[str, Any]:
        person = person_row(connection, person_id)
        note_presence(run, connection, person)
        page = _page(run, connection, person)
        if page.get("missing") and (person.state or "open") == "open":
            back = {"stage": "trials", "finished": None, "attempts": person.attempts + 1}
            return _move_on(run, connection, person, back)
        return page

    return work


def submit_work(run: SurveyRun, person_id: str, sent: Mapping[str, Any]) -> Work[dict[str, Any]]:
    """Return the work of `submit`, for a transaction of the caller."""
    page = sent.get("page")
    if not isinstance(page, str) or not is_storable(page) or not isinstance(sent.get("answer", {}), dict):
        raise RequestError("expected an object with the fields page, a text, and answer, an object")

    def work(connection: Connection) -> dict[str, Any]:
        reply: dict[str, Any] = {"saved": page}
        person = person_row(connection, person_id)
        note_presence(run, connection, person)
        given = None
        if page.startswith("trial:"):
            given = trials.find_trials(connection, person)
            trial, _, opened = page.removeprefix("trial:").partition(":")
            replace = partial(taken_back.replace_answer, connection, person, trial, opened) if opened else None
            taken_back.close_by_next(connection, person, given, trial)
            feedback = save_answer(run, connection, person, given, trial, sent, replace)
            if feedback:
                reply["feedback"] = feedback
            if opened or person.place:
                person = person_row(connection, person_id)
        elif page.partition(":")[0] == trials.WAITING:
            return {**reply, "page": _stop_waiting(run, connection, person, page)}
        else:
            save_page(run, connection, person, page, sent.get("answer", {}))
            person = person_row(connection, person_id)
        return {**reply, "page": _page(run, connection, person, given)}

    return work


def take_back_work(run: SurveyRun, person_id: str, sent: Mapping[str, Any]) -> Work[dict[str, Any]]:
    """Return the work of `take_back`, for a transaction of the caller."""
    page = sent.get("page")
    if not isinstance(page, str) or not is_storable(page) or not page.startswith("trial:"):
        raise RequestError("expected an object with the field page, the name of a trial's page")

    def work(connection: Connection) -> dict[str, Any]:
        person = person_row(connection, person_id)
        note_presence(run, connection, person)
        given = trials.find_trials(connection, person)
        if (person.state or "open") == "open":
            taken_back.reopen(connection, person, given, page.removeprefix("trial:"))
            person = person_row(connection, person_id)
        return _page(run, connection, person, given)

    return work


def person_row(connection: Connection, person_id: str) -> Row[Any]:
    """Return the person's row, locked until the transaction ends, so that of two tabs one waits for the other."""
    if not is_storable(person_id):
        raise RequestError("no such session; please start again from the link you were sent", 404)
    rows = rows_of(connection, PERSON, person_id)
    if not rows:
        raise RequestError("no such session; please start again from the link you were sent", 404)
    return rows[0]


def _stop_waiting(run: SurveyRun, connection: Connection, person: Row[Any], waited_at: str) -> dict[str, Any]:
    """The page of a person who stops waiting: the next trial if one has become free, else the end.

    A late request, such as from another tab, ends only the wait in which it was sent.
    """
    page = _page(run, connection, person)
    if page["page"] != waited_at or page["stage"] != trials.WAITING:
        return page
    return _move_on(run, connection, person, trials.stop_waiting(run, connection, person))


def _page(
    run: SurveyRun, connection: Connection, person: Row[Any], given: list[GivenTrial] | None = None
) -> dict[str, Any]:
    """The current page of a person. `given` are their trials, if the caller has read them already."""
    survey, stage = run.survey, str(person.stage)
    page: dict[str, Any] = {"stage": stage, "page": page_name(person), "title": survey.title, "contact": survey.contact}
    if stage not in protocol.ENDS and (person.state or "open") != "open":
        return {**page, "stage": "stopped", "page": "stopped"}
    if stage == "consent":
        return {**page, "text": fill_in(run, survey.protocol.consent)}
    if stage == "instructions":
        texts = survey.protocol.instructions
        if person.place >= len(texts):  # the researcher has removed pages since
            return _move_on(run, connection, person, {"stage": protocol.stage_after(survey, stage), "place": 0})
        return {**page, "text": fill_in(run, texts[person.place]), "place": person.place + 1, "of": len(texts)}
    if stage == "comprehension":
        checks = [{"question": check.question, "options": list(check.options)} for check in survey.comprehension]
        return {
            **page,
            "asked": checks,
            "left": survey.protocol.attempts - person.attempts,
            "again": person.attempts > 0,
        }
    if stage in taken_back.OFFERED:
        if given is None:
            given = trials.find_trials(connection, person)
        open_again = taken_back.open_trial(connection, person)
        if open_again is not None:
            again = trials.reopened_trial(run, connection, person, given, open_again)
            if again is not None:
                return {**page, **again, **taken_back.reopened_page(connection, open_again)}
        last = taken_back.last_answered(stage, given)
        if last is not None:
            page["take_back"] = f"trial:{last}"
    if stage in ("practice", "trials"):
        assert given is not None
        trial = trials.trial_page(run, connection, person, given, _per_item(run, person))
        if trial is not None:
            return {**page, **trial}
        return _move_on(run, connection, person, trials.after_trials(run, connection, person))
    if stage == "debrief":
        asked = [{**asdict(field), "options": list(field.options)} for field in survey.debrief]
        return {**page, "text": survey.protocol.debrief_text, "asked": asked}
    if stage in protocol.ENDS:
        page |= {**exit_of(run, person.id, stage)._asdict(), "wait": WAIT}
    if stage == "full":
        page["missing"] = has_missing_answers(connection, survey, person.id, _per_item(run, person))
    return page


def _per_item(run: SurveyRun, person: Row[Any]) -> int:
    """The answers wanted per item, from the dashboard or else from survey.toml."""
    return int(person.per_item or run.survey.protocol.per_item)


def fill_in(run: SurveyRun, text: str) -> str:
    """Replace {per_person} in a text by the number of items per person."""
    return text.replace("{per_person}", str(units_per_person(run.survey, run.units)))


def _move_on(run: SurveyRun, connection: Connection, person: Row[Any], change: dict[str, Any]) -> dict[str, Any]:
    connection.execute(MOVE.values(change), {"person_": person.id})
    return _page(run, connection, person_row(connection, person.id))
