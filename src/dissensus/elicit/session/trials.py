"""Trials as pages: their stimuli, and the media of the next trial for preloading."""

from __future__ import annotations

import json
import secrets
from typing import Any, Literal

import sqlalchemy as sa
from sqlalchemy.engine import Connection, Row

from dissensus.elicit.database import schema
from dissensus.elicit.database.shared_transaction import defer, rows_of
from dissensus.elicit.database.store import now, record_event
from dissensus.elicit.media import media_address
from dissensus.elicit.session import protocol
from dissensus.elicit.session.draws import draw, give_back, hold_again
from dissensus.elicit.session.offers import Upcoming
from dissensus.elicit.session.saved_answers import GivenTrial
from dissensus.elicit.session.second_holders import has_missing_answers
from dissensus.elicit.survey.extra_trials import unit_key
from dissensus.elicit.survey.items import units_per_person
from dissensus.elicit.survey_run import SurveyRun

GIVEN = (
    sa.select(
        schema.trials.c.person.label("whose"),
        schema.trials.c.id,
        schema.trials.c.unit,
        schema.trials.c.kind,
        schema.answers.c.received,
        # After the answer, only practice trials still need what was shown, for their feedback.
        sa.case((schema.answers.c.received.is_(None) | (schema.trials.c.kind == "practice"), schema.trials.c.shown)),
        schema.trials.c.held,
        schema.trials.c.drawn,
    )
    .select_from(schema.trials.outerjoin(schema.answers, schema.answers.c.trial == schema.trials.c.id))
    .where(schema.trials.c.person.in_(sa.bindparam("people_", expanding=True)))
    .order_by(schema.trials.c.place)
)
GIVE = sa.insert(schema.trials)
SHOWN = sa.select(schema.trials).where(schema.trials.c.id == sa.bindparam("trial_"))
BREAK = sa.select(schema.pages.c.page).where(
    schema.pages.c.person == sa.bindparam("person_"), schema.pages.c.page == sa.bindparam("page_")
)
WAITING: Literal["waiting"] = "waiting"  # the page of a person if all missing answers are held by others


def find_trials(connection: Connection, person: Row[Any]) -> list[GivenTrial]:
    """Return all trials of a person in order."""
    return [GivenTrial._make(row[1:]) for row in rows_of(connection, GIVEN, person.id)]


def trial_page(
    run: SurveyRun, connection: Connection, person: Row[Any], given: list[GivenTrial], per_item: int
) -> dict[str, Any] | None:
    """Return the current trial, break or waiting page of a person; None if the stage is over."""
    open_trials = (row for row in given if row.answered is None and _is_of_stage(row.kind, person.stage))
    shown = next((row for row in open_trials if _is_in_survey(run, row)), None)
    history = [protocol.Trial(row.kind, row.unit, row.answered is not None) for row in given]
    number = protocol.break_due(run.survey.protocol, history)
    # During a break nothing is held. There is no break if nothing would follow.
    if (
        number
        and not _had_break(connection, person, number)
        and (shown is not None or has_missing_answers(connection, run.survey, person.id, per_item))
    ):
        return {"page": f"break:{number}", "stage": "break", **_progress(run, person, history)}
    if shown is None:
        new = _give(run, connection, person, given, per_item)
        if new is None:
            return None
        if new == WAITING:
            answered = sum(trial.kind == "main" and trial.answered for trial in history)
            page = f"{WAITING}:{len(given)}:{person.attempts}"  # every wait has its own name
            return {"page": page, "stage": WAITING, "answered": answered}
        shown = new
        given.append(shown)
        history.append(protocol.Trial(shown.kind, shown.unit, False))
    elif shown.kind == "main" and not shown.held and person.excluded is None:
        hold_again(connection, shown.id, shown.unit)
    return {
        **_trial_content(run, shown),
        **_progress(run, person, history),
        "preload": _pictures(run, _upcoming_unit(run, person, history, shown)),
    }


def reopened_trial(
    run: SurveyRun, connection: Connection, person: Row[Any], given: list[GivenTrial], trial_id: str
) -> dict[str, Any] | None:
    """Return an answered trial as it was shown; None if the survey no longer has its items."""
    trial = connection.execute(SHOWN, {"trial_": trial_id}).one()
    if not _is_in_survey(run, trial):
        return None
    history = [protocol.Trial(row.kind, row.unit, row.answered is not None) for row in given]
    before = history[: next(i for i, row in enumerate(given) if row.id == trial_id)]
    place = _progress(run, person, before)["place"]
    return {**_trial_content(run, trial), **_progress(run, person, history), "place": place}


def after_trials(run: SurveyRun, connection: Connection, person: Row[Any]) -> dict[str, Any]:
    """Return the change to a person's row after their last trial: the next stage, or "full" if they got none."""
    if person.stage == "trials":
        had = sa.select(sa.func.count()).select_from(schema.answers).where(schema.answers.c.person == person.id)
        if not connection.scalar(had.where(schema.answers.c.kind == "main")):
            record_event(connection, "full", person.id)
            return {"stage": "full", "finished": now()}
    stage = protocol.stage_after(run.survey, person.stage)
    if stage == "done":
        record_event(connection, "done", person.id)
        return {"stage": stage, "place": 0, "finished": now()}
    return {"stage": stage, "place": 0}


def stop_waiting(run: SurveyRun, connection: Connection, person: Row[Any]) -> dict[str, Any]:
    """Return the change to the row of a person who stops waiting."""
    record_event(connection, "stopped waiting", person.id)
    return after_trials(run, connection, person)


def _give(
    run: SurveyRun, connection: Connection, person: Row[Any], given: list[GivenTrial], per_item: int
) -> GivenTrial | Literal["waiting"] | None:
    """Give the person their next trial, stored before it is shown; None at the end of the stage."""
    survey, history = run.survey, [protocol.Trial(row.kind, row.unit, row.answered is not None) for row in given]
    kind, unit = _plan_next(run, person, history)
    upcoming = None
    if kind == "main":
        main = sum(trial.kind == "main" for trial in history)
        drawn = draw(
            connection,
            survey,
            person.id,
            person.seed,
            per_item,
            had={row.unit for row in given},
            late=now() - 60 * survey.protocol.hold_minutes,
            first=not main,
            announced=_read_upcoming(given[-1]) if given else None,
        )
        if drawn is not None:
            unit, upcoming = drawn
        elif has_missing_answers(connection, survey, person.id, per_item):
            return WAITING
        else:  # nothing is left to draw, only the repeats remain
            repeated = sum(trial.kind == "repeat" for trial in history)
            kind = "repeat" if main and repeated < min(survey.protocol.repeats, main) else None
            unit = protocol.repeat_of(history, person.seed) if kind else None
    if kind is None or unit is None:
        return None
    if kind == "repeat" and any(name not in run.units.items for name in run.names[unit]):
        return None
    shown: dict[str, Any] = {
        "items": protocol.item_order(run.names[unit], survey.kind.in_place, person.seed, len(given)),
        "classes": protocol.class_order(survey, person.seed),
    }
    about = [run.units.items[name].about for name in shown["items"]]
    if any(about):
        shown["about"] = tuple(about)
    if upcoming is not None:
        shown["next"] = upcoming
    row = {
        "id": secrets.token_hex(12),
        "person": person.id,
        "place": len(given),
        "unit": unit,
        "kind": kind,
        "shown": json.dumps(shown),
        "drawn": now(),
        "held": kind == "main",
    }
    defer(connection, GIVE, row)
    held = kind == "main"
    if held and person.excluded is not None:  # an excluded person must not keep a unit from others
        give_back(connection, str(row["id"]), unit)
        held = False
    return GivenTrial(str(row["id"]), unit, kind, None, str(row["shown"]), held, float(row["drawn"]))


def _plan_next(
    run: SurveyRun, person: Row[Any], history: list[protocol.Trial]
) -> tuple[protocol.TrialKind | None, int | None]:
    """The kind of the next trial, and its unit if it is not drawn."""
    survey, kinds = run.survey, [trial.kind for trial in history]
    if person.stage == "practice":
        done = kinds.count("practice")
        return ("practice", _unit_of(run, survey.practice[done].items)) if done < len(survey.practice) else (None, None)
    kind = protocol.next_trial_kind(survey.protocol, history, len(survey.attention))
    if kind == "attention":
        return kind, _unit_of(run, protocol.attention_order(survey, person.seed)[kinds.count("attention")].items)
    return kind, protocol.repeat_of(history, person.seed) if kind == "repeat" else None


def _upcoming_unit(run: SurveyRun, person: Row[Any], history: list[protocol.Trial], shown: GivenTrial) -> int | None:
    """The unit that probably follows the one shown. It is not held, so someone else may get it."""
    kind, unit = _plan_next(run, person, history)
    announced = _read_upcoming(shown)
    return announced.unit if kind == "main" and announced is not None else unit


def _read_upcoming(trial: GivenTrial) -> Upcoming | None:
    """The unit that was announced with this trial."""
    announced = json.loads(trial.shown).get("next") if trial.shown else None
    return None if announced is None else Upcoming(*announced)


def _is_in_survey(run: SurveyRun, trial: GivenTrial | Row[Any]) -> bool:
    """Whether the survey still has the items of a trial; a researcher may remove items while people answer."""
    names = run.names[trial.unit]
    return len(names) == run.survey.shows and all(name in run.units.items for name in names)


def _unit_of(run: SurveyRun, items: tuple[str, ...]) -> int:
    return run.unit_of[unit_key(items, run.survey.kind.in_place)]


def _trial_content(run: SurveyRun, trial: Any) -> dict[str, Any]:
    question, shown = run.survey.question, json.loads(trial.shown)
    asked = {"kind": question.kind, "prompt": question.prompt, "classes": shown["classes"]}
    return {
        "page": f"trial:{trial.id}",
        "stage": "practice" if trial.kind == "practice" else "trial",
        "question": {**asked, "options": dict(question.options), "texts": dict(question.texts)},
        "stimuli": [_stimulus(run, name) for name in shown["items"]],
    }


def _stimulus(run: SurveyRun, name: str) -> dict[str, Any]:
    item = run.units.items[name]
    return {"about": item.about, "likely": list(item.likely), "parts": _item_parts(run, name)}


def _pictures(run: SurveyRun, unit: int | None) -> list[str]:
    names = [] if unit is None else [name for name in run.names.get(unit, ()) if name in run.units.items]
    return [part["src"] for name in names for part in _item_parts(run, name) if "src" in part]


def _item_parts(run: SurveyRun, name: str) -> list[dict[str, str]]:
    """The parts of an item as a page shows them; media have opaque addresses instead of paths."""
    parts = []
    for i, part in enumerate(run.units.items[name].parts):
        if part.medium == "text":
            parts.append({"kind": "text", "heading": part.heading, "text": part.content})
        else:
            parts.append({"kind": part.medium, "src": media_address(run.secret, name, i)})
    return parts


def _progress(run: SurveyRun, person: Row[Any], history: list[protocol.Trial]) -> dict[str, int]:
    if person.stage == "practice":
        done = sum(trial.kind == "practice" and trial.answered for trial in history)
        return {"place": done + 1, "of": len(run.survey.practice)}
    done = sum(trial.kind != "practice" and trial.answered for trial in history)
    settings, each = run.survey.protocol, units_per_person(run.survey, run.units)
    every = settings.attention_every
    checks = min(len(run.survey.attention), each // every) if every else 0
    whole = each + checks + min(settings.repeats, each)
    return {"place": done + 1, "of": max(whole, done + 1)}


def _had_break(connection: Connection, person: Row[Any], number: int) -> bool:
    return connection.scalar(BREAK, {"person_": person.id, "page_": f"break:{number}"}) is not None


def _is_of_stage(kind: str, stage: str) -> bool:
    return (kind == "practice") == (stage == "practice")
