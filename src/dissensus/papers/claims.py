"""What a paper claims, what came out here, and how the two are held against each other."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from dissensus.labels.intervals import Interval

Verdict = Literal["equal", "same direction", "differs", "cannot be tested here"]
VERDICTS: tuple[Verdict, ...] = ("equal", "same direction", "differs", "cannot be tested here")
GAP = 2.0  # standard errors of the difference up to which two numbers count as equal


@dataclass(frozen=True)
class Printed:
    """A number as a paper prints it.

    text    such as "0.319 ± 0.012"
    value   the number itself
    sd      what follows the ±, where it is a standard deviation over `n` runs; None where the paper gives none
    digits  after the point, by which it was rounded
    """

    text: str
    value: float
    digits: int
    sd: float | None = None
    n: int = 1

    @property
    def error(self) -> float:
        """Its standard error: of the mean over runs, and of rounding."""
        spread = 0.0 if self.sd is None else self.sd / math.sqrt(self.n)
        return math.hypot(spread, 10.0**-self.digits / math.sqrt(12))


def printed(text: str, n: int = 1) -> Printed:
    """A number from its text; "0.319 ± 0.012" has a standard deviation, over `n` runs."""
    mean, _, sd = (part.strip() for part in text.partition("±"))
    digits = len(mean.partition(".")[2])
    return Printed(text, float(mean), digits, float(sd) if sd else None, n)


@dataclass(frozen=True, kw_only=True)
class Claim:
    """Something that a paper says and that can come out otherwise.

    key        its name among the claims of its paper, such as "table-3-chaosnli-kl"
    claim      in our words
    source     the table, figure or section with its row
    published  the number as printed, with what its ± is of; or what is said, where there is no number
    """

    key: str
    claim: str
    source: str
    published: str


@dataclass(frozen=True, kw_only=True)
class Finding:
    """What came out here about a claim.

    ours     in words: the number with its interval and how many seeds or cells it is over
    verdict  one of VERDICTS
    reason   why it differs, what was other here, or what is missing to test it; "" where nothing needs saying
    part     the part of the reproduction that it was computed from; "" where nothing was
    value    the number itself with its interval, where there is one
    runs     by seed, fold or cell: the numbers that `value` is the mean of
    """

    ours: str
    verdict: Verdict
    reason: str = ""
    part: str = ""
    value: Interval | None = None
    runs: Mapping[str, float] | None = None

    def __post_init__(self) -> None:
        if self.verdict not in VERDICTS:
            raise ValueError(f"{self.verdict!r} is no verdict; expected one of {', '.join(VERDICTS)}")
        if self.verdict == "cannot be tested here" and not self.reason:
            raise ValueError("what cannot be tested here needs a reason")

    def as_json(self) -> dict[str, Any]:
        interval = self.value
        numbers = None if interval is None else [_or_none(number) for number in
                                                 (interval.value, interval.low, interval.high)]  # fmt: skip
        return {"ours": self.ours, "verdict": self.verdict, "reason": self.reason, "part": self.part,
                "value": numbers, "runs": None if self.runs is None else dict(self.runs)}  # fmt: skip


def number_finding(
    theirs: Printed, ours: Interval, runs: Mapping[str, float], *, part: str, over: str, reason: str = "",
    unit: str = "",
) -> Finding:  # fmt: skip
    """Their number against ours: equal where the gap is within chance and rounding.

        |ours - theirs| <= 2 sqrt(error_ours^2 + error_theirs^2)

    error_ours is the half-width of our interval over 1.96. A number that other data, another encoder or a smaller
    network can move is better told by `direction_finding`.

    over  what the runs are, such as "10 seeds"
    """
    own = 0.0 if math.isnan(ours.high) else (ours.high - ours.low) / 2 / 1.96
    equal = abs(ours.value - theirs.value) <= GAP * math.hypot(own, theirs.error) + 1e-12
    text = f"{_shown(ours, theirs.digits)}{unit} over {over}"
    return Finding(ours=text, verdict="equal" if equal else "differs", reason=reason, part=part, value=ours, runs=runs)


def direction_finding(
    ours: Interval, runs: Mapping[str, float], sign: Literal[-1, 1], *, part: str, over: str, reason: str = "",
    theirs: Printed | None = None, digits: int = 4,
) -> Finding:  # fmt: skip
    """A difference that the paper says is above (1) or below (-1) zero.

    Same direction where ours has that sign; the text says in how many runs. Equal where `theirs` is given, the sign is
    right and the gap is within chance, as in `number_finding`.
    """
    agreeing = sum(sign * value > 0 for value in runs.values())
    text = f"{_shown(ours, digits)}; this way in {agreeing} of {over}"
    verdict: Verdict = "same direction" if sign * ours.value > 0 else "differs"
    if theirs is not None and verdict == "same direction":
        verdict = "equal" if number_finding(theirs, ours, runs, part=part, over=over).verdict == "equal" else verdict
    return Finding(ours=text, verdict=verdict, reason=reason, part=part, value=ours, runs=runs)


def untested(reason: str) -> Finding:
    """A claim that nothing here can test: no such data, no such machine."""
    return Finding(ours="-", verdict="cannot be tested here", reason=reason)


def _shown(interval: Interval, digits: int) -> str:
    number = f"{interval.value:.{digits}f}"
    return number if math.isnan(interval.low) else f"{number} [{interval.low:.{digits}f}, {interval.high:.{digits}f}]"


def _or_none(number: float) -> float | None:
    return number if math.isfinite(number) else None
