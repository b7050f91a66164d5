"""Decide a claim by the nearest model that is strong enough."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Literal

import numpy as np

from dissensus.evaluate.statistics import mean_interval
from dissensus.labels.intervals import Interval
from dissensus.papers.evidence import Evidence, Runs, mean_of
from dissensus.papers.expressions import Expression
from dissensus.papers.outcomes import Judgement, Outcome, Verdict
from dissensus.papers.published import Published
from dissensus.papers.strength import accuracy_of, half_width, has_power, weaknesses

Sign = Literal[-1, 1]
NEAR = 2.0  # standard errors of the difference up to which two numbers count as equal
NORMAL = 1.96


def decide(
    expression: Expression,
    evidence: Evidence,
    published: Published,
    source: str,
    effect: float | None,
    verdict_of: Callable[[Interval], Verdict],
    sign: Sign = 1,
    level: float = 0.05,
) -> Judgement:
    outcomes = []
    for candidate in evidence.with_numbers(*expression.numbers):
        runs = expression.runs(evidence, candidate)
        ours = mean_interval(list(runs.values()), coverage=1 - level)
        failed = tuple(weaknesses(expression, candidate, evidence, published, source))
        outcomes.append(
            Outcome(
                candidate=candidate,
                value=ours,
                runs=runs,
                agreeing=sum(sign * value > 0 for value in runs.values()),
                weak=failed if has_power(ours, effect) else (*failed, "power"),
                means=expression.means(evidence, candidate),
                accuracy=accuracy_of(expression, candidate, evidence, published, source),
            )
        )
    made = let_nearest_decide(
        outcomes, lambda outcome: verdict_of(outcome.value), effect, relative=bool(expression.over)
    )
    printed = [published.find(number, source) for _, number in expression.terms]
    return replace(made, digits=max((number.digits for number in printed if number), default=None))


def let_nearest_decide(
    outcomes: Sequence[Outcome], verdict_of: Callable[[Outcome], Verdict], effect: float | None, relative: bool
) -> Judgement:
    """Let the nearest model that is strong enough decide."""
    if not outcomes:
        return replace(not_run(), effect=effect)
    strong = _nearest_strong(outcomes)
    verdict = "too weak to tell" if strong is None else verdict_of(outcomes[strong])
    return Judgement(verdict=verdict, outcomes=tuple(outcomes), decided=strong or 0, effect=effect, relative=relative)


def _nearest_strong(outcomes: Sequence[Outcome]) -> int | None:
    """Position of the outcome that decides.

    If a model lacks nothing but power, it does not decide at another epoch or by another split either: that would be a
    second try with the same models.
    """
    tried: set[str] = set()
    for place, outcome in enumerate(outcomes):
        if not outcome.weak and outcome.candidate.model not in tried:
            return place
        if outcome.weak == ("power",):
            tried.add(outcome.candidate.model)
    return None


def is_near(ours: Interval, theirs: float, error: float, wide: float = 0.5) -> bool:
    """Within two standard errors, by an interval that is narrow compared with the printed effect."""
    half = half_width(ours)
    return abs(ours.value - theirs) <= NEAR * math.hypot(half / NORMAL, error) + 1e-12 and half <= wide * abs(theirs)


def refute(ours: Interval, effect: float | None, error: float) -> Verdict:
    """Return "differs" for an interval with zero only if it excludes the printed effect and its error."""
    near = effect is not None and is_near(ours, effect, error, wide=math.inf)
    return "too weak to tell" if near else "differs"


def as_relative(expression: Expression) -> Expression:
    if expression.over is not None or not expression.is_contrast:
        return expression
    return replace(expression, over=expression.terms[1][1])


def mean_runs(each: Sequence[Runs]) -> Runs:
    """Mean over differences, run by run; differences without common runs count as one run each."""
    shared = [run for run in each[0] if all(run in runs for runs in each)]
    if shared:
        return {run: float(np.mean([runs[run] for runs in each])) for run in shared}
    return {str(place): mean_of(runs) for place, runs in enumerate(each, 1)}


def not_run() -> Judgement:
    """The judgement if this scale does not measure what a claim is about."""
    return Judgement(verdict="cannot be tested here", reason="not part of this scale")


def describe_expression(expression: Expression) -> str:
    """Name a difference by its arm, base, metric and condition."""
    numbers = [number for _, number in expression.terms]
    arms = " - ".join(dict.fromkeys(number.arm for number in numbers))
    rest = dict.fromkeys((numbers[0].metric, *(number.where for number in numbers)))
    return ", ".join((arms, *filter(None, rest)))
