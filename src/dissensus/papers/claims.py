"""Claims of a paper, and the findings about them."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any, Literal

from dissensus.labels.as_json import as_json
from dissensus.labels.intervals import Interval
from dissensus.labels.refusals import one_of

Verdict = Literal["equal", "same direction", "differs", "cannot be tested here"]
VERDICTS: tuple[Verdict, ...] = ("equal", "same direction", "differs", "cannot be tested here")


@dataclass(frozen=True)
class Printed:
    """A number as a paper prints it.

    text    such as "0.319 ± 0.012"
    value   the number itself
    digits  number of decimals
    sd      the number after ±, if it is a standard deviation over `n` runs; None if the paper gives none
    """

    text: str
    value: float
    digits: int
    sd: float | None = None
    n: int = 1

    @property
    def error(self) -> float:
        """Standard error of the mean over runs and of rounding."""
        spread = 0.0 if self.sd is None else self.sd / math.sqrt(self.n)
        return math.hypot(spread, 10.0**-self.digits / math.sqrt(12))


def parse_printed(text: str, n: int = 1) -> Printed:
    """Parse a number from its text; in "0.319 ± 0.012" the second one is a standard deviation over `n` runs."""
    mean, _, sd = (part.strip() for part in text.partition("±"))
    digits = len(mean.partition(".")[2])
    return Printed(text, float(mean), digits, float(sd) if sd else None, n)


@dataclass(frozen=True, kw_only=True)
class Claim:
    """A statement of a paper that a reproduction can contradict.

    Attributes
    ----------
    key : str
        Unique within the paper, such as "table-3-chaosnli-kl".
    claim : str
        The statement in our words.
    source : str
        Table, figure or section, with the row.
    published : str
        The number as printed, with the meaning of its ±; for a claim without numbers, the statement itself.

    Examples
    --------
    >>> claim = Claim(key="kl", claim="Soft labels lower KL", source="table 3", published="0.367 | 0.319")
    >>> claim.source
    'table 3'
    """

    key: str
    claim: str
    source: str
    published: str


@dataclass(frozen=True, kw_only=True)
class Finding:
    """The result of a reproduction about one claim.

    Attributes
    ----------
    ours : str
        The number with its interval, and the number of seeds or cells behind it.
    verdict : str
        "equal", "same direction", "differs" or "cannot be tested here".
    reason : str
        Why it differs, what was different here, or what is missing to test it; may be empty.
    parts : names
        Parts of the reproduction that the finding was computed from.
    value : Interval
        The number itself; None if there is none.
    runs : numbers by seed, fold or cell
        The numbers that `value` is the mean of.
    behind : lists of numbers by name
        Numbers from which `runs` were computed, such as the scores of each seed.

    Examples
    --------
    >>> Finding(ours="1,797", verdict="equal").as_json()["verdict"]
    'equal'
    """

    ours: str
    verdict: Verdict
    reason: str = ""
    parts: tuple[str, ...] = ()
    value: Interval | None = None
    runs: Mapping[str, float] | None = None
    behind: Mapping[str, Sequence[float]] | None = None

    def __post_init__(self) -> None:
        one_of("verdict", self.verdict, VERDICTS)
        if self.verdict == "cannot be tested here" and not self.reason:
            raise ValueError("a claim that cannot be tested here needs a reason")

    def as_json(self) -> dict[str, Any]:
        """All fields in JSON; the interval as value, low and high."""
        return {field.name: as_json(getattr(self, field.name)) for field in fields(self)}


@dataclass(frozen=True, kw_only=True)
class Answer:
    """The answer to a question that goes beyond a paper; `parts` as in `Finding`."""

    question: str
    answer: str
    parts: tuple[str, ...] = ()
