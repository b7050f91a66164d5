"""Claims of papers are held against what came out, strictly: what too few runs leave open is never called equal."""

from __future__ import annotations

import math

import pytest

from dissensus.labels.intervals import Interval
from dissensus.papers.claims import Finding, parse_printed
from dissensus.papers.verdicts import (
    cannot_test,
    count_finding,
    direction_finding,
    exact_finding,
    no_difference_finding,
    number_finding,
)

NAN = float("nan")


def interval(value: float, half: float) -> Interval:
    return Interval(value, value - half, value + half, half / 1.96, 0.95)


def test_a_printed_number_knows_its_standard_error() -> None:
    theirs = parse_printed("0.319 ± 0.012", n=10)
    assert (theirs.value, theirs.sd, theirs.digits) == (0.319, 0.012, 3)
    assert theirs.error == pytest.approx(math.sqrt(0.012**2 / 10 + 0.001**2 / 12))
    assert parse_printed("32").error == pytest.approx(1 / math.sqrt(12))


@pytest.mark.parametrize(("ours", "verdict"), [(0.325, "equal"), (0.319, "equal"), (0.36, "differs")])
def test_numbers_are_equal_within_chance(ours: float, verdict: str) -> None:
    finding = number_finding(parse_printed("0.319 ± 0.012", 10), interval(ours, 0.008), over="10 seeds", parts=("a",))
    assert finding.verdict == verdict
    assert f"{ours:.3f} [" in finding.ours and "over 10 seeds" in finding.ours


def test_an_interval_that_would_hold_anything_makes_nothing_equal() -> None:
    """16% [-20, 52] does not confirm 32%."""
    wide = interval(16, 36)
    number = number_finding(parse_printed("32"), wide, over="3 sets", parts=("a",))
    assert number.verdict == "cannot be tested here" and "confirm 32" in number.reason
    runs = {"a": 40.0, "b": 10.0, "c": -2.0}
    assert (
        direction_finding(wide, runs, 1, over="sets", parts=("a",), theirs=parse_printed("32")).verdict
        == "same direction"
    )


def test_a_number_without_an_interval_is_equal_by_its_rounding_alone() -> None:
    exact = Interval(0.5, NAN, NAN, NAN, 0.95)
    assert number_finding(parse_printed("0.50"), exact, parts=(), over="1 run").verdict == "equal"
    assert number_finding(parse_printed("0.51"), exact, parts=(), over="1 run").verdict == "differs"


@pytest.mark.parametrize(
    ("ours", "text", "verdict"),
    [(0.3149, "0.31", "equal"), (0.3151, "0.31", "differs"), (1103, "1103", "equal"), (1104, "1103", "differs")],
)
def test_what_has_no_chance_in_it_must_round_to_what_is_printed(ours: float, text: str, verdict: str) -> None:
    assert exact_finding(parse_printed(text), ours, parts=("a",)).verdict == verdict


def test_a_direction_says_in_how_many_runs_it_holds() -> None:
    runs = {"0": -0.1, "1": -0.2, "2": 0.05}
    finding = direction_finding(interval(-0.083, 0.2), runs, -1, parts=("a",), over="seeds")
    assert finding.verdict == "same direction"
    assert "2 of 3 seeds" in finding.ours and finding.value is not None and finding.runs == runs
    assert direction_finding(interval(-0.083, 0.2), runs, 1, parts=("a",), over="seeds").verdict == "differs"


def test_a_mean_that_most_runs_contradict_has_not_that_direction() -> None:
    runs = {"0": 3.0, "1": -0.1, "2": -0.2}
    assert direction_finding(interval(0.9, 4), runs, 1, parts=("a",), over="seeds").verdict == "differs"


def test_a_direction_with_the_same_size_is_equal() -> None:
    runs = {"0": -0.05, "1": -0.05}
    theirs = parse_printed("-0.048 ± 0.01", 10)
    equal = direction_finding(interval(-0.05, 0.01), runs, -1, parts=("a",), over="seeds", theirs=theirs)
    smaller = direction_finding(interval(-0.01, 0.005), runs, -1, parts=("a",), over="seeds", theirs=theirs)
    assert (equal.verdict, smaller.verdict) == ("equal", "same direction")


@pytest.mark.parametrize(
    ("value", "half", "verdict"),
    [(0.1, 0.5, "equal"), (0.1, 3.0, "same direction"), (4.0, 1.0, "differs"), (0.5, 0.2, "equal")],
)
def test_no_difference_is_shown_by_an_interval_within_the_margin(value: float, half: float, verdict: str) -> None:
    finding = no_difference_finding(interval(value, half), {"0": value}, 1.0, over="seeds", parts=("a",))
    assert finding.verdict == verdict


def test_a_claim_about_cells_needs_more_than_half_of_them() -> None:
    half = {"a": True, "b": False}
    assert count_finding(half, over="cells", parts=("a",)).verdict == "differs"
    most = count_finding(half | {"c": True}, over="cells", parts=("a",), text="soft first")
    assert (
        most.verdict == "same direction" and most.ours.startswith("soft first") and most.ours.endswith("2 of 3 cells")
    )


def test_what_cannot_be_tested_needs_a_reason() -> None:
    assert cannot_test("no such data").as_json()["verdict"] == "cannot be tested here"
    with pytest.raises(ValueError, match="needs a reason"):
        Finding(ours="-", verdict="cannot be tested here")
    with pytest.raises(ValueError, match=r"'nearly'.*equal, same direction"):
        Finding(ours="-", verdict="nearly")  # type: ignore[arg-type]
