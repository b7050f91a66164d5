"""Errors in a TOML file name the file, the line, the key, the value and what was expected."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from dissensus.files.toml import parse_toml, read_toml
from dissensus.labels.refusals import Refusal
from dissensus.labels.settings import setting
from tests.facts import refuses, states

TEXT = """\
name = "walk"

[plan]
steps = 0
pace = "fats"

[[stop]]
at = "inn"

[[stop]]
at = 3
"""


@dataclass(frozen=True)
class Plan:
    steps: int = setting(10, "Number of steps", low=1)
    pace: str = setting("slow", "Pace", among=("slow", "fast"))
    rest: float | None = setting(None, "Minutes of rest", low=0)


@dataclass(frozen=True)
class Stop:
    at: str
    minutes: int = 5


VALUES, FILE = parse_toml(TEXT, "walk.toml")


@pytest.mark.parametrize(
    ("table", "place", "facts"),
    [
        ({"steps": 0}, "walk.toml, line 4", ["plan.steps is 0", "whole number", "1 or more"]),
        ({"pace": "fats"}, "walk.toml, line 5: plan.pace", ["unknown pace 'fats'", "'fast'", "slow, fast"]),
        ({"step": 1}, "walk.toml, line 3: plan", ["unknown key 'step'", "'steps'", "steps, pace, rest"]),
        ({"rest": "long"}, "walk.toml, line 3", ["plan.rest is 'long'", "a number", "0 or more", '"none"']),
        (3, "walk.toml, line 3", ["plan is 3", "a table [plan]"]),
    ],
)
def test_a_record_is_refused_at_its_line(table, place, facts):
    with refuses(*facts, place=place):
        FILE.read_record(Plan, table, ("plan",))


def test_records_of_an_array_have_lines_of_their_own():
    with pytest.raises(Refusal) as refused:
        FILE.read_records(Stop, VALUES["stop"], ("stop",))
    assert refused.value.place == "walk.toml, line 11" and states(refused.value.problem, "stop.2.at is 3", "a text")
    assert FILE.read_records(Stop, VALUES["stop"][:1], ("stop",)) == (Stop("inn"),)


def test_a_required_key_that_is_missing_is_named():
    with refuses("stop.1", "no at", place="walk.toml, line 7"):
        FILE.read_record(Stop, {"minutes": 2}, ("stop", "1"))


def test_a_number_whose_text_would_be_valid_needs_quotes():
    with refuses("plan is 1", "quotes", '"1"', place="walk.toml, line 3"):
        FILE.one_of(1, ("1", "2"), ("plan",))


def test_errors_of_a_block_get_the_line_once():
    with pytest.raises(Refusal) as refused, FILE.at(()), FILE.at(("plan", "steps")):
        raise ValueError("too few")
    assert (refused.value.place, refused.value.problem) == ("walk.toml, line 4", "too few")


def test_a_missing_file_has_a_way_out(tmp_path):
    with pytest.raises(Refusal) as refused:
        read_toml(tmp_path / "no.toml", missing="make one")
    assert [str(way) for way in refused.value.ways] == ["make one"]
    assert (refused.value.place, refused.value.problem) == (str(tmp_path / "no.toml"), "no such file")
