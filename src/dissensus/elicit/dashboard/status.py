"""How a survey stands: progress, cost, time left, and who got how far."""

from __future__ import annotations

from typing import Any

import numpy as np

from dissensus.elicit.dashboard.overrides import list_overrides
from dissensus.elicit.dashboard.watch import Watch, read_now
from dissensus.elicit.database.store import now, setting
from dissensus.elicit.session import protocol
from dissensus.elicit.survey.item_batches import answers_wanted, read_batches
from dissensus.elicit.survey_run import SurveyRun

ACTIVE = 30 * 60  # seconds since the last sign of somebody who is still answering
RECENT = 600  # seconds over which the pace is measured
SPANS = (10, 60, 300, 900, 3600, 3 * 3600, 6 * 3600, 24 * 3600, 7 * 24 * 3600)  # seconds of one bar of the timeline
BARS = 48


def survey_status(run: SurveyRun, watch: Watch | None = None) -> dict[str, Any]:
    """Progress, people, cost and time left, as numbers that a page or a terminal can print."""
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
    asked = watch.units["main"].astype(bool)
    answered, needs = watch.units["answered"][asked], _answers_needed(run, watch, per_item)[asked]
    # An item may get more than it needs, when a place was given twice or somebody answers late; that is no progress.
    left, wanted = int(np.maximum(0, needs - answered).sum()), int(needs.sum())
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
        "surplus": int(np.maximum(0, answered - needs).sum()),
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


def timeline(watch: Watch) -> dict[str, Any]:
    """Main answers in equal spans of time since the first, the last span not over yet.

    start  seconds since 1970; span  seconds of each; counts  answers in each
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
    """How many got how far; where somebody's way ended, they are counted under `ended`, `here` or `left` of that step.

    here  at it within the last ACTIVE seconds; left  without a sign for longer; ended  by how: declined, failed, full
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
        reached = _stage_index(person.stage)
        has = {
            "came": True,
            "consented": reached > protocol.STAGES.index("consent"),
            "passed the check": reached > protocol.STAGES.index("comprehension"),
            "answered": watch.codes.get(who) in answered,
            "finished": person.stage == "done",
        }
        got = next((i for i, step in enumerate(steps) if not has[step]), len(steps))
        for row in rows[:got]:
            row["people"] += 1
        last = rows[got - 1]
        if person.stage in protocol.ENDS:
            if person.stage != "done":
                last["ended"][person.stage] = last["ended"].get(person.stage, 0) + 1
        else:
            last["here" if _is_active(person) else "left"] += 1
    return rows


def _answers_needed(run: SurveyRun, watch: Watch, per_item: int) -> np.ndarray:
    """Answers that each unit is to get. One whose priority is below 0 needs no more than it has.  (units,)

    A batch is taken whole by one person after the other, so an item is wanted as often as it is in batches.
    """
    answered = watch.units["answered"]
    if run.survey.protocol.draw != "batches":
        return np.where(watch.units["priority"] < 0, answered, per_item)
    wanted = answers_wanted(read_batches(run.survey.folder / run.survey.protocol.batches), per_item)
    return np.array([wanted.get(run.names.get(unit, ("",))[0], 0) for unit in watch.units["id"].tolist()])


def _is_active(person: Any) -> bool:
    return bool(person.finished is None and person.seen > now() - ACTIVE)


def _stage_index(stage: str) -> int:
    """The place in STAGES of the stage at which somebody is, or at which their way ended."""
    return protocol.STAGES.index({"declined": "consent", "failed": "comprehension", "full": "trials"}.get(stage, stage))
