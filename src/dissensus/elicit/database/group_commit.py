"""Group commit: one commit for all requests that arrived during the previous one."""

from __future__ import annotations

import asyncio
from typing import Any

from anyio import CapacityLimiter, to_thread

from dissensus.elicit.database.store import Result, Store, Work, is_retryable, retry_waits

MOST = 32  # requests in one commit, so that the first does not wait long for the last


class GroupCommit:
    """Does the work of all waiting requests in one transaction and one thread, and replies after the commit.

    No success is reported before it is on disk. If one request fails, the transaction is rolled back and each request
    is done alone, so that it fails alone; work must therefore be repeatable. If the database fails, all requests learn
    of it at once and retry together.
    """

    def __init__(self, store: Store) -> None:
        self._store = store
        self._waiting: list[_Piece] = []
        self._busy = False
        self._thread = CapacityLimiter(1)  # a separate thread, since slow reads may occupy the others

    async def write(self, work: Work[Result], about: str | None = None) -> Result:
        """Do `work` as `Store.write` does, in a shared commit. `about` is the person it concerns."""
        waits = retry_waits()
        while True:
            piece = _Piece(work, about)
            self._waiting.append(piece)
            if not self._busy:
                self._busy = True
                self._task = asyncio.create_task(self._commit_waiting())  # kept, or it could be garbage-collected
            await piece.done.wait()
            if piece.error is None:
                return piece.result
            wait = next(waits, None)
            if wait is None or not is_retryable(piece.error):
                raise piece.error
            await asyncio.sleep(wait)

    async def _commit_waiting(self) -> None:
        while self._busy:
            pieces, self._waiting = self._waiting[:MOST], self._waiting[MOST:]
            try:
                await to_thread.run_sync(self._commit, pieces, limiter=self._thread)
            except Exception as error:  # such as no thread left: without a reply the requests would wait for ever
                _fail(pieces, error)
            self._busy = bool(self._waiting)  # set before the replies, which may cause new requests at once
            for piece in pieces:
                piece.done.set()

    def _commit(self, pieces: list[_Piece]) -> bool:
        """Do these together, or each alone if one of them fails. Return False if the database failed."""
        begun = False
        try:
            with self._store.transaction([piece.about for piece in pieces if piece.about is not None]) as connection:
                begun = True
                for piece in pieces:
                    piece.result = piece.work(connection)
        except Exception as error:
            database_failed = not begun or is_retryable(error)
            if database_failed or len(pieces) == 1:
                _fail(pieces, error)
                return not database_failed
            for place, piece in enumerate(pieces):
                if not self._commit([piece]):
                    assert piece.error is not None
                    _fail(pieces[place:], piece.error)
                    return False
        return True


def _fail(pieces: list[_Piece], error: Exception) -> None:
    for piece in pieces:
        piece.error = error


class _Piece:
    """The work of one request, and its result or error."""

    def __init__(self, work: Work[Any], about: str | None) -> None:
        self.work, self.about = work, about
        self.result: Any = None
        self.error: Exception | None = None
        self.done = asyncio.Event()
