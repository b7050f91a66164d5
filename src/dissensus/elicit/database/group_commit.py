"""Many people, one commit: the disk is waited for once for all who have come in the meantime."""

from __future__ import annotations

import asyncio
from typing import Any

from anyio import CapacityLimiter, to_thread

from dissensus.elicit.database.store import Result, Store, Work, is_retryable, retry_waits

MOST = 32  # pieces of work in one commit, so that the first does not wait long for the last


class GroupCommit:
    """Work of all who wait is done in one transaction, in one thread, and only when it is committed they are told.

    Nobody hears of a success before the disk has it. Where one of them fails, all of it is taken back and each is done
    alone, so that what fails takes nothing else with it; work is therefore something that can be done again. Where it
    is the database that fails, all of them hear of that at once instead of waiting one by one, and try again together.
    """

    def __init__(self, store: Store) -> None:
        self._store = store
        self._waiting: list[_Piece] = []
        self._busy = False
        self._thread = CapacityLimiter(1)  # its own: others may all be waiting for a slow look at the database

    async def write(self, work: Work[Result], about: str | None = None) -> Result:
        """As `Store.write`, with others' work."""
        waits = retry_waits()
        while True:
            piece = _Piece(work, about)
            self._waiting.append(piece)
            if not self._busy:
                self._busy = True
                self._leading = asyncio.create_task(self._lead())  # kept, so that it runs to its end
            await piece.done.wait()
            if piece.error is None:
                return piece.result
            wait = next(waits, None)
            if wait is None or not is_retryable(piece.error):
                raise piece.error
            await asyncio.sleep(wait)

    async def _lead(self) -> None:
        while self._busy:
            some, self._waiting = self._waiting[:MOST], self._waiting[MOST:]
            try:
                await to_thread.run_sync(self._commit, some, limiter=self._thread)
            except Exception as error:  # as where no thread can be started: said to them, or they would wait for ever
                _fail(some, error)
            self._busy = bool(self._waiting)  # known before anybody is told, who may come back at once
            for piece in some:
                piece.done.set()

    def _commit(self, some: list[_Piece]) -> bool:
        """Do these together, or each alone where one of them fails; False where it was the database that failed."""
        begun = False
        try:
            with self._store.transaction([piece.about for piece in some if piece.about is not None]) as connection:
                begun = True
                for piece in some:
                    piece.result = piece.work(connection)
        except Exception as error:
            lost = not begun or is_retryable(error)
            if lost or len(some) == 1:
                _fail(some, error)
                return not lost
            for place, piece in enumerate(some):
                if not self._commit([piece]):
                    assert piece.error is not None
                    _fail(some[place:], piece.error)
                    return False
        return True


def _fail(some: list[_Piece], error: Exception) -> None:
    for piece in some:
        piece.error = error


class _Piece:
    def __init__(self, work: Work[Any], about: str | None) -> None:
        self.work, self.about = work, about
        self.result: Any = None
        self.error: Exception | None = None
        self.done = asyncio.Event()
