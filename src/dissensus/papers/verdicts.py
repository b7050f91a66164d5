"""How a published number is held against ours: each function is one kind of claim.

They are strict in one way: what is only compatible with a claim because too few seeds or items were run does not count
as equal. Where the data cannot tell, the verdict says so.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Literal

from dissensus.labels.intervals import Interval
from dissensus.papers.claims import Finding, Printed, Verdict

GAP = 2.0  # standard errors of the difference up to which two numbers count as equal
WIDE = 0.5  # of the published effect: an interval with a larger half-width cannot tell it from none
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
    """Their number against ours.

        |ours - theirs| <= 2 sqrt(error_ours^2 + error_theirs^2)      equal
        half-width of our interval > effect / 2                       cannot be tested: too few runs to tell

    error_ours is the half-width of our interval over 1.96. A number that other data, another encoder or a smaller
    network can move is better told by `direction_finding`.

    effect  what would be another result: the published number itself, its distance from 0, unless given
    over    what `ours` is the mean of, such as "10 seeds"
    """
    text = f"{shown(ours, theirs.digits)}{unit} over {over}"
    if not _near(theirs, ours):
        return Finding(ours=text, verdict="differs", reason=reason, parts=parts, value=ours, runs=runs)
    if _too_wide(ours, abs(theirs.value) if effect is None else effect):
        wide = f"the interval over {over} is too wide to tell {theirs.text} from something else"
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
    """A difference that the paper says is above (1) or below (-1) zero.

    Same direction where ours has that sign in the mean and in more than half of the runs; the text says in how many,
    and whether zero is within its interval. Equal where `theirs` is given, the sign is right, and the two are as near
    as `number_finding` asks.

    over  what the runs are: "seeds", "cells"
    """
    agreeing = sum(sign * value > 0 for value in runs.values())
    text = f"{shown(ours, digits, signed=True)}{unit}; this way in {agreeing} of {len(runs)} {over}"
    if ours.low < 0 < ours.high:
        text += ", and within chance of none"
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
    """A difference that the paper says is none.

    Equal where the whole interval lies within `margin` of zero; same direction where it includes zero and is wider;
    differs where it excludes zero and reaches beyond the margin.
    """
    text = f"{shown(ours, digits, signed=True)}{unit} over {len(runs)} {over}"
    if max(abs(ours.low), abs(ours.high)) <= margin:
        verdict: Verdict = "equal"
    elif ours.low <= 0 <= ours.high:
        verdict = "same direction"
        text += f"; no difference seen, and one of {margin:g}{unit} not excluded"
    else:
        verdict = "differs"
    return Finding(ours=text, verdict=verdict, reason=reason, parts=parts, value=ours, runs=runs)


def count_finding(
    agreeing: Mapping[str, bool], *, over: str, parts: tuple[str, ...], said: str = "", reason: str = ""
) -> Finding:
    """A claim that is true or false in each cell: same direction where it is true in more than half of them.

    said  what came out in words, before the count
    """
    count = sum(agreeing.values())
    text = f"{f'{said}; ' if said else ''}so in {count} of {len(agreeing)} {over}"
    verdict: Verdict = "same direction" if 2 * count > len(agreeing) else "differs"
    runs = {name: float(holds) for name, holds in agreeing.items()}
    return Finding(ours=text, verdict=verdict, reason=reason, parts=parts, runs=runs)


def exact_finding(theirs: Printed, ours: float, *, parts: tuple[str, ...], reason: str = "", unit: str = "") -> Finding:
    """A number that has no chance in it, such as a count or a closed form: equal where it rounds to what is printed."""
    same = abs(ours - theirs.value) <= 0.5 * 10.0**-theirs.digits * (1 + 1e-9)
    text = f"{ours:,.{theirs.digits}f}{unit}"
    interval = Interval(ours, math.nan, math.nan, math.nan, 0.95)
    return Finding(ours=text, verdict="equal" if same else "differs", reason=reason, parts=parts, value=interval)


def untested(reason: str) -> Finding:
    """A claim that nothing here can test: no such data, no such machine."""
    return Finding(ours="-", verdict="cannot be tested here", reason=reason)


def shown(interval: Interval, digits: int, signed: bool = False) -> str:
    """A number with its interval, rounded as the paper rounds."""
    style = f"{'+' if signed else ''}.{digits}f"
    number = f"{interval.value:{style}}"
    return number if math.isnan(interval.low) else f"{number} [{interval.low:{style}}, {interval.high:{style}}]"


def _half(interval: Interval) -> float:
    return 0.0 if math.isnan(interval.high) else (interval.high - interval.low) / 2


def _near(theirs: Printed, ours: Interval) -> bool:
    return abs(ours.value - theirs.value) <= GAP * math.hypot(_half(ours) / NORMAL, theirs.error) + 1e-12


def _too_wide(ours: Interval, effect: float) -> bool:
    return _half(ours) > WIDE * effect
