"""The progress of a survey: answers, people, cost, time left, and the stage that each person reached."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from dissensus.elicit.dashboard.overrides import list_overrides
from dissensus.elicit.dashboard.watch import Watch, read_now, read_units
from dissensus.elicit.database.store import now, setting
from dissensus.elicit.session import protocol
from dissensus.elicit.survey.item_batches import answers_wanted, read_batches
from dissensus.elicit.survey_run import SurveyRun

ACTIVE = 30 * 60  # seconds: a person without a request for longer than this has left
RECENT = 600  # seconds over which the rate of answers is measured
SPANS = (10, 60, 300, 900, 3600, 3 * 3600, 6 * 3600, 24 * 3600, 7 * 24 * 3600)  # widths of a timeline bar, seconds
BARS = 48


def survey_status(run: SurveyRun, watch: Watch | None = None) -> dict[str, Any]:
    """Report the progress, people, cost and time left of a survey.

    Parameters
    ----------
    run : an open survey, from `open_survey`
    watch : the answers so far, to reuse them; by default they are read from the database

    Returns
    -------
    title, state ("open" or "stopped"), units, per_item, answers, wanted, share (of the wanted answers), surplus
    (answers beyond those wanted), overridden (settings changed on the dashboard), people, stages (people by stage),
    active, excluded, median_seconds (per answer), answers_per_minute (last ten minutes), seconds_left, cost and
    currency

    Examples
    --------
    >>> from dissensus.elicit.rehearsal.example import example_run
    >>> with example_run() as run:
    ...     status = survey_status(run)
    >>> status["answers"], status["wanted"], status["stages"]
    (4, 4, {'done': 2})
    """
    watch = watch or read_now(run)
    with run.store.reader() as connection:
        per_item = int(setting(connection, "per_item", str(run.survey.protocol.per_item)))
        state = setting(connection, "state", "open")
        overridden = list_overrides(connection, run.survey)
    stages: dict[str, int] = {}
    for person in watch.people.values():
        stages[person.stage] = stages.get(person.stage, 0) + 1
    columns = watch.columns()
    main = columns["kind"] == 0
    received, seconds = columns["received"][main], columns["seconds"][main]
    answered, needed = _answer_counts(run, watch.units, per_item)
    # Answers beyond those needed are not progress. They occur if a place was given twice or an answer came late.
    left, wanted = int(np.maximum(0, needed - answered).sum()), int(needed.sum())
    rate = int((received > now() - RECENT).sum()) / RECENT
    seconds_left = left / rate if rate and left else None
    return {
        "title": run.survey.title,
        "state": state,
        "units": len(answered),
        "per_item": per_item,
        "answers": int(answered.sum()),
        "wanted": wanted,
        "share": 1 - left / wanted if wanted else 1.0,
        "surplus": int(np.maximum(0, answered - needed).sum()),
        "overridden": overridden,
        "people": len(watch.people),
        "stages": stages,
        "active": sum(_is_active(person) for person in watch.people.values()),
        "excluded": sum(person.excluded is not None for person in watch.people.values()),
        "median_seconds": None if np.isnan(seconds).all() else float(np.nanmedian(seconds)),
        "answers_per_minute": 60 * rate,
        "seconds_left": seconds_left,
        "cost": stages.get("done", 0) * run.survey.people.pay_per_person,
        "currency": run.survey.people.currency,
    }


def count_surplus(run: SurveyRun) -> tuple[int, int]:
    """Count the answers beyond those wanted, and the answers wanted, without reading the answers themselves."""
    with run.store.reader() as connection:
        per_item = int(setting(connection, "per_item", str(run.survey.protocol.per_item)))
        answered, needed = _answer_counts(run, read_units(connection), per_item)
    return int(np.maximum(0, answered - needed).sum()), int(needed.sum())


def timeline(watch: Watch) -> dict[str, Any]:
    """Count main answers in equal spans of time since the first; the last span is not over yet.

    -> start (seconds since 1970), span (seconds), counts (answers in each span), now
    """
    columns = watch.columns()
    received = columns["received"][columns["kind"] == 0]
    if not received.size:
        return {"start": None, "span": SPANS[0], "counts": [], "now": now()}
    at = max(now(), float(received.max()))
    first = float(received.min())
    span = next((span for span in SPANS if (at - first) / span < BARS - 1), SPANS[-1])
    start = first - first % span
    counts = np.bincount(((received - start) // span).astype(np.int64), minlength=int((at - start) // span) + 1)
    return {"start": start, "span": span, "counts": counts.tolist(), "now": at}


def funnel(run: SurveyRun, watch: Watch) -> list[dict[str, Any]]:
    """Count the people who reached each step, and why those who did not continue stopped there.

    here  active within the last ACTIVE seconds; left  inactive for longer; ended  declined, failed or full
    """
    survey = run.survey
    steps = ["came"]
    steps += ["consented"] if survey.protocol.consent else []
    steps += ["passed the check"] if survey.comprehension else []
    steps += ["answered", "finished"]
    rows: list[dict[str, Any]] = [{"step": step, "people": 0, "here": 0, "left": 0, "ended": {}} for step in steps]
    columns = watch.columns()
    answered = set(np.unique(columns["person"][columns["kind"] == 0]).tolist())
    for who, person in watch.people.items():
        stage = _stage_index(person.stage)
        reached = {
            "came": True,
            "consented": stage > protocol.STAGES.index("consent"),
            "passed the check": stage > protocol.STAGES.index("comprehension"),
            "answered": watch.codes.get(who) in answered,
            "finished": person.stage == "done",
        }
        count = next((i for i, step in enumerate(steps) if not reached[step]), len(steps))
        for row in rows[:count]:
            row["people"] += 1
        last = rows[count - 1]
        if person.stage in protocol.ENDS:
            if person.stage != "done":
                last["ended"][person.stage] = last["ended"].get(person.stage, 0) + 1
        else:
            last["here" if _is_active(person) else "left"] += 1
    return rows


def _answer_counts(run: SurveyRun, units: Mapping[str, np.ndarray], per_item: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the answers that each main unit has, and those that it needs: (units,) each.

    A unit with a priority below 0 needs no more than it has. With batches, an item needs `per_item` answers for each
    batch that contains it, since a person answers a whole batch.
    """
    main, answered = units["main"].astype(bool), units["answered"]
    if run.survey.protocol.draw != "batches":
        needed = np.where(units["priority"] < 0, answered, per_item)
    else:
        wanted = answers_wanted(read_batches(run.survey.folder / run.survey.protocol.batches), per_item)
        needed = np.array([wanted.get(run.names.get(unit, ("",))[0], 0) for unit in units["id"].tolist()])
    return answered[main], needed[main]


def _is_active(person: Any) -> bool:
    return bool(person.finished is None and person.seen > now() - ACTIVE)


def _stage_index(stage: str) -> int:
    """The place in STAGES of a person's current or last stage."""
    return protocol.STAGES.index({"declined": "consent", "failed": "comprehension", "full": "trials"}.get(stage, stage))
