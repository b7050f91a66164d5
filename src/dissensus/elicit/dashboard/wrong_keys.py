"""Delays for wrong keys: each sender waits longer after each wrong key, and nobody is locked out."""

from __future__ import annotations

import time
from collections import Counter, OrderedDict

FREE = 3  # attempts without a delay
STEP = 0.5  # seconds of the first delay; each further delay is twice as long
LONGEST = 10.0  # seconds of the longest delay
AT_ONCE = 5  # attempts of one sender that may wait at the same time
MEMORY = 900.0  # seconds after which the attempts of a sender are forgotten


class WrongKeys:
    """The attempts of each sender. An attempt counts as wrong until its key proves right.

    A delay blocks no thread and no other sender. Each server process counts separately.
    """

    def __init__(self, most: int = 10_000) -> None:
        self._tried: OrderedDict[str, tuple[int, float]] = OrderedDict()
        self._waiting: Counter[str] = Counter()
        self._most = most

    def begin(self, sender: str) -> float | None:
        """Start an attempt. Return its delay in seconds, or None if too many attempts of this sender are waiting."""
        if self._waiting[sender] >= AT_ONCE:
            return None
        self._waiting[sender] += 1
        now = time.monotonic()
        tried, last = self._tried.pop(sender, (0, now))
        tried = 0 if now - last > MEMORY else tried
        self._tried[sender] = (tried + 1, now)
        while len(self._tried) > self._most:
            self._tried.popitem(last=False)
        return 0.0 if tried < FREE else min(LONGEST, STEP * 2.0 ** min(tried - FREE, 30))

    def end(self, sender: str, *, right: bool) -> None:
        """End an attempt; a right key clears the sender's record."""
        self._waiting[sender] -= 1
        if self._waiting[sender] <= 0:
            del self._waiting[sender]
        if right:
            self._tried.pop(sender, None)
