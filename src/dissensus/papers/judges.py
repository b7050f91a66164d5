"""Judges of claims: each says what to compare, and turns evidence into a verdict.

    less("soft_nll", "sls", than="soft", where="K = 5")     an arm is below another
    more(...), positive(expression), negative(expression)   the same for other directions and differences of differences
    same("accuracy", "sls", "soft", margin=0.01)            two arms do not differ by more than a margin
    not_less("accuracy", "soft", than="hard", margin=0.01)  an arm is not below another by more than a margin
    equals("entropy", "people", "0.59")                     a number with an interval comes out as printed
    exactly("items", "people", "3113")                      a number without randomness rounds to the printed one
    at_least("cells", "hard", "9")                          a count is at least the printed one
    holds_in([...], printed=12)                             most of several differences have the claimed sign
    each(judge, judge)                                      all of several judges agree
    untestable("no SVHN images")                            nothing here can test it
    needs("dense labels are not released", less(...))       can be tested only by those who have the data

Among the models that are strong enough, the one nearest to the paper's decides; `strength` has the conditions.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from dissensus.evaluate.statistics import mean_interval
from dissensus.labels.intervals import Interval
from dissensus.papers.combined_judges import Each, Judge, Needs, Untestable
from dissensus.papers.deciding import (
    Sign,
    as_relative,
    decide,
    describe_expression,
    is_near,
    let_nearest_decide,
    mean_runs,
    refute,
)
from dissensus.papers.evidence import Evidence, Number, mean_of
from dissensus.papers.expressions import Expression, difference
from dissensus.papers.outcomes import Judgement, Outcome, Verdict
from dissensus.papers.published import Printed, Published, parse_printed
from dissensus.papers.strength import accuracy_of, excludes_zero, half_width, has_power, weaknesses


@dataclass(frozen=True)
class Direction:
    """A difference with the sign that the paper reports, and its size if that is printed."""

    expression: Expression
    sign: Sign
    level: float = 0.05  # of significance
    runs: int | None = None  # the first of them alone, as many as the paper has: more runs are significant sooner

    def judge(self, evidence: Evidence, published: Published, source: str) -> Judgement:
        evidence = evidence if self.runs is None else evidence.first_runs(self.runs)
        effect = self.expression.published_value(published, source)
        error = self.expression.published_error(published, source)

        def verdict_of(ours: Interval) -> Verdict:
            if not excludes_zero(ours):
                return refute(ours, effect, error)
            if self.sign * ours.value < 0:
                return "differs"
            return "equal" if effect is not None and is_near(ours, effect, error) else "same direction"

        return decide(
            self.expression, evidence, published, source, effect, verdict_of, sign=self.sign, level=self.level
        )


@dataclass(frozen=True)
class Same:
    """A difference that is none: the whole interval is within the margin."""

    expression: Expression
    margin: float

    def judge(self, evidence: Evidence, published: Published, source: str) -> Judgement:
        def verdict_of(ours: Interval) -> Verdict:
            if max(abs(ours.low), abs(ours.high)) <= self.margin:
                return "equal"
            return "differs" if excludes_zero(ours) and abs(ours.value) > self.margin else "too weak to tell"

        made = decide(self.expression, evidence, published, source, 2 * self.margin, verdict_of)
        return replace(made, margin=self.margin)


@dataclass(frozen=True)
class NotBeyond:
    """A difference without the sign in question: at most a margin beyond zero on that side."""

    expression: Expression
    sign: Sign
    margin: float

    def judge(self, evidence: Evidence, published: Published, source: str) -> Judgement:
        def verdict_of(ours: Interval) -> Verdict:
            far = ours.high if self.sign > 0 else -ours.low
            if far <= self.margin:
                return "equal"
            return "differs" if excludes_zero(ours) and self.sign * ours.value > self.margin else "too weak to tell"

        made = decide(self.expression, evidence, published, source, math.inf, verdict_of, sign=self.sign)
        return replace(made, effect=self.expression.published_value(published, source), margin=self.margin)


@dataclass(frozen=True)
class Equals:
    """A number that the paper prints, with an interval here."""

    number: Number
    printed: Printed

    def judge(self, evidence: Evidence, published: Published, source: str) -> Judgement:
        def verdict_of(ours: Interval) -> Verdict:
            if not is_near(ours, self.printed.value, self.printed.error, wide=math.inf):
                return "differs"
            return "equal" if half_width(ours) <= abs(self.printed.value) / 2 else "too weak to tell"

        expression = Expression(((1.0, self.number),))
        return decide(expression, evidence, published, source, self.printed.value, verdict_of)


@dataclass(frozen=True)
class Exactly:
    """A number without randomness, such as a count; one of trained models is too weak to tell.

    or_more  a larger number supports the claim as well
    within   share of the printed number that ours may be off, for a number that the paper calls approximate
    """

    number: Number
    printed: Printed
    or_more: bool = False
    within: float = 0.0

    def judge(self, evidence: Evidence, published: Published, source: str) -> Judgement:
        expression = Expression(((1.0, self.number),))
        outcomes = []
        for candidate in evidence.with_numbers(self.number):
            (ours,) = (evidence.runs(candidate, self.number) or {}).values()
            weak = tuple(weaknesses(expression, candidate, evidence, published, source))
            if candidate.model and not self.or_more:  # no interval; a count of differences has many runs behind it
                weak += ("power",)
            value = Interval(ours, math.nan, math.nan, math.nan, 0.95)
            accuracy = accuracy_of(expression, candidate, evidence, published, source)
            outcomes.append(
                Outcome(candidate=candidate, value=value, runs={}, agreeing=0, weak=weak, accuracy=accuracy)
            )
        allowed = max(0.5 * 10.0**-self.printed.digits, self.within * abs(self.printed.value))

        def verdict_of(outcome: Outcome) -> Verdict:
            gap = outcome.value.value - self.printed.value
            if abs(gap) <= allowed * (1 + 1e-9):
                return "equal"
            return "same direction" if self.or_more and gap > 0 else "differs"

        made = let_nearest_decide(outcomes, verdict_of, self.printed.value, relative=False)
        return replace(made, digits=self.printed.digits)


@dataclass(frozen=True)
class HoldsIn:
    """Several differences with one sign: judged by their mean, in relative units, and counted one by one."""

    expressions: tuple[Expression, ...]
    sign: Sign
    printed: int | None = None

    def judge(self, evidence: Evidence, published: Published, source: str) -> Judgement:
        numbers = [number for expression in self.expressions for number in expression.numbers]
        outcomes: list[Outcome] = []
        effects = [as_relative(expression).published_value(published, source) for expression in self.expressions]
        known = [effect for effect in effects if effect is not None]
        effect = float(np.mean(known)) if len(known) == len(effects) else None
        errors = [as_relative(expression).published_error(published, source) for expression in self.expressions]
        error = float(np.linalg.norm(errors)) / len(errors)
        for candidate in evidence.with_numbers(*numbers):
            each = [as_relative(expression).runs(evidence, candidate) for expression in self.expressions]
            pooled = mean_runs(each)
            failed = {
                weakness
                for expression in self.expressions
                for weakness in weaknesses(expression, candidate, evidence, published, source)
            }
            ours = mean_interval(list(pooled.values()))
            cells = {
                describe_expression(expression): self.sign * mean_of(runs) > 0
                for expression, runs in zip(self.expressions, each, strict=True)
            }
            outcomes.append(
                Outcome(
                    candidate=candidate,
                    value=ours,
                    runs=pooled,
                    agreeing=sum(self.sign * value > 0 for value in pooled.values()),
                    weak=tuple(sorted(failed)) + (() if has_power(ours, effect) else ("power",)),
                    cells=cells,
                    accuracy=accuracy_of(self.expressions[0], candidate, evidence, published, source),
                )
            )

        def verdict_of(outcome: Outcome) -> Verdict:
            count = sum(outcome.cells.values())
            most = 2 * count > len(outcome.cells)
            if not excludes_zero(outcome.value):
                return refute(outcome.value, effect, error)
            if self.sign * outcome.value.value < 0 or not most:
                return "differs"
            return "equal" if self.printed is not None and count == self.printed else "same direction"

        relative = all(as_relative(expression).over for expression in self.expressions)
        return let_nearest_decide(outcomes, verdict_of, effect, relative=relative)


def less(
    metric: str,
    arm: str,
    *,
    than: str,
    where: str = "",
    than_where: str | None = None,
    level: float = 0.05,
    runs: int | None = None,
) -> Direction:
    """Judge that an arm has a lower value than another; level and runs as in `Direction`."""
    return Direction(difference(metric, arm, than, where, base_where=than_where), -1, level, runs)


def more(
    metric: str,
    arm: str,
    *,
    than: str,
    where: str = "",
    than_where: str | None = None,
    level: float = 0.05,
    runs: int | None = None,
) -> Direction:
    """Judge that an arm has a higher value than another; level and runs as in `Direction`."""
    return Direction(difference(metric, arm, than, where, base_where=than_where), 1, level, runs)


def positive(expression: Expression) -> Direction:
    return Direction(expression, 1)


def negative(expression: Expression) -> Direction:
    return Direction(expression, -1)


def same(metric: str, arm: str, base: str, *, margin: float, where: str = "") -> Same:
    """Judge that two arms do not differ by more than a margin."""
    return Same(difference(metric, arm, base, where), margin)


def not_less(metric: str, arm: str, *, than: str, margin: float, where: str = "") -> NotBeyond:
    """Judge that an arm is not below another by more than a margin."""
    return NotBeyond(difference(metric, arm, than, where), -1, margin)


def equals(metric: str, arm: str, printed: str, *, where: str = "", runs: int = 1) -> Equals:
    return Equals(Number(metric, arm, where), parse_printed(printed, runs))


def exactly(metric: str, arm: str, printed: str, *, where: str = "", within: float = 0.0) -> Exactly:
    """Judge that a number rounds to the printed one, or is within a share of it."""
    return Exactly(Number(metric, arm, where), parse_printed(printed), within=within)


def at_least(metric: str, arm: str, printed: str, *, where: str = "") -> Exactly:
    """Judge that a count reaches the printed one."""
    return Exactly(Number(metric, arm, where), parse_printed(printed), or_more=True)


def holds_in(expressions: Sequence[Expression], sign: Sign, *, printed: int | None = None) -> HoldsIn:
    """Judge that differences have a sign on the whole; `printed` is the count that the paper gives."""
    return HoldsIn(tuple(expressions), sign, printed)


def each(*judges: Judge) -> Each:
    return Each(judges)


def untestable(reason: str) -> Untestable:
    return Untestable(reason)


def needs(reason: str, judge: Judge) -> Needs:
    """Judge if the data are there; otherwise report why they are not."""
    return Needs(judge, reason)
