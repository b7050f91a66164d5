"""A setting is declared once: its range is checked, and its help, type and default are there to be read."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
import pytest

from dissensus.labels.refusals import Refusal
from dissensus.labels.settings import check_settings, document_settings, markdown_rows, setting, settings_of
from tests.facts import refuses


@dataclass(frozen=True, kw_only=True)
class Inner:
    rate: float = setting(0.1, "Learning rate", above=0, below=1)
    seed: int = setting(3, "Seed of the inside", low=0)

    def __post_init__(self) -> None:
        check_settings(self)


@document_settings
@dataclass(frozen=True, kw_only=True)
class Config:
    """How to walk."""

    steps: int = setting(10, "Number of steps", low=1)
    pace: str = setting("slow", "Pace; slow tires less", among=("slow", "fast"))
    stops: tuple[int, ...] = setting((), "Where to stop", low=1)
    rest: float | None = setting(None, "Minutes of rest", low=0, high=60)
    back: bool = setting(True, "Walk back")
    seed: int = setting(0, "Random seed", low=0)
    inner: Inner = field(default_factory=Inner)

    def __post_init__(self) -> None:
        check_settings(self)


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({"steps": 0}, ["steps=0", "whole number", "1 or more"]),
        ({"steps": 2.0}, ["steps=2.0", "whole number", "1 or more"]),
        ({"steps": True}, ["steps=True", "whole number", "1 or more"]),
        ({"pace": "fats"}, ["unknown pace 'fats'", "'fast'", "slow, fast"]),
        ({"stops": [3, 0]}, ["stops=[3, 0]", "a list", "whole numbers", "1 or more"]),
        ({"stops": "3"}, ["stops='3'", "a list"]),
        ({"rest": 61}, ["rest=61", "a number", "0 to 60"]),
        ({"rest": float("nan")}, ["rest=nan", "0 to 60"]),
        ({"back": "false"}, ["back='false'", "true or false"]),
    ],
)
def test_a_value_out_of_range_is_refused_with_the_range(given, expected):
    with refuses(*expected):
        Config(**given)


@pytest.mark.parametrize("rate", [0, 1, -0.1, float("inf")])
def test_open_ends_of_a_range_are_not_valid(rate):
    with refuses(f"rate={rate}", "above 0", "below 1"):
        Inner(rate=rate)


def test_values_have_one_spelling():
    config = Config(steps=np.int64(4), stops=np.array([1, 2]), rest=5)
    assert (config.steps, config.stops, config.rest) == (4, (1, 2), 5.0)
    assert type(config.steps) is int and type(config.rest) is float and type(config.stops[0]) is int


def test_settings_of_nested_configs_follow_unless_their_name_is_taken():
    names = [each.name for each in settings_of(Config)]
    assert names == ["steps", "pace", "stops", "rest", "back", "seed", "rate"]
    assert next(each.help for each in settings_of(Config) if each.name == "seed") == "Random seed"


def test_the_docstring_names_the_type_of_a_setting_that_is_no_single_number_or_text():
    @document_settings
    @dataclass(frozen=True, kw_only=True)
    class Given:
        """What a caller gives."""

        names: Sequence[str] | np.ndarray | None = setting(None, "Names")
        columns: Mapping[str, str] | None = setting(None, "Columns")
        kind: Literal["a", "b"] | None = setting(None, "Kind", among=("a", "b"))
        utility: str | Callable[[float], float] = setting("linear", "Utility")
        content: Any = setting(..., "Content")
        options: Mapping[str, Any] = setting(..., "Options")

    types = dict(re.findall(r"^    (\w+) : (.*)$", Given.__doc__, flags=re.MULTILINE))
    assert types == {
        "names": "sequence of str, array or None, default None",
        "columns": "mapping of str to str or None, default None",
        "kind": "str or None, default None",
        "utility": "str or function, default 'linear'",
        "content": "any value",
        "options": "mapping",
    }


def test_the_docstring_and_the_docs_have_every_setting():
    assert "    Parameters\n    ----------\n    steps : int, default 10\n        Number of steps." in Config.__doc__
    rows = markdown_rows(Config, toml=True, defaults={"stops": "nowhere"})
    assert rows == [
        "| `steps` | Number of steps | `10` |",
        '| `pace` | Pace: slow, fast; slow tires less | `"slow"` |',
        "| `stops` | Where to stop | nowhere |",
        "| `rest` | Minutes of rest | |",
        "| `back` | Walk back | `true` |",
        "| `seed` | Random seed | `0` |",
        "| `rate` | Learning rate | `0.1` |",
    ]


def test_whole_numbers_too_large_for_a_float_are_refused_or_kept():
    with pytest.raises(Refusal) as caught:
        Config(rest=10**400)
    assert caught.value.settings == {"rest": 10**400}
    assert Config(steps=10**400).steps == 10**400


@pytest.mark.parametrize("value", [None, True, {"seed": 1}])
def test_a_nested_config_is_of_its_class(value):
    with pytest.raises(Refusal) as caught:
        Config(inner=value)
    assert caught.value.settings == {"inner": value}
