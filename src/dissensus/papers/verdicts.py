"""Verdicts: one function per type of claim compares a published number with ours.

A finding that is compatible with a claim only because few seeds or items were run does not count as equal.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Literal

from dissensus.labels.intervals import Interval
from dissensus.papers.claims import Finding, Printed, Verdict

GAP = 2.0  # standard errors of the difference up to which two numbers count as equal
WIDE = 0.5  # largest half-width of an interval, as a share of the published effect
NORMAL = 1.96


def number_finding(
    theirs: Printed,
    ours: Interval,
    *,
    over: str,
    parts: tuple[str, ...],
    runs: Mapping[str, float] | None = None,
    effect: float | None = None,
    reason: str = "",
    unit: str = "",
) -> Finding:
    """Compare a published number with ours.

        |ours - theirs| <= 2 sqrt(error_ours^2 + error_theirs^2)      equal
        half-width of our interval > effect / 2                       cannot be tested: too few runs to tell

    error_ours is the half-width of our interval divided by 1.96. If a number depends on the data, the encoder or the
    size of the network, use `direction_finding`.

    effect  difference that would be another result; by default the published number itself
    over    the runs behind `ours`, such as "10 seeds"
    """
    text = f"{format_estimate(ours, theirs.digits)}{unit} over {over}"
    if not _near(theirs, ours):
        return Finding(ours=text, verdict="differs", reason=reason, parts=parts, value=ours, runs=runs)
    if _too_wide(ours, abs(theirs.value) if effect is None else effect):
        wide = f"the interval over {over} is too wide to confirm {theirs.text}"
        reason = f"{wide}; {reason}" if reason else wide
        return Finding(ours=text, verdict="cannot be tested here", reason=reason, parts=parts, value=ours, runs=runs)
    return Finding(ours=text, verdict="equal", reason=reason, parts=parts, value=ours, runs=runs)


def direction_finding(
    ours: Interval,
    runs: Mapping[str, float],
    sign: Literal[-1, 1],
    *,
    over: str,
    parts: tuple[str, ...],
    theirs: Printed | None = None,
    reason: str = "",
    digits: int = 4,
    unit: str = "",
) -> Finding:
    """Judge a difference that the paper reports as positive (1) or negative (-1).

    Same direction if ours has that sign in the mean and in more than half of the runs. Equal if `theirs` is given, the
    sign is right, and the two numbers are as close as `number_finding` requires.

    over  the unit of the runs: "seeds", "cells"
    """
    agreeing = sum(sign * value > 0 for value in runs.values())
    text = f"{format_estimate(ours, digits, signed=True)}{unit}; same sign in {agreeing} of {len(runs)} {over}"
    if ours.low < 0 < ours.high:
        text += ", not significantly different from zero"
    most = 2 * agreeing > len(runs)
    verdict: Verdict = "same direction" if sign * ours.value > 0 and most else "differs"
    if theirs is not None and verdict == "same direction" and _near(theirs, ours):
        verdict = verdict if _too_wide(ours, abs(theirs.value)) else "equal"
    return Finding(ours=text, verdict=verdict, reason=reason, parts=parts, value=ours, runs=runs)


def no_difference_finding(
    ours: Interval,
    runs: Mapping[str, float],
    margin: float,
    *,
    over: str,
    parts: tuple[str, ...],
    reason: str = "",
    digits: int = 4,
    unit: str = "",
) -> Finding:
    """Judge a difference that the paper reports as none.

    Equal if the whole interval is within `margin` of zero; same direction if it includes zero but is wider; otherwise
    it differs.
    """
    text = f"{format_estimate(ours, digits, signed=True)}{unit} over {len(runs)} {over}"
    if max(abs(ours.low), abs(ours.high)) <= margin:
        verdict: Verdict = "equal"
    elif ours.low <= 0 <= ours.high:
        verdict = "same direction"
        text += f"; no significant difference, but one of {margin:g}{unit} is not excluded"
    else:
        verdict = "differs"
    return Finding(ours=text, verdict=verdict, reason=reason, parts=parts, value=ours, runs=runs)


def count_finding(
    agreeing: Mapping[str, bool], *, over: str, parts: tuple[str, ...], text: str = "", reason: str = ""
) -> Finding:
    """Judge a claim that is true or false in each cell: same direction if it is true in more than half of them.

    text  what came out, before the count
    """
    count = sum(agreeing.values())
    ours = f"{f'{text}; ' if text else ''}holds in {count} of {len(agreeing)} {over}"
    verdict: Verdict = "same direction" if 2 * count > len(agreeing) else "differs"
    runs = {name: float(holds) for name, holds in agreeing.items()}
    return Finding(ours=ours, verdict=verdict, reason=reason, parts=parts, runs=runs)


def exact_finding(theirs: Printed, ours: float, *, parts: tuple[str, ...], reason: str = "", unit: str = "") -> Finding:
    """Compare a number without randomness, such as a count: equal if it rounds to the printed one."""
    same = abs(ours - theirs.value) <= 0.5 * 10.0**-theirs.digits * (1 + 1e-9)
    text = f"{ours:,.{theirs.digits}f}{unit}"
    interval = Interval(ours, math.nan, math.nan, math.nan, 0.95)
    return Finding(ours=text, verdict="equal" if same else "differs", reason=reason, parts=parts, value=interval)


def cannot_test(reason: str) -> Finding:
    """Return the finding for a claim that cannot be tested here, such as for lack of data."""
    return Finding(ours="-", verdict="cannot be tested here", reason=reason)


def format_estimate(interval: Interval, digits: int, signed: bool = False) -> str:
    """Write a number with its interval, rounded as the paper rounds."""
    style = f"{'+' if signed else ''}.{digits}f"
    number = f"{interval.value:{style}}"
    return number if math.isnan(interval.low) else f"{number} [{interval.low:{style}}, {interval.high:{style}}]"


def _half(interval: Interval) -> float:
    return 0.0 if math.isnan(interval.high) else (interval.high - interval.low) / 2


def _near(theirs: Printed, ours: Interval) -> bool:
    return abs(ours.value - theirs.value) <= GAP * math.hypot(_half(ours) / NORMAL, theirs.error) + 1e-12


def _too_wide(ours: Interval, effect: float) -> bool:
    return _half(ours) > WIDE * effect
