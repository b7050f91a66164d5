"""The answers of a survey: raw answers and people as tables, and the labels made from the answers."""

from __future__ import annotations

import json
from functools import lru_cache
from typing import Any

import numpy as np
import pyarrow as pa
import sqlalchemy as sa

from dissensus.elicit.database import schema
from dissensus.elicit.questions.answers_as_labels import labels_from
from dissensus.elicit.session.protocol import TrialKind
from dissensus.elicit.survey.extra_trials import passes_check
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
    """Return every raw answer with its times, one row per answer, oldest first.

    The table includes practice, attention checks, repeats and the answers of excluded people.

    Parameters
    ----------
    run : an open survey, from `open_survey`

    Returns
    -------
    table with the columns of `export.SCHEMA`. `passed` tells whether an attention check was passed (null for all other
    trials). `taken_back` counts how often the person reopened the answer. `earlier` is a JSON list of the answers given
    before, each with answer, times, seconds, client, received, doubts, taken_back and replaced. If `replaced` is null,
    the person did not give a new answer, and the old one still counts.

    Examples
    --------
    >>> from dissensus.elicit.rehearsal.example import example_run
    >>> with example_run() as run:
    ...     sorted(answer_table(run)["answer"].to_pylist())
    ['{"choice": "cat"}', '{"choice": "cat"}', '{"choice": "cat"}', '{"choice": "dog"}']
    """
    return pa.Table.from_pylist(answer_rows(run), schema=SCHEMA)


def answer_rows(run: SurveyRun) -> list[dict[str, Any]]:
    """Return the rows of `answer_table` as dicts."""
    answers, people = schema.answers, schema.people
    statement = _select(
        answers,
        schema.units.c.names,
        schema.trials.c.shown,
        schema.trials.c.place,
        people.c.person.label("annotator"),
        people.c.excluded,
        people.c.excluded_why,
        people.c.source,
    )
    earlier: dict[str, list[dict[str, Any]]] = {}
    with run.store.reader() as connection:
        for row in connection.execute(sa.select(schema.taken_back).order_by(schema.taken_back.c.number)):
            earlier.setdefault(row.trial, []).append(_earlier_answer(row))
        return [_answer_row(run, row, earlier.get(row.trial, [])) for row in connection.execute(statement)]


def people_table(run: SurveyRun) -> pa.Table:
    """Return everyone who started the survey, one row per person, in order of arrival.

    Parameters
    ----------
    run : an open survey, from `open_survey`

    Returns
    -------
    table with the columns of `export.PEOPLE`. `stage` is the last stage reached. `code` is the completion code that the
    person saw. `pages` is a JSON object with the answers on pages other than trials, such as the debriefing.

    Examples
    --------
    >>> from dissensus.elicit.rehearsal.example import example_run
    >>> with example_run() as run:
    ...     people_table(run)["stage"].to_pylist()
    ['done', 'done']
    """
    people, pages = schema.people, schema.pages
    page_answers: dict[str, dict[str, Any]] = {}
    with run.store.reader() as connection:
        for row in connection.execute(sa.select(pages).order_by(pages.c.received)):
            page_answers.setdefault(row.person, {})[row.page] = json.loads(row.answer)
        everyone = connection.execute(sa.select(people).order_by(people.c.started, people.c.id)).all()
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
            "pages": json.dumps(page_answers.get(row.id, {})),
        }
        for row in everyone
    ]
    return pa.Table.from_pylist(rows, schema=PEOPLE)


def labels_of(
    run: SurveyRun, *, trial_kinds: tuple[TrialKind, ...] = ("main",), with_excluded: bool = False
) -> Votes | Beliefs:
    """Return the answers of a survey as votes or beliefs, depending on the kind of question.

    Parameters
    ----------
    run : an open survey, from `open_survey`
    trial_kinds : the trials to include; ("main", "repeat") adds the repeated trials
    with_excluded : whether to include the answers of excluded people

    Returns
    -------
    one label per answer, with the seconds it took

    Raises
    ------
    ValueError
        if there are no answers, or if the answers compare items (similarity, triplet); use `answer_table` for those

    Examples
    --------
    >>> from dissensus.elicit.rehearsal.example import example_run
    >>> with example_run() as run:
    ...     labels_of(run).n_answers
    4
    """
    question, kind = run.survey.question, run.survey.kind
    if not kind.labels_items:
        raise ValueError(
            f"{question.kind} answers are {kind.gives}s, not labels of items; export the raw answers instead"
        )
    answers, people = schema.answers, schema.people
    statement = _select(
        answers.c.answer, answers.c.seconds, schema.units.c.names, schema.trials.c.shown, people.c.person
    )
    statement = statement.where(answers.c.kind.in_(trial_kinds))
    if not with_excluded:
        statement = statement.where(people.c.excluded.is_(None))
    with run.store.reader() as connection:
        rows = connection.execute(statement).all()
    if not rows:
        raise ValueError("no answers yet")
    item, items = encode(pa.array([_item_name(row.names) for row in rows]))
    annotator, annotators = encode(pa.array([row.person for row in rows]))
    about = [_about(json.loads(row.shown)) or "" if kind.about else "" for row in rows]
    classes = question.classes or tuple(sorted({*about, *(item.about for item in run.units.items.values())} - {""}))
    return labels_from(
        question,
        [json.loads(row.answer) for row in rows],
        about,
        classes,
        item=item,
        items=items,
        annotator=annotator,
        annotators=annotators,
        seconds=np.array([np.nan if row.seconds is None else row.seconds for row in rows]),
    )


def _select(*columns: Any) -> sa.Select[Any]:
    """Select these columns for every answer, with its trial, unit and person, oldest answer first."""
    answers, trials, units, people = schema.answers, schema.trials, schema.units, schema.people
    tables = (
        answers.join(trials, trials.c.id == answers.c.trial)
        .join(units, units.c.id == answers.c.unit)
        .join(people, people.c.id == answers.c.person)
    )
    return sa.select(*columns).select_from(tables).order_by(answers.c.received, answers.c.trial)


@lru_cache(maxsize=100_000)
def _item_names(names: str) -> tuple[str, ...]:
    return tuple(json.loads(names))


def _item_name(names: str) -> str:
    return " | ".join(_item_names(names))


def _about(shown: dict[str, Any]) -> str | None:
    """The class that the trial asked about."""
    return next(iter(shown.get("about", [])), None)


def _earlier_answer(row: Any) -> dict[str, Any]:
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


def _answer_row(run: SurveyRun, row: Any, earlier: list[dict[str, Any]]) -> dict[str, Any]:
    times, shown, survey = json.loads(row.times), json.loads(row.shown), run.survey
    touched, away = times.get("touched"), times.get("away", [])
    passed = None
    if row.kind == "attention":
        passed = passes_check(survey.attention, survey.question, shown["items"], json.loads(row.answer))
    return {
        "trial": row.trial,
        "annotator": row.annotator,
        "kind": row.kind,
        "item": _item_name(row.names),
        "items": list(_item_names(row.names)),
        "shown": shown["items"],
        "classes_shown": shown["classes"],
        "about": _about(shown),
        "place": row.place,
        "answer": row.answer,
        "passed": passed,
        "seconds": row.seconds,
        "touched_seconds": None if touched is None else touched / 1000,
        "away_seconds": sum(max(0.0, until - since) for since, until in away) / 1000,
        "times": row.times,
        "client": row.client,
        "received": row.received,
        "doubts": row.doubts,
        "excluded": row.excluded is not None,
        "excluded_why": row.excluded_why,
        "source": row.source,
        "taken_back": len(earlier),
        "earlier": json.dumps(earlier),
    }
