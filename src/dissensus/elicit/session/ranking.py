"""Which items are worth asking about most, worked out from the answers so far while a survey runs."""

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

EVERY = 2.0  # seconds between looks at whether there are new answers
SLOWEST = 20.0  # seconds after which new answers are taken in, however few they are
REST = 10.0  # a ranking that took a second is not repeated for this many seconds
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
    """Rank again and again for as long as the server runs; of several processes one at a time does it."""
    while True:
        try:
            spent = await run_in_threadpool(rank_if_due, run)
        except (sa.exc.SQLAlchemyError, ValueError) as error:  # the last ranking holds until the next one succeeds
            logging.getLogger("uvicorn.error").error("ranking items: %s: %s", type(error).__name__, error)
            spent = EVERY
        await asyncio.sleep(max(EVERY, REST * spent))


def rank_if_due(run: SurveyRun) -> float:
    """Rank the units where enough answers are new and no other process is at it; the seconds that it took.

    Enough is one for every tenth unit, or any number after SLOWEST seconds.
    """
    began = time.monotonic()
    answered = sa.select(sa.func.count(), sa.func.sum(schema.units.c.answered)).where(schema.units.c.main)

    mine = secrets.token_hex(8)  # by which a claim is known again, should its connection be lost after it was made

    def claim(connection: sa.Connection) -> bool:
        at, behind, whose = json.loads(setting(connection, CLAIM, '[0, 0, ""]'))
        if whose == mine:
            return True
        n, there = connection.execute(answered).one()
        fresh = abs(int(there or 0) - behind)
        if not fresh or (fresh < n / 10 and now() - at < SLOWEST) or now() - at < EVERY / 2:
            return False
        set_setting(connection, CLAIM, json.dumps([now(), int(there or 0), mine]))
        return True

    # Of two processes one writes first, and the other finds that nothing is new.
    if run.store.write(claim):
        rank(run)
    return time.monotonic() - began


def rank(run: SurveyRun) -> None:
    """Write into each unit by how much one more answer is expected to lower its error, or that it needs none.

        priority = expected drop of KL(true distribution || estimate) by the next vote, nats, 0 or more, once its gain
                   over asking evenly is sure; until then higher the fewer answers there are
                   -1 where no class's 95 % interval is wider than protocol.enough

    Answers count by the class they put first. What people hold without having answered it yet counts as if their
    votes were spread, by lowering the value with the square of the number of answers, as `draws.TAKE` does.
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
    # A few at a time, so that nobody who answers has to wait for all of them.
    change = RANK.values(priority=sa.bindparam("value_"))
    for start in range(0, len(rows), 200):
        some = rows[start : start + 200]
        run.store.write(lambda connection, some=some: connection.execute(change, some))  # type: ignore[misc]


def priorities(counts: np.ndarray, enough: float) -> np.ndarray:
    """What one more vote is worth to each unit, -1 where its votes are enough.  (n, k) -> (n,)

    1 / (1 + votes)^2 as long as it is not sure that choosing pays, so that the least answered come first.
    """
    from dissensus.aggregate.priors.vote_prior import vote_prior
    from dissensus.plan.allocation_gain import SURE, gain_evidence
    from dissensus.plan.allocation_rules import NEVER, Stop, expected_drop

    posterior, votes = vote_prior(counts).posterior(counts), counts.sum(axis=1)
    stop = Stop(width=enough) if enough else NEVER
    # Two votes at least: the interval of an item that nobody was asked about is only what others are like.
    done = stop.is_reached(posterior) & (votes >= 2)
    # Seeded by the number of answers: the same answers are always ranked the same way.
    pays = gain_evidence(counts, np.random.default_rng(int(votes.sum()))) >= SURE
    return np.where(done, CLOSED, expected_drop(posterior) if pays else 1 / (1.0 + votes) ** 2)


def count_first_choices(run: SurveyRun, answers: Any, place: dict[int, int]) -> np.ndarray:
    """First choices of each unit.  -> (n, k)"""
    classes, first = run.survey.question.classes, run.survey.kind.first
    counts = np.zeros((len(place), len(classes)), dtype=np.int64)
    known = [(place[unit], first(json.loads(answer))) for unit, answer in answers if unit in place]
    rows = np.array([row for row, _ in known], dtype=np.int64)
    np.add.at(counts, (rows, class_codes([name for _, name in known], classes)), 1)
    return counts
