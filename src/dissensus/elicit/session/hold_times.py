"""The time for which a person's place is kept from others.

An inactive person keeps it for `hold_minutes`. A visible page sends signs of activity even if nobody looks at it, so
active people have a limit too.
"""

from __future__ import annotations

from dissensus.elicit.database.store import now

HOLDS = 5  # an active person keeps a place at most this many times as long


def long_before(late: float) -> float:
    """Return the time since which even an active person must have done something, from that for inactive ones."""
    current = now()
    return current - HOLDS * (current - late)
