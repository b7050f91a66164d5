"""Claims of papers are held against what came out, and nothing is left out."""

from __future__ import annotations

import math

import pytest

from dissensus.labels.intervals import Interval
from dissensus.papers.claims import Finding, direction_finding, number_finding, printed, untested


def interval(value: float, half: float) -> Interval:
    return Interval(value, value - half, value + half, half / 1.96, 0.95)


def test_a_printed_number_knows_its_standard_error() -> None:
    theirs = printed("0.319 ± 0.012", n=10)
    assert (theirs.value, theirs.sd, theirs.digits) == (0.319, 0.012, 3)
    assert theirs.error == pytest.approx(math.sqrt(0.012**2 / 10 + 0.001**2 / 12))
    assert printed("32").error == pytest.approx(1 / math.sqrt(12))


@pytest.mark.parametrize(("ours", "verdict"), [(0.325, "equal"), (0.319, "equal"), (0.36, "differs")])
def test_numbers_are_equal_within_chance(ours: float, verdict: str) -> None:
    finding = number_finding(
        printed("0.319 ± 0.012", 10), interval(ours, 0.008), {"0": ours}, part="a", over="10 seeds"
    )
    assert finding.verdict == verdict
    assert f"{ours:.3f} [" in finding.ours and "over 10 seeds" in finding.ours


def test_a_number_without_an_interval_is_equal_by_its_rounding_alone() -> None:
    nan = float("nan")
    exact = Interval(0.5, nan, nan, nan, 0.95)
    assert number_finding(printed("0.50"), exact, {}, part="", over="1 run").verdict == "equal"
    assert number_finding(printed("0.51"), exact, {}, part="", over="1 run").verdict == "differs"


def test_a_direction_says_in_how_many_runs_it_holds() -> None:
    runs = {"0": -0.1, "1": -0.2, "2": 0.05}
    finding = direction_finding(interval(-0.083, 0.2), runs, -1, part="a", over="3 seeds")
    assert finding.verdict == "same direction" and "this way in 2 of 3 seeds" in finding.ours
    assert direction_finding(interval(-0.083, 0.2), runs, 1, part="a", over="3 seeds").verdict == "differs"


def test_a_direction_with_the_same_size_is_equal() -> None:
    runs = {"0": -0.05, "1": -0.05}
    theirs = printed("-0.048 ± 0.01", 10)
    equal = direction_finding(interval(-0.05, 0.01), runs, -1, part="a", over="2 seeds", theirs=theirs)
    smaller = direction_finding(interval(-0.01, 0.005), runs, -1, part="a", over="2 seeds", theirs=theirs)
    assert (equal.verdict, smaller.verdict) == ("equal", "same direction")


def test_what_cannot_be_tested_needs_a_reason() -> None:
    assert untested("no such data").as_json()["verdict"] == "cannot be tested here"
    with pytest.raises(ValueError, match="needs a reason"):
        Finding(ours="-", verdict="cannot be tested here")
    with pytest.raises(ValueError, match="expected one of equal, same direction"):
        Finding(ours="-", verdict="nearly")  # type: ignore[arg-type]
