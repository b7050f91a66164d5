"""What a paper claims, and what came out here about it."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from dissensus.labels.as_json import as_json
from dissensus.labels.intervals import Interval

Verdict = Literal["equal", "same direction", "differs", "cannot be tested here"]
VERDICTS: tuple[Verdict, ...] = ("equal", "same direction", "differs", "cannot be tested here")


@dataclass(frozen=True)
class Printed:
    """A number as a paper prints it.

    text    such as "0.319 ± 0.012"
    value   the number itself
    digits  after the point, by which it was rounded
    sd      what follows the ±, where it is a standard deviation over `n` runs; None where the paper gives none
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
    parts    of the reproduction that it was computed from; none where nothing was
    value    the number itself with its interval, where there is one
    runs     by seed, fold or cell: the numbers that `value` is the mean of
    behind   other numbers that those were computed from, by name, such as the scores of each seed
    """

    ours: str
    verdict: Verdict
    reason: str = ""
    parts: tuple[str, ...] = ()
    value: Interval | None = None
    runs: Mapping[str, float] | None = None
    behind: Mapping[str, Sequence[float]] | None = None

    def __post_init__(self) -> None:
        if self.verdict not in VERDICTS:
            raise ValueError(f"{self.verdict!r} is no verdict; expected one of {', '.join(VERDICTS)}")
        if self.verdict == "cannot be tested here" and not self.reason:
            raise ValueError("what cannot be tested here needs a reason")

    def as_json(self) -> dict[str, Any]:
        return {
            "ours": self.ours,
            "verdict": self.verdict,
            "reason": self.reason,
            "parts": list(self.parts),
            "value": as_json(self.value),
            "runs": as_json(self.runs),
            "behind": as_json(self.behind),
        }


@dataclass(frozen=True, kw_only=True)
class Answer:
    """What came out about a question of ours that goes beyond a paper; `parts` as in `Finding`."""

    question: str
    answer: str
    parts: tuple[str, ...] = ()
