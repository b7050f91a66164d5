"""Many transactions, one commit: SQLite waits for the disk once for all who have come in the meantime."""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any, TypeVar

from sqlalchemy.engine import Connection

MOST = 16  # pieces of work in one commit, so that the first does not wait long for the last
Result = TypeVar("Result")


class Together:
    """Whoever finds nobody at work does the work of all who wait, commits it, and only then tells them.

    Each piece of work has a savepoint of its own, so that one which fails takes nothing else with it. Nobody hears of
    a success before the disk has it: a commit that fails fails for all of them.
    """

    def __init__(self, writing: Callable[[], AbstractContextManager[Connection]]) -> None:
        self._writing = writing
        self._waiting: list[_Work] = []
        self._changed = threading.Condition()
        self._busy = False

    def written(self, work: Callable[[Connection], Result]) -> Result:
        mine = _Work(work)
        with self._changed:
            self._waiting.append(mine)
            while self._busy and not mine.done:
                self._changed.wait()
            leads = not mine.done
            self._busy = self._busy or leads
        while not mine.done:
            with self._changed:
                some, self._waiting = self._waiting[:MOST], self._waiting[MOST:]
            self._commit(some)
            with self._changed:
                self._changed.notify_all()
        if leads:
            with self._changed:
                self._busy = False
                self._changed.notify_all()
        if mine.error is not None:
            raise mine.error
        return mine.result

    def _commit(self, some: list[_Work]) -> None:
        try:
            with self._writing() as connection:
                for one in some:
                    one.do(connection, alone=len(some) == 1)
        except BaseException as error:
            for one in some:
                one.error = one.error or error
        for one in some:
            one.done = True


class _Work:
    def __init__(self, work: Callable[[Connection], Any]) -> None:
        self.work = work
        self.result: Any = None
        self.error: BaseException | None = None
        self.done = False

    def do(self, connection: Connection, *, alone: bool) -> None:
        if alone:  # what fails here takes the whole transaction with it, which is nobody else's
            self.result = self.work(connection)
            return
        try:
            with connection.begin_nested():
                self.result = self.work(connection)
        except Exception as error:
            self.error = error
