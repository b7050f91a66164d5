"""Implausible times of an answer: reasons to look at it, never to reject it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

SLACK = 2.0  # seconds: the clocks of browser and server may differ by this much over one page


def doubts_about(
    times: Mapping[str, Any], seconds: float | None, possible: float, *, filled_in: bool = False
) -> Iterator[str]:
    """Yield what is implausible about times that have the right form; exports contain these texts.

    seconds    time spent on the answer, from the first look to the submission; None if unknown
    possible   seconds that the page can have been open, by the server's clock
    filled_in  whether the page opened with an earlier answer, which may be sent unchanged
    """
    looked, submitted, changes = times.get("looked"), times["submitted"], times.get("changes", [])
    if looked is None:
        yield "nobody looked"
    elif submitted < looked:
        yield "sent before it was seen"
    elif not seconds or seconds < 0:
        yield "no time spent"
    if not changes and not filled_in:
        yield "no input"
    if any(change[0] > submitted for change in changes):
        yield "input after it was sent"
    if any(until < since or until > submitted for since, until in times.get("away", [])):
        yield "absent after it was sent"
    if submitted / 1000 > possible + SLACK:
        yield "longer than it was open"
