"""The result of a test, and the correction for several tests.

A p-value means little without the number of pairs behind it and the smallest p that this number allows: five seeds that
all agree give a one-sided p of 0.031 and no less, however large the difference. A `Comparison` has all three.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal, get_args

import numpy as np

from dissensus.labels.refusals import one_of
from dissensus.report.numbers import format_number, format_p

Alternative = Literal["two-sided", "less", "greater"]
ALTERNATIVES: tuple[Alternative, ...] = get_args(Alternative)


@dataclass(frozen=True, kw_only=True)
class Comparison:
    """One test of a against b, with the smallest p it could have given.

    Parameters
    ----------
    test : which test, and whether it is exact
    alternative : "less": a tends to be below b; "greater": above; "two-sided": either
    n : pairs, clusters, or the smaller of two independent groups
    difference : mean of a - mean of b
    effect : the effect size named `effect_name`
    p : probability of a result at least this extreme if there were no difference
    minimum_p : the smallest p that this test can give for n; 0 if there is no smallest one
    adjusted_p : p corrected for a family of tests; None for a test on its own
    family : the number of tests in the family
    minimum_adjusted_p : the smallest adjusted p that this test can have, whatever the others give
    """

    test: str
    alternative: Alternative
    n: int
    difference: float
    effect: float
    effect_name: str
    p: float
    minimum_p: float
    adjusted_p: float | None = None
    family: int = 1
    minimum_adjusted_p: float | None = None

    def __post_init__(self) -> None:
        one_of("alternative", self.alternative, ALTERNATIVES)
        if self.n < 1 or self.family < 1:
            raise ValueError(f"a comparison of {self.n} pairs in a family of {self.family}; expected 1 or more of both")
        if not 0 <= self.minimum_p <= self.p * (1 + 1e-9) <= 1 + 2e-9:
            raise ValueError(f"p = {self.p:g} and minimum p = {self.minimum_p:g}; expected 0 <= minimum p <= p <= 1")

    @property
    def decidable(self) -> bool:
        """Whether the strongest possible result would be below 0.05, after correction for the family."""
        return self.least < 0.05

    @property
    def least(self) -> float:
        """The smallest possible p after correction for the family; 0 if there is no smallest one."""
        if self.minimum_adjusted_p is not None:
            return self.minimum_adjusted_p
        return min(1.0, self.minimum_p * self.family)

    def __str__(self) -> str:
        best = f"at best {format_number(self.minimum_p, 'p')}" if self.minimum_p > 0 else "no lower bound"
        text = f"{format_p(self.p)} (n = {self.n:,}, {best})"
        if self.adjusted_p is not None:
            text += f", Holm over {self.family}: {format_number(self.adjusted_p, 'p')}"
            if self.minimum_p > 0:
                text += f" (at best {format_number(self.least, 'p')})"
        return text

    def as_json(self) -> dict[str, Any]:
        record: dict[str, Any] = {
            "test": self.test,
            "alternative": self.alternative,
            "n": self.n,
            "p": self.p,
            "minimum_p": self.minimum_p,
            "difference": self.difference,
            self.effect_name.replace(" ", "_").replace("'", ""): self.effect,
        }
        if self.adjusted_p is None:
            return record
        return record | {"holm_p": self.adjusted_p, "minimum_holm_p": self.least, "family": self.family}


def holm(family: Mapping[str, Comparison]) -> dict[str, Comparison]:
    """Correct the p-values of a family of tests, so that any false finding has a probability below alpha.

        adjusted p_(i) = max over j <= i of min(1, (m - j + 1) p_(j)),   p_(1) <= ... <= p_(m)

    Holm (1979), A simple sequentially rejective multiple test procedure. Valid for dependent tests. A family of m tests
    with the same minimum p rejects nothing if m times that minimum is alpha or more.

    Parameters
    ----------
    family : tests by name

    Returns
    -------
    the same tests with `adjusted_p`, `family` and `minimum_adjusted_p`

    Examples
    --------
    >>> from dissensus.evaluate import paired_t
    >>> both = holm({"kl": paired_t([1, 2, 4], [0, 0, 0]), "brier": paired_t([1, 2, 3], [3, 1, 2])})
    >>> {name: round(test.adjusted_p, 2) for name, test in both.items()}
    {'kl': 0.24, 'brier': 1.0}
    """
    names = list(family)
    adjusted = adjust_p_values(np.array([family[name].p for name in names]))
    least = adjust_p_values(np.array([family[name].minimum_p for name in names]))  # rises with the p of any test
    return {
        name: replace(family[name], adjusted_p=float(p), family=len(names), minimum_adjusted_p=float(low))
        for name, p, low in zip(names, adjusted, least, strict=True)
    }


def adjust_p_values(p: np.ndarray) -> np.ndarray:
    """Return Holm's corrected p-values in the order given.  p: (m,) -> (m,)"""
    values = np.asarray(p, dtype=np.float64)
    bad = np.flatnonzero(~((values >= 0) & (values <= 1)))
    if values.ndim != 1 or bad.size:
        raise ValueError(f"p-values {values.tolist()[:10]}: expected one list of numbers from 0 to 1")
    order = np.argsort(values, kind="stable")
    raised = np.maximum.accumulate(np.minimum(values[order] * np.arange(values.size, 0, -1), 1.0))
    adjusted = np.empty(values.size)
    adjusted[order] = raised
    return adjusted
