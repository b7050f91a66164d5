"""Wrong keys slow down whoever tries them, and shut nobody out."""

from __future__ import annotations

import time
from collections import Counter, OrderedDict

FREE = 3  # attempts that wait for nothing
STEP = 0.5  # seconds that the next one waits; each after that waits twice as long
LONGEST = 10.0  # seconds that any attempt waits
AT_ONCE = 5  # attempts of one sender that may wait at the same time
MEMORY = 900.0  # seconds after which the attempts of a sender are forgotten


class WrongKeys:
    """Attempts of each sender. An attempt counts as wrong from its beginning until it turns out to be right.

    Only the sender waits, and no thread does. Each server process counts for itself.
    """

    def __init__(self, most: int = 10_000) -> None:
        self._tried: OrderedDict[str, tuple[int, float]] = OrderedDict()
        self._waiting: Counter[str] = Counter()
        self._most = most

    def begin(self, sender: str) -> float | None:
        """Seconds that this attempt has to wait; None where too many of this sender's are waiting. `end` ends it."""
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
        """The attempt is over; after a right key the sender begins anew."""
        self._waiting[sender] -= 1
        if self._waiting[sender] <= 0:
            del self._waiting[sender]
        if right:
            self._tried.pop(sender, None)
