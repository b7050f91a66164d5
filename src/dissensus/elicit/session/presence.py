"""Signs of life: whoever is there keeps the place of what they were shown, and whoever left does not.

Everything that a browser asks for is a sign. Between two answers the page sends one every twenty seconds while it is in
sight. Those are kept in memory and written down together, so that a crowd that thinks costs next to nothing.
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

EVERY = 5.0  # seconds after which signs that only say "still here" are written down together
AGAIN = 15.0  # seconds after which a request is written down as a sign again
SEEN = (
    sa.update(schema.people)
    .where(schema.people.c.id == sa.bindparam("person_"), schema.people.c.seen < sa.bindparam("at"))
    .values(seen=sa.bindparam("at"))
)


def note_presence(run: SurveyRun, connection: Connection, person: Row[Any]) -> None:
    """Write down that this person is there, unless it was written down a moment ago."""
    if now() - person.seen > _at_most(run, AGAIN):
        defer(connection, SEEN, {"person_": person.id, "at": now()})


class Presence:
    """Who gave a sign of life since it was last written down, in this server process."""

    def __init__(self, run: SurveyRun) -> None:
        self.run = run
        self._since: dict[str, float] = {}

    def note(self, person: str) -> None:
        self._since[person] = now()

    def write(self) -> None:
        """Write down all signs so far in one transaction; people who are gone from the database are passed over."""
        self._write(self._take_signs())

    async def keep(self) -> None:
        """Write them down every few seconds for as long as the server runs."""
        while True:
            await asyncio.sleep(_at_most(self.run, EVERY))
            signs = self._take_signs()  # here, where they are noted, so that none is noted while they are listed
            try:
                await run_in_threadpool(self._write, signs)
            except sa.exc.SQLAlchemyError as error:  # the next signs say the same
                logging.getLogger("uvicorn.error").error("signs of life: %s: %s", type(error).__name__, error)

    def _take_signs(self) -> list[dict[str, Any]]:
        since, self._since = self._since, {}
        return [{"person_": person, "at": at} for person, at in since.items()]

    def _write(self, signs: list[dict[str, Any]]) -> None:
        if signs:
            self.run.store.write(lambda connection: connection.execute(SEEN, signs))


def _at_most(run: SurveyRun, seconds: float) -> float:
    """These seconds, or less where places are held for so short a time that it matters."""
    return min(seconds, 60 * run.survey.protocol.hold_minutes / 6)
