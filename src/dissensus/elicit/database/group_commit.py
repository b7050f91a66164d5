"""Many people, one commit: the disk is waited for once for all who have come in the meantime."""

from __future__ import annotations

import asyncio
import random
import time
from typing import Any

from starlette.concurrency import run_in_threadpool

from dissensus.elicit.database.store import PATIENCE, Result, Store, Work, can_be_tried_again

MOST = 32  # pieces of work in one commit, so that the first does not wait long for the last


class GroupCommit:
    """Work of all who wait is done in one transaction, in one thread, and only when it is committed they are told.

    Nobody hears of a success before the disk has it. Where one of them fails, all of it is taken back and each is done
    alone, so that what fails takes nothing else with it; work is therefore something that can be done again. Where no
    transaction can be begun, as without a database, all of them hear of that at once instead of waiting one by one.
    """

    def __init__(self, store: Store) -> None:
        self._store = store
        self._waiting: list[_Piece] = []
        self._busy = False

    async def write(self, work: Work[Result], about: str | None = None) -> Result:
        """As `Store.write`, with others' work."""
        until = time.monotonic() + PATIENCE
        wait = 0.002
        while True:
            piece = _Piece(work, about)
            self._waiting.append(piece)
            if not self._busy:
                self._busy = True
                self._leading = asyncio.create_task(self._lead())  # kept, so that it runs to its end
            await piece.done.wait()
            if piece.error is None:
                return piece.result
            if time.monotonic() > until or not can_be_tried_again(piece.error):
                raise piece.error
            await asyncio.sleep(random.uniform(0.5, 1.5) * wait)
            wait = min(0.1, 1.5 * wait)

    async def _lead(self) -> None:
        while self._busy:
            some, self._waiting = self._waiting[:MOST], self._waiting[MOST:]
            await run_in_threadpool(self._commit, some)
            self._busy = bool(self._waiting)  # known before anybody is told, who may come back at once
            for piece in some:
                piece.done.set()

    def _commit(self, some: list[_Piece]) -> None:
        begun = False
        try:
            with self._store.writing([piece.about for piece in some if piece.about is not None]) as connection:
                begun = True
                for piece in some:
                    piece.result = piece.work(connection)
        except Exception as error:
            if not begun or len(some) == 1:
                for piece in some:
                    piece.error = error
            else:
                for piece in some:
                    self._commit([piece])


class _Piece:
    def __init__(self, work: Work[Any], about: str | None) -> None:
        self.work, self.about = work, about
        self.result: Any = None
        self.error: Exception | None = None
        self.done = asyncio.Event()
