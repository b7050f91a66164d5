"""How a study stands: progress, cost, time left, what people dispute, and who answers how."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import numpy as np
import sqlalchemy as sa

from dissensus.elicit import tables
from dissensus.elicit.export import answer_rows, labels_of
from dissensus.elicit.media import media_address
from dissensus.elicit.session import Running
from dissensus.elicit.store import now, setting

ACTIVE = 30 * 60  # seconds since the last sign of somebody who is still at it
RECENT = 600  # seconds over which the pace is measured
FAST = 1 / 3  # a median time below this share of everybody's median is flagged


def status_of(run: Running) -> dict[str, Any]:
    """Progress, people, cost and time left, as numbers that a page or a terminal can print."""
    with run.store.reading() as connection:
        per_item = int(setting(connection, "per_item", str(run.study.protocol.per_item)))
        stages: dict[str, int] = dict(
            connection.execute(sa.select(tables.people.c.stage, sa.func.count()).group_by(tables.people.c.stage)).all()
        )
        units = connection.execute(
            sa.select(tables.units.c.answered, tables.units.c.priority).where(tables.units.c.main)
        ).all()
        active = connection.scalar(
            sa.select(sa.func.count()).select_from(tables.people)
            .where(tables.people.c.seen > now() - ACTIVE, tables.people.c.finished.is_(None))
        )  # fmt: skip
        state = setting(connection, "state", "open")
        recent = connection.scalar(
            sa.select(sa.func.count())
            .select_from(tables.answers)
            .where(tables.answers.c.received > now() - RECENT, tables.answers.c.kind == "main")
        )
        excluded = connection.scalar(
            sa.select(sa.func.count()).select_from(tables.people).where(tables.people.c.excluded.is_not(None))
        )
        seconds = [s for (s,) in connection.execute(_main_seconds()) if s is not None]
    # An item may get more than it needs, when somebody answers late; such answers are no progress. A unit whose
    # priority is below 0 needs no more than it has.
    needs = [answered if priority < 0 else per_item for answered, priority in units]
    wanted, answered = sum(needs), sum(row.answered for row in units)
    left = sum(max(0, need - row.answered) for need, row in zip(needs, units, strict=True))
    rate = (recent or 0) / RECENT
    finished = stages.get("done", 0)
    return {
        "title": run.study.title, "state": state, "units": len(units), "per_item": per_item,
        "answers": answered, "wanted": wanted, "share": 1 - left / wanted if wanted else 1.0,
        "people": sum(stages.values()), "stages": stages, "active": active or 0, "excluded": excluded or 0,
        "median_seconds": float(np.median(seconds)) if seconds else None,
        "answers_per_minute": 60 * rate,
        "seconds_left": left / rate if rate and left else None,
        "cost": finished * run.study.people.pay_per_person, "currency": run.study.people.currency,
    }  # fmt: skip


def disputed(run: Running, count: int = 12, answers: list[dict[str, Any]] | None = None) -> list[dict[str, Any]]:
    """The items that people disagree on most, with what they said; empty where there are no labels yet."""
    from dissensus.aggregate.building import build
    from dissensus.labels.distances import entropy

    try:
        labels = labels_of(run, answers=answers)
        _, found = build(labels)
    except ValueError:
        return []
    spread = entropy(found.probs) / max(np.log(found.n_classes), 1e-12)
    per_item = dict(zip(labels.items.tolist(), labels.per_item.tolist(), strict=True))
    rows = []
    for i in np.argsort(-spread, kind="stable")[:count]:
        order = np.argsort(-found.probs[i], kind="stable")[:4]
        shares = [[found.classes[j], float(found.probs[i, j])] for j in order if found.probs[i, j] > 0.005]
        name = found.items[i].item() if hasattr(found.items[i], "item") else found.items[i]
        rows.append({
            "item": str(name), "entropy": float(spread[i]), "answers": per_item[name], "shares": shares,
            "picture": _picture(run, str(name)),
        })  # fmt: skip
    return rows


def _picture(run: Running, name: str) -> str | None:
    """Where the page finds the item's picture, if it has one."""
    parts = run.units.items[name].parts if name in run.units.items else ()
    return next((media_address(run.secret, name, i) for i, part in enumerate(parts) if part.kind == "image"), None)


def annotator_rows(run: Running, answers: list[dict[str, Any]] | None = None) -> list[dict[str, Any]]:
    """Everybody with their answers, times, checks and repeats, and what is odd about them: flags, not verdicts."""
    table = answer_rows(run) if answers is None else answers
    people = _people(run)
    everybody = [row["seconds"] for row in table if row["kind"] == "main" and row["seconds"] is not None]
    usual = float(np.median(everybody)) if everybody else None
    agreement = _agreement(run, table)
    by_person: dict[str, list[dict[str, Any]]] = {who: [] for who in people}
    for answer in table:
        if answer["annotator"] in by_person:  # or they were forgotten a moment ago
            by_person[answer["annotator"]].append(answer)
    rows = []
    for who, mine in by_person.items():
        person = people[who]
        main = [row for row in mine if row["kind"] == "main"]
        times = [row["seconds"] for row in main if row["seconds"] is not None]
        checks = [_right(run, row) for row in mine if row["kind"] == "attention"]
        row: dict[str, Any] = {
            "id": person["id"], "annotator": who, "stage": person["stage"], "answers": len(main),
            "median_seconds": float(np.median(times)) if times else None,
            "agreement": agreement.get(who), "checks": len(checks), "checks_right": sum(checks),
            "repeats": sum(row["kind"] == "repeat" for row in mine), "repeats_same": _same(mine),
            "away_seconds": sum(row["away_seconds"] or 0.0 for row in main),
            "excluded": person["excluded"], "why": person["why"],
        }  # fmt: skip
        rows.append({**row, "flags": list(_flags(row, usual))})
    return sorted(rows, key=lambda row: (-len(row["flags"]), -row["answers"]))


def _flags(row: dict[str, Any], usual: float | None) -> Iterator[str]:
    if row["checks"] and row["checks_right"] < 0.75 * row["checks"]:
        yield f"{row['checks_right']} of {row['checks']} attention checks right"
    if usual and row["median_seconds"] is not None and row["median_seconds"] < FAST * usual:
        yield "much faster than others"
    if row["repeats"] and row["repeats_same"] < 0.5 * row["repeats"]:
        yield "changes answers when asked again"
    if row["agreement"] is not None and row["answers"] >= 5 and row["agreement"] < 0.2:
        yield "seldom agrees with anybody"


def _main_seconds() -> sa.Select[Any]:
    return sa.select(tables.answers.c.seconds).where(tables.answers.c.kind == "main")


def _people(run: Running) -> dict[str, dict[str, Any]]:
    wanted = sa.select(
        tables.people.c.id,
        tables.people.c.person,
        tables.people.c.stage,
        tables.people.c.excluded,
        tables.people.c.excluded_why,
    )
    with run.store.reading() as connection:
        return {
            row.person: {
                "id": row.id,
                "stage": row.stage,
                "excluded": row.excluded is not None,
                "why": row.excluded_why,
            }
            for row in connection.execute(wanted)
        }


def _agreement(run: Running, table: list[dict[str, Any]]) -> dict[str, float | None]:
    """How often a random other person chose the same, by annotator; empty where answers are no labels."""
    from dissensus.labels.summary import agreement_with_others
    from dissensus.labels.votes import Votes

    try:
        labels = labels_of(run, with_excluded=True, answers=table)
    except ValueError:
        return {}
    votes = labels if isinstance(labels, Votes) else labels.first_choices()
    found = agreement_with_others(votes)
    _, annotators = votes.identified("agreement")
    return {str(n): None if np.isnan(v) else float(v) for n, v in zip(annotators, found, strict=True)}


def first_of(answer: dict[str, Any]) -> Any:
    """The class that an answer puts first, or its number."""
    if "values" in answer or "percents" in answer or "tokens" in answer:
        parts = next(iter(answer.values()))
        return max(parts, key=lambda name: parts[name])
    return next(iter(answer.values()))


def _right(run: Running, row: dict[str, Any]) -> bool:
    return bool(first_of(json.loads(row["answer"])) == (run.study.attention or {}).get(row["item"]))


def _same(mine: list[dict[str, Any]]) -> int:
    """Repeated answers whose first choice is the one given before."""
    before = {row["item"]: first_of(json.loads(row["answer"])) for row in mine if row["kind"] == "main"}
    again = [row for row in mine if row["kind"] == "repeat"]
    return sum(first_of(json.loads(row["answer"])) == before.get(row["item"]) for row in again)
