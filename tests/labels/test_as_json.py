from __future__ import annotations

import json
import math
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dissensus.labels.as_json import as_json, json_text
from dissensus.labels.intervals import Interval
from dissensus.labels.names import as_names

plain = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text()
nested = st.recursive(plain, lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner), max_leaves=20)


@given(nested)
def test_plain_values_stay_as_they_are_and_come_back_from_the_text(value):
    assert as_json(value) == value
    assert json.loads(json_text(value)) == value


@dataclass(frozen=True)
class Score:
    mean: Interval
    classes: tuple[str, ...]


class Counted:
    def as_json(self):
        return {"count": np.int64(3)}


INTERVAL = Interval(0.5, 0.25, 0.75, sd=0.1, coverage=0.95)
ALONE = Interval(0.5, math.nan, math.nan, math.nan, 0.95)
CASES = [
    (INTERVAL, {"value": 0.5, "low": 0.25, "high": 0.75}),
    (ALONE, {"value": 0.5, "low": None, "high": None}),
    (math.nan, None),
    (np.float64("nan"), None),
    (np.float32(0.5), 0.5),
    (np.int64(7), 7),
    (np.bool_(True), True),
    (np.array([[1.0, np.nan]]), [[1.0, None]]),
    (np.array(3), 3),
    (as_names(["a", "7"]), ["a", "7"]),
    (as_names([1, 2]), [1, 2]),
    (Path("votes.csv"), "votes.csv"),
    ({1: (2, 3), np.int64(4): range(2)}, {"1": [2, 3], "4": [0, 1]}),
    (Score(INTERVAL, ("cat", "dog")), {"mean": {"value": 0.5, "low": 0.25, "high": 0.75}, "classes": ["cat", "dog"]}),
    ([Counted()], [{"count": 3}]),
]


@pytest.mark.parametrize(("value", "expected"), CASES)
def test_each_type_has_one_shape(value, expected):
    converted = as_json(value)
    assert converted == expected
    assert type(converted) is type(expected)
    assert json.loads(json_text(value)) == expected


@pytest.mark.parametrize(("value", "name"), [({1, 2}, "set"), (Score, "type"), ({("a", "b"): 1}, "tuple")])
def test_other_types_are_refused_by_name(value, name):
    with pytest.raises(TypeError, match=f" {name}, "):
        as_json(value)


def test_infinite_numbers_are_written_as_numbers_and_text_stays_text():
    text = json_text({"a": [-math.inf, "Infinity"]}, indent=None)
    assert text == '{"a": [-1e999, "Infinity"]}'
    assert json.loads(text) == {"a": [-math.inf, "Infinity"]}
