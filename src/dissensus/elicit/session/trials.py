"""Trials as pages: given one after the other, with what they show and what probably comes next, to be loaded early."""

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
        # What was shown is no longer needed once it is answered, except for the feedback on practice.
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
WAITING: Literal["waiting"] = "waiting"  # the page of somebody for whom nothing is free while answers are still missing


def given_to(connection: Connection, person: Row[Any]) -> list[GivenTrial]:
    """Every trial that the person was given, in their order."""
    return [GivenTrial._make(row[1:]) for row in rows_of(connection, GIVEN, person.id)]


def trial_page(
    run: SurveyRun, connection: Connection, person: Row[Any], given: list[GivenTrial], per_item: int
) -> dict[str, Any] | None:
    """The trial or break that this person is at, or a page to wait at; None when the stage is over."""
    open_trials = (row for row in given if row.answered is None and _is_of_stage(row.kind, person.stage))
    shown = next((row for row in open_trials if _is_in_survey(run, row)), None)
    history = [protocol.Trial(row.kind, row.unit, row.answered is not None) for row in given]
    rest = protocol.break_due(run.survey.protocol, history)
    # Nothing is held during a break, and nobody is sent into one after which nothing comes.
    if (
        rest
        and not _had_break(connection, person, rest)
        and (shown is not None or has_missing_answers(connection, run.survey, person.id, per_item))
    ):
        return {"page": f"break:{rest}", "stage": "break", **_progress(run, person, history)}
    if shown is None:
        new = _give(run, connection, person, given, per_item)
        if new is None:
            return None
        if new == WAITING:
            answered = sum(trial.kind == "main" and trial.answered for trial in history)
            page = f"{WAITING}:{len(given)}:{person.attempts}"  # no two times that somebody waits have one name
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
    """An answered trial as it was shown; None where the survey no longer has what it is about."""
    trial = connection.execute(SHOWN, {"trial_": trial_id}).one()
    if not _is_in_survey(run, trial):
        return None
    history = [protocol.Trial(row.kind, row.unit, row.answered is not None) for row in given]
    before = history[: next(i for i, row in enumerate(given) if row.id == trial_id)]
    place = _progress(run, person, before)["place"]
    return {**_trial_content(run, trial), **_progress(run, person, history), "place": place}


def after_trials(run: SurveyRun, connection: Connection, person: Row[Any]) -> dict[str, Any]:
    """Where a person goes from a stage of trials that is over: on, or home when nothing was left for them."""
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
    """Where somebody goes who does not want to wait until something is free: on with what they have, or home."""
    record_event(connection, "stopped waiting", person.id)
    return after_trials(run, connection, person)


def _give(
    run: SurveyRun, connection: Connection, person: Row[Any], given: list[GivenTrial], per_item: int
) -> GivenTrial | Literal["waiting"] | None:
    """Give the person their next trial, written down before it is shown; None at the end of the stage."""
    survey, history = run.survey, [protocol.Trial(row.kind, row.unit, row.answered is not None) for row in given]
    kind, unit = _plan_next(run, person, history)
    following = None
    if kind == "main":
        main = sum(trial.kind == "main" for trial in history)
        late, expected = now() - 60 * survey.protocol.hold_minutes, _read_upcoming(given[-1]) if given else None
        had = {row.unit for row in given}
        drawn = draw(
            connection, survey, person.id, person.seed, per_item, had=had, late=late, first=not main, expected=expected
        )
        if drawn is not None:
            unit, following = drawn
        elif has_missing_answers(connection, survey, person.id, per_item):
            return WAITING
        else:  # nothing is left to draw: what remains are the repeats
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
    if following is not None:
        shown["next"] = following
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
    if held and person.excluded is not None:  # whose answers count for nothing keeps nothing from others
        give_back(connection, str(row["id"]), unit)
        held = False
    return GivenTrial(str(row["id"]), unit, kind, None, str(row["shown"]), held, float(row["drawn"]))


def _plan_next(
    run: SurveyRun, person: Row[Any], history: list[protocol.Trial]
) -> tuple[protocol.TrialKind | None, int | None]:
    """The kind of trial that comes next, and the unit where that is fixed; what is drawn has none yet."""
    survey, kinds = run.survey, [trial.kind for trial in history]
    if person.stage == "practice":
        done = kinds.count("practice")
        return ("practice", _unit_of(run, survey.practice[done].items)) if done < len(survey.practice) else (None, None)
    kind = protocol.next_trial_kind(survey.protocol, history, len(survey.attention))
    if kind == "attention":
        return kind, _unit_of(run, protocol.attention_order(survey, person.seed)[kinds.count("attention")].items)
    return kind, protocol.repeat_of(history, person.seed) if kind == "repeat" else None


def _upcoming_unit(run: SurveyRun, person: Row[Any], history: list[protocol.Trial], shown: GivenTrial) -> int | None:
    """The unit that probably follows on the one that is shown. It is not held: somebody else may get it."""
    kind, unit = _plan_next(run, person, history)
    told = _read_upcoming(shown)
    return told.unit if kind == "main" and told is not None else unit


def _read_upcoming(trial: GivenTrial) -> Upcoming | None:
    """What the person was told to expect after this trial."""
    following = json.loads(trial.shown).get("next") if trial.shown else None
    return None if following is None else Upcoming(*following)


def _is_in_survey(run: SurveyRun, trial: GivenTrial | Row[Any]) -> bool:
    """Whether the survey still has what the trial is about; a researcher may take items out while people answer."""
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
    """Parts as a client shows them; files have addresses that say nothing, so no path can be asked for."""
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


def _had_break(connection: Connection, person: Row[Any], rest: int) -> bool:
    return connection.scalar(BREAK, {"person_": person.id, "page_": f"break:{rest}"}) is not None


def _is_of_stage(kind: str, stage: str) -> bool:
    return (kind == "practice") == (stage == "practice")
