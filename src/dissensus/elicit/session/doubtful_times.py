"""Implausible times of an answer: reasons to look at it, never to reject it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from enum import StrEnum
from typing import Any

SLACK = 2.0  # seconds: the clocks of browser and server may differ by this much over one page


class Doubt(StrEnum):
    """Reasons to look at an answer, as databases and exports contain them."""

    UNSEEN = "nobody looked"
    SENT_BEFORE_LOOK = "sent before it was seen"
    NO_TIME = "no time spent"
    NO_INPUT = "no input"
    INPUT_AFTER_SENDING = "input after it was sent"
    ABSENT_AFTER_SENDING = "absent after it was sent"
    LONGER_THAN_OPEN = "longer than it was open"


def doubts_about(
    times: Mapping[str, Any], seconds: float | None, possible: float, *, filled_in: bool = False
) -> Iterator[Doubt]:
    """Yield what is implausible about times that have the right form.

    seconds    time spent on the answer, from the first look to the submission; None if unknown
    possible   seconds that the page can have been open, by the server's clock
    filled_in  whether the page opened with an earlier answer, which may be sent unchanged
    """
    looked, submitted, changes = times.get("looked"), times["submitted"], times.get("changes", [])
    if looked is None:
        yield Doubt.UNSEEN
    elif submitted < looked:
        yield Doubt.SENT_BEFORE_LOOK
    elif not seconds or seconds < 0:
        yield Doubt.NO_TIME
    if not changes and not filled_in:
        yield Doubt.NO_INPUT
    if any(change[0] > submitted for change in changes):
        yield Doubt.INPUT_AFTER_SENDING
    if any(until < since or until > submitted for since, until in times.get("away", [])):
        yield Doubt.ABSENT_AFTER_SENDING
    if submitted / 1000 > possible + SLACK:
        yield Doubt.LONGER_THAN_OPEN
