"""Differences that claims are about: weighted sums of measured numbers, run by run."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from dissensus.papers.evidence import Candidate, Evidence, Number, Runs
from dissensus.papers.published import Published


@dataclass(frozen=True)
class Expression:
    """A weighted sum of numbers, such as soft labels less hard labels.

    terms  weights and numbers
    over   divide by the absolute mean of this number over runs: a relative difference
    """

    terms: tuple[tuple[float, Number], ...]
    over: Number | None = None

    @property
    def numbers(self) -> tuple[Number, ...]:
        return tuple(number for _, number in self.terms) + ((self.over,) if self.over else ())

    @property
    def is_contrast(self) -> bool:
        """Whether it is an arm less another by the same metric."""
        return len(self.terms) == 2 and self.terms[0][1].metric == self.terms[1][1].metric

    def runs(self, evidence: Evidence, candidate: Candidate) -> Runs:
        """Values by run, of the runs that have all numbers."""
        known: dict[Number, Runs] = {}
        for number in self.numbers:
            values = evidence.runs(candidate, number)
            assert values is not None, f"{number} is not measured"
            known[number] = values
        shared = [run for run in known[self.numbers[0]] if all(run in values for values in known.values())]
        if not shared:
            raise ValueError(f"no run has all of {', '.join(map(str, self.numbers))}")
        scale = 1.0 if self.over is None else abs(float(np.mean([known[self.over][run] for run in shared])))
        return {run: sum(weight * known[number][run] for weight, number in self.terms) / scale for run in shared}

    def published_value(self, published: Published, source: str) -> float | None:
        """The value by the printed numbers; None unless the paper prints all of them."""
        found = {number: published.find(number, source) for number in self.numbers}
        numbers = {number: printed.value for number, printed in found.items() if printed is not None}
        if len(numbers) < len(found):
            return None
        total = sum(weight * numbers[number] for weight, number in self.terms)
        return total / abs(numbers[self.over]) if self.over else total

    def published_error(self, published: Published, source: str) -> float:
        """Standard error of the printed value by spread over runs and by rounding."""
        errors = [
            weight * printed.error
            for weight, number in self.terms
            if (printed := published.find(number, source)) is not None
        ]
        scale = 1.0
        if self.over is not None and (printed := published.find(self.over, source)) is not None:
            scale = abs(printed.value)
        return float(np.linalg.norm(errors)) / scale

    def means(self, evidence: Evidence, candidate: Candidate) -> dict[str, float]:
        """Mean of each arm over the runs that both have, for a contrast."""
        if not self.is_contrast:
            return {}
        numbers = [number for _, number in self.terms]
        names = [number.arm for number in numbers]
        if names[0] == names[1]:
            names = [number.where for number in numbers]
        known, shared = [evidence.runs(candidate, number) or {} for number in numbers], self.runs(evidence, candidate)
        return {name: float(np.mean([runs[run] for run in shared])) for name, runs in zip(names, known, strict=True)}

    def __neg__(self) -> Expression:
        return replace(self, terms=tuple((-weight, number) for weight, number in self.terms))

    def __sub__(self, other: Expression) -> Expression:
        assert self.over is None and other.over is None, "relative differences cannot be subtracted term by term"
        return Expression((*self.terms, *((-weight, number) for weight, number in other.terms)))


def value_of(metric: str, arm: str, where: str = "") -> Expression:
    return Expression(((1.0, Number(metric, arm, where)),))


def difference(
    metric: str, arm: str, base: str, where: str = "", *, base_where: str | None = None, relative: bool = False
) -> Expression:
    """An arm less a base; `base_where` is the condition of the base if it is another one."""
    of = Number(metric, base, where if base_where is None else base_where)
    made = Expression(((1.0, Number(metric, arm, where)), (-1.0, of)))
    return replace(made, over=of) if relative else made
