"""Checks of the notices that reading and writing give, by the facts in them."""

from __future__ import annotations

import re
from collections.abc import Sequence

from tests.facts import missing_facts, states


def read_roles(notice: str, place: object = None) -> dict[str, str]:
    """Return the parts of a notice `PLACE: took: item = id, label = rating (1..5)`: what was taken for each role."""
    source, mark, parts = notice.partition(": took: ")
    assert mark and (place is None or source == str(place)), notice
    return dict(part.split(" = ", 1) for part in re.split(r", (?=[\w -]+ = )", parts))


def state_each(notices: Sequence[str], *facts: tuple[object, ...]) -> bool:
    """Whether there are as many notices as tuples of facts, and each notice states its own."""
    assert len(notices) == len(facts), notices
    return all(states(notice, *its) for notice, its in zip(notices, facts, strict=True))


def one_states(notices: Sequence[str], *facts: object) -> bool:
    """Whether exactly one of the notices states all of these facts."""
    matching = [notice for notice in notices if not missing_facts(notice, *facts)]
    assert len(matching) == 1, f"{len(matching)} of {len(notices)} notices state {facts}: {notices}"
    return True
