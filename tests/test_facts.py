"""The checks of facts themselves."""

from __future__ import annotations

import pytest

from dissensus.labels.refusals import Refusal, Way
from tests.facts import missing_facts, refuses

REFUSAL = Refusal("column 'note' is text in 3 rows", "votes.csv", [Way("leave it out with {drop}", drop=["note"])])


def test_facts_are_whole_words():
    assert missing_facts("row 30 of v3: 'note', 3.5 of 0.3", 3) == [3]
    assert missing_facts("row 30 of v3: 'note'", "row 30", "'note'", 30) == []


def test_the_right_refusal_passes():
    with refuses(3, "'note'", place="votes.csv", ways={"drop": ["note"]}):
        raise REFUSAL


@pytest.mark.parametrize(
    "expected",
    [((4,), {}), ((3,), {"place": "other.csv"}), ((3,), {"ways": {}}), ((3,), {"ways": {"drop": ["text"]}})],
)
def test_a_missing_fact_another_place_and_other_ways_fail(expected):
    facts, fields = expected
    with pytest.raises(AssertionError), refuses(*facts, **fields):
        raise REFUSAL


def test_a_plain_error_has_neither_place_nor_ways():
    with pytest.raises(AssertionError), refuses("empty", place="votes.csv"):
        raise ValueError("row 3 is empty")
