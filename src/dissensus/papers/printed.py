"""Numbers as papers print them."""

from __future__ import annotations

import math
from dataclasses import dataclass


@dataclass(frozen=True)
class Printed:
    """A number as a paper prints it.

    text    such as "0.319 ± 0.012"
    value   the number itself
    digits  number of decimals
    sd      standard deviation over `n` runs; None if the paper gives no spread
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


def parse_printed(text: str, n: int = 1, *, interval: bool = False) -> Printed:
    """Parse a number from its text, such as "0.319 ± 0.012".

    The number after ± is a standard deviation over `n` runs, or with `interval` the half-width of a 95% interval of
    their mean, from which the standard deviation is computed by Student's t.
    """
    from scipy.special import stdtrit

    mean, _, spread = (part.strip() for part in text.partition("±"))
    digits = len(mean.partition(".")[2])
    sd = float(spread) if spread else None
    if sd is not None and interval:
        sd *= math.sqrt(n) / float(stdtrit(n - 1, 0.975))
    return Printed(text, float(mean), digits, sd, n)
