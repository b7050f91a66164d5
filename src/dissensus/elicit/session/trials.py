"""Trials as pages: given one after the other, with what they show and what comes next to be loaded early."""

from __future__ import annotations

import json
import secrets
from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import Connection, Row

from dissensus.elicit.database import schema
from dissensus.elicit.database.store import now, record_event
from dissensus.elicit.media import media_address
from dissensus.elicit.running import Running
from dissensus.elicit.session import protocol
from dissensus.elicit.session.draws import draw
from dissensus.elicit.session.saved_answers import Given
from dissensus.elicit.survey.items import units_per_person

GIVEN = (
    sa.select(
        schema.trials.c.id,
        schema.trials.c.unit,
        schema.trials.c.kind,
        schema.answers.c.received,
        # What was shown is no longer needed once it is answered, except for the feedback on practice.
        sa.case((schema.answers.c.received.is_(None) | (schema.trials.c.kind == "practice"), schema.trials.c.shown)),
    )
    .select_from(schema.trials.outerjoin(schema.answers, schema.answers.c.trial == schema.trials.c.id))
    .where(schema.trials.c.person == sa.bindparam("person_"))
    .order_by(schema.trials.c.place)
)
GIVE = sa.insert(schema.trials)
SHOWN = sa.select(schema.trials).where(schema.trials.c.id == sa.bindparam("trial_"))
BREAK = sa.select(schema.pages.c.page).where(
    schema.pages.c.person == sa.bindparam("person_"), schema.pages.c.page == sa.bindparam("page_")
)
AHEAD = 1  # trials given beyond the one that is shown, so that their pictures are there in time


def given_to(connection: Connection, person: Row[Any]) -> list[Given]:
    """Every trial that the person was given, in their order."""
    return [Given(*row) for row in connection.execute(GIVEN, {"person_": person.id})]


def trial_page(
    run: Running, connection: Connection, person: Row[Any], given: list[Given], per_item: int
) -> dict[str, Any] | None:
    """The trial or break that this person is at; None when the stage is over."""
    waiting = [row for row in given if row.answered is None and _of_stage(row.kind, person.stage) and _there(run, row)]
    while len(waiting) <= AHEAD:
        new = _give(run, connection, person, given, per_item)
        if new is None:
            break
        given.append(new)
        waiting.append(new)
    if not waiting:
        return None
    history = [protocol.Trial(row.kind, row.unit, row.answered is not None) for row in given]
    rest = protocol.break_due(run.survey.protocol, history)
    if rest and not _broke(connection, person, rest):
        return {"page": f"break:{rest}", "stage": "break", **_progress(run, person, history)}
    return {
        **_shown(run, waiting[0]), **_progress(run, person, history),
        "preload": [part["src"] for row in waiting[1:] for part in _parts(run, row) if "src" in part],
    }  # fmt: skip


def shown_again(
    run: Running, connection: Connection, person: Row[Any], given: list[Given], trial_id: str
) -> dict[str, Any] | None:
    """An answered trial as it was shown; None where the survey no longer has what it is about."""
    trial = connection.execute(SHOWN, {"trial_": trial_id}).one()
    if not _there(run, trial):
        return None
    history = [protocol.Trial(row.kind, row.unit, row.answered is not None) for row in given]
    progress = _progress(run, person, history)
    return {**_shown(run, trial), **progress, "place": max(1, progress["place"] - 1)}


def after_trials(run: Running, connection: Connection, person: Row[Any]) -> dict[str, Any]:
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


def _give(run: Running, connection: Connection, person: Row[Any], given: list[Given], per_item: int) -> Given | None:
    """Give the person their next trial, written down before it is shown; None at the end of the stage."""
    survey, history = run.survey, [protocol.Trial(row.kind, row.unit, row.answered is not None) for row in given]
    kind: protocol.TrialKind | None
    unit: int | None
    if person.stage == "practice":
        done = sum(trial.kind == "practice" for trial in history)
        kind, unit = ("practice", None) if done < len(survey.practice) else (None, None)
        if kind:
            unit = _unit_of(run, survey.practice[done].item)
    else:
        kind = protocol.next_trial_kind(survey.protocol, history, len(survey.attention or {}))
        unit = None
        if kind == "main":
            main = sum(trial.kind == "main" for trial in history)
            late = now() - 60 * survey.protocol.hold_minutes
            unit = draw(connection, survey, person.id, person.seed, per_item, late=late, first=not main)
            if unit is None:  # nothing is left to draw: what remains are the repeats
                repeated = sum(trial.kind == "repeat" for trial in history)
                kind = "repeat" if main and repeated < min(survey.protocol.repeats, main) else None
        if kind == "attention":
            name = protocol.attention_order(survey, person.seed)[sum(trial.kind == "attention" for trial in history)]
            unit = _unit_of(run, name)
        if kind == "repeat":
            unit = protocol.repeat_of(history, person.seed)
            if any(name not in run.units.items for name in run.names[unit]):
                return None
    if kind is None or unit is None:
        return None
    shown = {
        "items": protocol.item_order(run.names[unit], survey.kind.in_place, person.seed, len(given)),
        "classes": protocol.class_order(survey, person.seed),
    }
    about = [run.units.items[name].about for name in shown["items"]]
    if any(about):
        shown["about"] = tuple(about)
    row = {
        "id": secrets.token_hex(12), "person": person.id, "place": len(given), "unit": unit, "kind": kind,
        "shown": json.dumps(shown), "drawn": now(), "held": kind == "main",
    }  # fmt: skip
    connection.execute(GIVE, row)
    return Given(str(row["id"]), unit, kind, None, str(row["shown"]))


def _there(run: Running, trial: Given | Row[Any]) -> bool:
    """Whether the survey still has what the trial is about; a researcher may take items out while people answer."""
    return all(name in run.units.items for name in run.names[trial.unit])


def _unit_of(run: Running, item: str) -> int:
    return next(unit for unit, names in run.names.items() if names == (item,))


def _shown(run: Running, trial: Any) -> dict[str, Any]:
    question, shown = run.survey.question, json.loads(trial.shown)
    asked = {"kind": question.kind, "prompt": question.prompt, "classes": shown["classes"]}
    return {
        "page": f"trial:{trial.id}",
        "stage": "practice" if trial.kind == "practice" else "trial",
        "question": {**asked, "options": dict(question.options), "texts": dict(question.texts)},
        "stimuli": [_stimulus(run, name) for name in shown["items"]],
    }


def _stimulus(run: Running, name: str) -> dict[str, Any]:
    item = run.units.items[name]
    return {"about": item.about, "likely": list(item.likely), "parts": _item_parts(run, name)}


def _parts(run: Running, trial: Any) -> list[dict[str, str]]:
    return [part for name in json.loads(trial.shown)["items"] for part in _item_parts(run, name)]


def _item_parts(run: Running, name: str) -> list[dict[str, str]]:
    """Parts as a client shows them; files have addresses that say nothing, so no path can be asked for."""
    parts = []
    for i, part in enumerate(run.units.items[name].parts):
        if part.medium == "text":
            parts.append({"kind": "text", "heading": part.heading, "text": part.content})
        else:
            parts.append({"kind": part.medium, "src": media_address(run.secret, name, i)})
    return parts


def _progress(run: Running, person: Row[Any], history: list[protocol.Trial]) -> dict[str, int]:
    if person.stage == "practice":
        done = sum(trial.kind == "practice" and trial.answered for trial in history)
        return {"place": done + 1, "of": len(run.survey.practice)}
    done = sum(trial.kind != "practice" and trial.answered for trial in history)
    settings, each = run.survey.protocol, units_per_person(run.survey, run.units)
    every = settings.attention_every
    checks = min(len(run.survey.attention or {}), each // every) if every else 0
    whole = each + checks + min(settings.repeats, each)
    return {"place": done + 1, "of": max(whole, done + 1)}


def _broke(connection: Connection, person: Row[Any], rest: int) -> bool:
    return connection.scalar(BREAK, {"person_": person.id, "page_": f"break:{rest}"}) is not None


def _of_stage(kind: str, stage: str) -> bool:
    return (kind == "practice") == (stage == "practice")
