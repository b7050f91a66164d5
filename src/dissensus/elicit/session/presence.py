"""Presence: active people keep the place of the trial that they see, and people who left lose it.

Every request is a sign of activity. A visible page also sends one every twenty seconds. These are collected in memory
and written together, so that many people who think cost almost nothing.
"""

from __future__ import annotations

import asyncio
import logging
from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import Connection, Row
from starlette.concurrency import run_in_threadpool

from dissensus.elicit.database import schema
from dissensus.elicit.database.shared_transaction import defer
from dissensus.elicit.database.store import now
from dissensus.elicit.survey_run import SurveyRun

EVERY = 5.0  # seconds between writes of collected signs
AGAIN = 15.0  # seconds after which a request of the same person is recorded again
SEEN = (
    sa.update(schema.people)
    .where(schema.people.c.id == sa.bindparam("person_"), schema.people.c.seen < sa.bindparam("at"))
    .values(seen=sa.bindparam("at"))
)


def note_presence(run: SurveyRun, connection: Connection, person: Row[Any]) -> None:
    """Record that this person is active, unless it was recorded a moment ago."""
    if now() - person.seen > _at_most(run, AGAIN):
        defer(connection, SEEN, {"person_": person.id, "at": now()})


class Presence:
    """The signs of activity since the last write, in this server process."""

    def __init__(self, run: SurveyRun) -> None:
        self.run = run
        self._since: dict[str, float] = {}

    def note(self, person: str) -> None:
        self._since[person] = now()

    def write(self) -> None:
        """Write all signs so far in one transaction; people who were deleted are skipped."""
        self._write(self._take_signs())

    async def keep(self) -> None:
        """Write the signs every few seconds while the server runs."""
        while True:
            await asyncio.sleep(_at_most(self.run, EVERY))
            signs = self._take_signs()  # in the event loop, as `note` is, so that no sign is lost
            try:
                await run_in_threadpool(self._write, signs)
            except sa.exc.SQLAlchemyError as error:  # the next signs repeat the information
                logging.getLogger("uvicorn.error").error("presence: %s: %s", type(error).__name__, error)

    def _take_signs(self) -> list[dict[str, Any]]:
        since, self._since = self._since, {}
        return [{"person_": person, "at": at} for person, at in since.items()]

    def _write(self, signs: list[dict[str, Any]]) -> None:
        if signs:
            self.run.store.write(lambda connection: connection.execute(SEEN, signs))


def _at_most(run: SurveyRun, seconds: float) -> float:
    """These seconds, or fewer if places are held only briefly."""
    return min(seconds, 60 * run.survey.protocol.hold_minutes / 6)
