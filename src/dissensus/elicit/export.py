"""What a survey has collected: every raw answer as a table, and the labels that they make."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pyarrow as pa
import sqlalchemy as sa

from dissensus.elicit.database import schema
from dissensus.elicit.questions.answers_as_labels import labels_from
from dissensus.elicit.session.protocol import TrialKind
from dissensus.elicit.survey.extra_trials import passes_check
from dissensus.elicit.survey.settings import Survey
from dissensus.elicit.survey_run import SurveyRun, code_of
from dissensus.labels.beliefs import Beliefs
from dissensus.labels.names import encode
from dissensus.labels.votes import Votes

SCHEMA = pa.schema(
    [
        ("trial", pa.string()),
        ("annotator", pa.string()),
        ("kind", pa.string()),
        ("item", pa.string()),
        ("items", pa.list_(pa.string())),
        ("shown", pa.list_(pa.string())),
        ("classes_shown", pa.list_(pa.string())),
        ("about", pa.string()),
        ("place", pa.int32()),
        ("answer", pa.string()),
        ("passed", pa.bool_()),
        ("seconds", pa.float64()),
        ("touched_seconds", pa.float64()),
        ("away_seconds", pa.float64()),
        ("times", pa.string()),
        ("client", pa.float64()),
        ("received", pa.float64()),
        ("doubts", pa.string()),
        ("excluded", pa.bool_()),
        ("excluded_why", pa.string()),
        ("source", pa.string()),
        ("taken_back", pa.int32()),
        ("earlier", pa.string()),
    ]
)

PEOPLE = pa.schema(
    [
        ("annotator", pa.string()),
        ("stage", pa.string()),
        ("batch", pa.string()),
        ("started", pa.float64()),
        ("finished", pa.float64()),
        ("excluded", pa.bool_()),
        ("excluded_why", pa.string()),
        ("code", pa.string()),
        ("source", pa.string()),
        ("pages", pa.string()),
    ]
)


def answer_table(run: SurveyRun) -> pa.Table:
    """Every answer as it was given, one row per answer: trials of every kind, with all times.

    passed: whether an attention check was answered as expected, null for all other trials
    taken_back: how often the person took the answer back to give another
    earlier: what they had answered, a list of {answer, times, seconds, client, received, doubts, taken_back, replaced};
    an answer that was taken back and not replaced (null) is still the answer
    """
    return pa.Table.from_pylist(answer_rows(run), schema=SCHEMA)


def answer_rows(run: SurveyRun) -> list[dict[str, Any]]:
    """The rows of `answer_table`, in the order in which answers were received."""
    answers, trials, units, people = schema.answers, schema.trials, schema.units, schema.people
    joined = (
        answers.join(trials, trials.c.id == answers.c.trial)
        .join(units, units.c.id == answers.c.unit)
        .join(people, people.c.id == answers.c.person)
    )
    wanted = (
        sa.select(
            answers,
            units.c.names,
            trials.c.shown,
            trials.c.place,
            people.c.person.label("who"),
            people.c.excluded,
            people.c.excluded_why,
            people.c.source,
        )
        .select_from(joined)
        .order_by(answers.c.received, answers.c.trial)
    )
    earlier: dict[str, list[dict[str, Any]]] = {}
    with run.store.reader() as connection:
        for row in connection.execute(sa.select(schema.taken_back).order_by(schema.taken_back.c.number)):
            earlier.setdefault(row.trial, []).append(_earlier(row))
        return [_row(run.survey, row._mapping, earlier.get(row.trial, [])) for row in connection.execute(wanted)]


def people_table(run: SurveyRun) -> pa.Table:
    """Everybody who came, one row per person, with how far they got and what they said on pages other than trials.

    code: the code that they were shown at the end
    pages: an object of page and what was said there, such as the answers of the debriefing
    """
    people, pages = schema.people, schema.pages
    said: dict[str, dict[str, Any]] = {}
    with run.store.reader() as connection:
        for row in connection.execute(sa.select(pages).order_by(pages.c.received)):
            said.setdefault(row.person, {})[row.page] = json.loads(row.answer)
        everybody = connection.execute(sa.select(people).order_by(people.c.started, people.c.id)).all()
    rows = [
        {
            "annotator": row.person,
            "stage": row.stage,
            "batch": row.batch,
            "started": row.started,
            "finished": row.finished,
            "excluded": row.excluded is not None,
            "excluded_why": row.excluded_why,
            "code": code_of(run, row.id, row.stage) or None,
            "source": row.source,
            "pages": json.dumps(said.get(row.id, {})),
        }
        for row in everybody
    ]
    return pa.Table.from_pylist(rows, schema=PEOPLE)


def labels_of(
    run: SurveyRun, *, trial_kinds: tuple[TrialKind, ...] = ("main",), with_excluded: bool = False
) -> Votes | Beliefs:
    """The answers as votes or beliefs, without those of excluded people unless they are asked for.

    Repeated answers come with trial_kinds=("main", "repeat"). Similarities and triplets are not labels of items: take
    `answer_table`.
    """
    question, kind = run.survey.question, run.survey.kind
    if not kind.labels_items:
        raise ValueError(f"{question.kind} answers are {kind.gives}s, not labels of items; export them as raw answers")
    rows = [row for row in answer_rows(run) if row["kind"] in trial_kinds and (with_excluded or not row["excluded"])]
    if not rows:
        raise ValueError("there are no answers yet")
    item, items = encode(pa.array([row["item"] for row in rows]))
    annotator, annotators = encode(pa.array([row["annotator"] for row in rows]))
    about = [row["about"] or "" for row in rows]
    asked_about = {item.about for item in run.units.items.values()} | set(about)
    return labels_from(
        question,
        [json.loads(row["answer"]) for row in rows],
        about,
        question.classes or tuple(sorted(asked_about - {""})),
        item=item,
        items=items,
        annotator=annotator,
        annotators=annotators,
        seconds=np.array([np.nan if row["seconds"] is None else row["seconds"] for row in rows]),
    )


def _earlier(row: Any) -> dict[str, Any]:
    return {
        "answer": json.loads(row.answer),
        "times": json.loads(row.times),
        "seconds": row.seconds,
        "client": row.client,
        "received": row.received,
        "doubts": row.doubts,
        "taken_back": row.at,
        "replaced": row.replaced,
    }


def _row(survey: Survey, row: Any, earlier: list[dict[str, Any]]) -> dict[str, Any]:
    times, shown, names = (json.loads(row[name]) for name in ("times", "shown", "names"))
    attention = row["kind"] == "attention"
    touched, away = times.get("touched"), times.get("away", [])
    return {
        "trial": row["trial"],
        "annotator": row["who"],
        "kind": row["kind"],
        "item": " | ".join(names),
        "items": names,
        "shown": shown["items"],
        "classes_shown": shown["classes"],
        "about": next(iter(shown.get("about", [])), None),
        "place": row["place"],
        "answer": row["answer"],
        "seconds": row["seconds"],
        "passed": passes_check(survey.attention, survey.question, shown["items"], json.loads(row["answer"]))
        if attention
        else None,
        "touched_seconds": None if touched is None else touched / 1000,
        "away_seconds": sum(max(0.0, until - since) for since, until in away) / 1000,
        "times": row["times"],
        "client": row["client"],
        "received": row["received"],
        "doubts": row["doubts"],
        "excluded": row["excluded"] is not None,
        "excluded_why": row["excluded_why"],
        "source": row["source"],
        "taken_back": len(earlier),
        "earlier": json.dumps(earlier),
    }
