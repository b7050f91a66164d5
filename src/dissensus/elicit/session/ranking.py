"""Ranking of items by the value of one more answer, updated while a survey runs."""

from __future__ import annotations

import asyncio
import json
import logging
import secrets
import time
from typing import Any

import numpy as np
import sqlalchemy as sa
from starlette.concurrency import run_in_threadpool

from dissensus.elicit.database import schema
from dissensus.elicit.database.store import now, set_setting, setting
from dissensus.elicit.questions.answers_as_labels import class_codes
from dissensus.elicit.survey_run import SurveyRun

EVERY = 2.0  # seconds between checks for new answers
SLOWEST = 20.0  # seconds after which any number of new answers causes a ranking
REST = 10.0  # after a ranking that took one second, wait this many seconds
CLAIM = "ranking"
CLOSED = -1.0

CHOSEN = (
    sa.select(schema.answers.c.unit, schema.answers.c.answer)
    .join(schema.people, schema.people.c.id == schema.answers.c.person)
    .where(schema.answers.c.kind == "main", schema.people.c.excluded.is_(None))
)
MAIN = sa.select(schema.units.c.id, schema.units.c.assigned).where(schema.units.c.main).order_by(schema.units.c.id)
RANK = sa.update(schema.units).where(schema.units.c.id == sa.bindparam("unit_"))


async def keep_ranking(run: SurveyRun) -> None:
    """Rank repeatedly while the server runs; one process at a time does it."""
    while True:
        try:
            spent = await run_in_threadpool(rank_if_due, run)
        except (sa.exc.SQLAlchemyError, ValueError) as error:  # the last ranking stays until the next one succeeds
            logging.getLogger("uvicorn.error").error("ranking items: %s: %s", type(error).__name__, error)
            spent = EVERY
        await asyncio.sleep(max(EVERY, REST * spent))


def rank_if_due(run: SurveyRun) -> float:
    """Rank the units if there are enough new answers and no other process does it. Return the seconds it took.

    Enough is one answer for every ten units, or any number after SLOWEST seconds.
    """
    began = time.monotonic()
    answered = sa.select(sa.func.count(), sa.func.sum(schema.units.c.answered)).where(schema.units.c.main)

    token = secrets.token_hex(8)  # identifies our claim if the connection is lost after its commit

    def claim(connection: sa.Connection) -> bool:
        at, ranked, owner = json.loads(setting(connection, CLAIM, '[0, 0, ""]'))
        if owner == token:
            return True
        units, answers = connection.execute(answered).one()
        new = abs(int(answers or 0) - ranked)
        if not new or (new < units / 10 and now() - at < SLOWEST) or now() - at < EVERY / 2:
            return False
        set_setting(connection, CLAIM, json.dumps([now(), int(answers or 0), token]))
        return True

    # Of two processes, the first one writes its claim, and the second finds no new answers.
    if run.store.write(claim):
        rank(run)
    return time.monotonic() - began


def rank(run: SurveyRun) -> None:
    """Write the priority of each unit: the expected gain of one more answer, or -1 if it needs none.

        priority = expected drop of KL(true distribution || estimate) by the next vote, nats, 0 or more, once its gain
                   over asking evenly is significant; until then higher for fewer answers
                   -1 if no class has a 95% interval wider than protocol.enough

    Answers count by their first choice. Units that people hold but have not answered get a lower value, by the square
    of the number of answers, as in `draws.TAKE`.
    """
    with run.store.reader() as connection:
        units = connection.execute(MAIN).all()
        place = {unit: i for i, (unit, _) in enumerate(units)}
        counts = count_first_choices(run, connection.execute(CHOSEN).all(), place)
    votes = counts.sum(axis=1)
    ahead = np.array([assigned for _, assigned in units]) - votes
    value = priorities(counts, run.survey.protocol.enough)
    falls = ((votes + 1) / (votes + 1 + np.maximum(ahead, 0))) ** 2
    rows = [
        {"unit_": unit, "value_": float(v)}
        for (unit, _), v in zip(units, np.where(value < 0, value, value * falls), strict=True)
    ]
    # In small transactions, so that people who answer do not wait for all of them.
    change = RANK.values(priority=sa.bindparam("value_"))
    for start in range(0, len(rows), 200):
        part = rows[start : start + 200]
        run.store.write(lambda connection, part=part: connection.execute(change, part))  # type: ignore[misc]


def priorities(counts: np.ndarray, enough: float) -> np.ndarray:
    """Return the value of one more vote for each unit, -1 if its votes are enough.  (n, k) -> (n,)

    Until choosing by expected gain is significantly better, the value is 1 / (1 + votes)^2: least answered first.
    """
    from dissensus.aggregate.priors.vote_prior import vote_prior
    from dissensus.plan.allocation_gain import SURE, gain_evidence
    from dissensus.plan.allocation_rules import NEVER, Stop, expected_drop

    posterior, votes = vote_prior(counts).posterior(counts), counts.sum(axis=1)
    stop = Stop(width=enough) if enough else NEVER
    # At least two votes: the interval of an item without votes reflects only the other items.
    done = stop.is_reached(posterior) & (votes >= 2)
    # Seeded by the number of answers, so that the same answers always get the same ranking.
    pays = gain_evidence(counts, np.random.default_rng(int(votes.sum()))) >= SURE
    return np.where(done, CLOSED, expected_drop(posterior) if pays else 1 / (1.0 + votes) ** 2)


def count_first_choices(run: SurveyRun, answers: Any, place: dict[int, int]) -> np.ndarray:
    """Count the first choices of each unit.  -> (n, k)"""
    classes, first = run.survey.question.classes, run.survey.kind.first
    counts = np.zeros((len(place), len(classes)), dtype=np.int64)
    known = [(place[unit], first(json.loads(answer))) for unit, answer in answers if unit in place]
    rows = np.array([row for row, _ in known], dtype=np.int64)
    np.add.at(counts, (rows, class_codes([name for _, name in known], classes)), 1)
    return counts
