"""Checks of errors and messages by the facts in them, so that a sentence can be reworded without a test.

A fact is a value that a reader needs: a name, a number, a row, a file, a setting. Facts are matched as whole words, so
the fact 3 is not seen in 30, 3.5 or "v3".
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import pytest

from dissensus.labels.refusals import Refusal


def missing_facts(text: str, *facts: object) -> list[object]:
    """Return the facts that a text does not state."""
    return [fact for fact in facts if not re.search(_whole_words(str(fact)), text)]


def _whole_words(fact: str) -> str:
    """A pattern that a longer word or number does not match."""
    before = r"(?<!\w)(?<!\d\.)" if fact[:1].isdigit() else r"(?<!\w)"
    after = r"(?!\w)(?!\.\d)" if fact[-1:].isdigit() else r"(?!\w)"
    return before + re.escape(fact) + after


def states(text: str, *facts: object) -> bool:
    """Whether a text states all of these facts; the assertion error names those that are missing."""
    missing = missing_facts(text, *facts)
    assert not missing, f"{missing} not in: {text}"
    return True


@contextmanager
def refuses(
    *facts: object,
    place: str | None = None,
    ways: Mapping[str, Any] | None = None,
    error: type[Exception] = ValueError,
) -> Iterator[pytest.ExceptionInfo[Exception]]:
    """Expect an error that states these facts.

    place  expected place of the refusal, such as "votes.csv"
    ways   settings that its ways out name, with their values; `...` stands for a value that the user has to choose
    """
    with pytest.raises(error) as caught:
        yield caught
    states(str(caught.value), *facts)
    if place is not None or ways is not None:
        assert isinstance(caught.value, Refusal), f"not a refusal: {caught.value!r}"
    if place is not None:
        assert caught.value.place == place
    if ways is not None:
        named = {name: value for way in caught.value.ways for name, value in way.settings.items()}
        assert named == dict(ways)
