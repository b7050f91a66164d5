"""For how long somebody keeps a place from others.

Whoever is silent keeps it for `hold_minutes`. A page that stays in sight gives signs of life for as long as it is open,
be somebody before it or not, so there is an end to that, too.
"""

from __future__ import annotations

from dissensus.elicit.database.store import now

HOLDS = 5  # times as long as for somebody silent a place is kept at most


def long_before(late: float) -> float:
    """Whoever did nothing since this time keeps no place, where `late` is the time for those who are silent."""
    there = now()
    return there - HOLDS * (there - late)
