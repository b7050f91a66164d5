"""What speaks against the times that came with an answer: reasons to look, never to refuse."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

SLACK = 2.0  # seconds by which the clocks of a browser and of the server may differ over one page


def doubts_about(
    times: Mapping[str, Any], seconds: float | None, possible: float, *, filled_in: bool = False
) -> Iterator[str]:
    """What is implausible about times that have the right form.

    seconds    spent on the answer, from the first look to the submission; None where that is not known
    possible   seconds for which the page can have been open, by the server's clock
    filled_in  whether the page came with an answer that was taken back, which may be sent as it was
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
