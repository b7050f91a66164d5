"""Many transactions, one commit: the disk is waited for once for all who have come in the meantime."""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any, TypeVar

from sqlalchemy.engine import Connection

MOST = 16  # pieces of work in one commit, so that the first does not wait long for the last
Result = TypeVar("Result")


class GroupCommit:
    """Whoever finds nobody at work does the work of all who wait, commits it, and only then tells them.

    Nobody hears of a success before the disk has it. Where one of them fails, all of it is taken back and each is done
    alone, so that what fails takes nothing else with it; work is therefore something that can be done again. Where no
    transaction can be begun, as without a database, all of them hear of that at once instead of waiting one by one.
    """

    def __init__(self, writing: Callable[[], AbstractContextManager[Connection]]) -> None:
        self._writing = writing
        self._waiting: list[_Work] = []
        self._lock = threading.Lock()
        self._busy = False

    def write(self, work: Callable[[Connection], Result]) -> Result:
        mine = _Work(work)
        with self._lock:
            self._waiting.append(mine)
            mine.leads, self._busy = not self._busy, True
        if not mine.leads:
            mine.woken.wait()
        if mine.leads:
            self._lead(mine)
        if mine.error is not None:
            raise mine.error
        return mine.result

    def _lead(self, mine: _Work) -> None:
        """Do the work of those who wait, one's own among it, and let the next of them lead."""
        with self._lock:
            some, self._waiting = self._waiting[:MOST], self._waiting[MOST:]
        self._commit(some)
        for work in some:
            if work is not mine:
                work.woken.set()
        with self._lock:
            self._busy = bool(self._waiting)
            if self._waiting:
                self._waiting[0].leads = True
                self._waiting[0].woken.set()

    def _commit(self, some: list[_Work]) -> None:
        begun = False
        try:
            with self._writing() as connection:
                begun = True
                for work in some:
                    work.result = work.run(connection)
        except BaseException as error:
            if not begun or len(some) == 1:
                for work in some:
                    work.error = error
            else:
                for work in some:
                    self._commit([work])


class _Work:
    def __init__(self, run: Callable[[Connection], Any]) -> None:
        self.run = run
        self.result: Any = None
        self.error: BaseException | None = None
        self.leads = False
        self.woken = threading.Event()
