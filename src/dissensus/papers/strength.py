"""When a run is too weak to tell: four conditions, none of which looks at the sign of the result.

    level     the reference arm reaches 0.9 of the printed accuracy, or at most 1.5 times the printed loss
    control   the largest contrast printed in the same metric, other than those in question, excludes zero here and has
              at least a third of its printed relative size, with either sign: models that learn from exchanged labels
              are strong, and their claims differ. It is from the same table or from the one named as control, whose
              first level metric replaces one that is not printed
    power     the half-width of the interval is at most half of the printed effect, or zero is outside it
    delivery  labels shown one at a time have been shown as often as there are votes by the scored epoch

Decision 30 has the reasons.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np

from dissensus.evaluate.statistics import mean_interval
from dissensus.labels.intervals import Interval
from dissensus.papers.evidence import Candidate, Evidence, Number, mean_of
from dissensus.papers.expressions import Expression, difference
from dissensus.papers.published import Published, PublishedTable

Weakness = Literal["level", "control", "power", "delivery"]
ACCURACY, LOSS = 0.9, 1.5  # least share of the printed accuracy, largest multiple of the printed loss
CONTROL = 1 / 3  # of the printed relative size
POWER = 0.5  # of the printed effect
SHOWN = "labels_shown"  # metric: labels that an arm has shown per item by the scored epoch


def weaknesses(
    expression: Expression, candidate: Candidate, evidence: Evidence, published: Published, source: str
) -> list[Weakness]:
    """Return the conditions that a model fails for a claim, without power, which needs the interval."""
    table = published.conditions(source, expression.terms[0][1].where)
    if table is None or not candidate.model:
        return []
    failed: list[Weakness] = []
    if not reaches_level(table, candidate, evidence, published):
        failed.append("level")
    if not passes_control(table, expression, candidate, evidence, published.table(table.control, table.where)):
        failed.append("control")
    if not has_shown_all(table, expression, candidate, evidence):
        failed.append("delivery")
    return failed


def accuracy_of(
    expression: Expression, candidate: Candidate, evidence: Evidence, published: Published, source: str
) -> float | None:
    """Accuracy of the reference arm in percent, for readers; None if it was not measured."""
    table = published.conditions(source, expression.terms[0][1].where)
    if table is None or not candidate.model:
        return None
    for metric in ("accuracy", "accuracy_home"):
        for where in (table.where, ""):
            runs = evidence.runs(candidate, Number(metric, table.reference, where))
            if runs:
                mean = mean_of(runs)
                return mean if mean > 1 else 100 * mean  # some papers print shares
    return None


@dataclass(frozen=True)
class Level:
    """How good a model is next to the paper's: a metric of the reference arm, ours as the mean over runs."""

    model: str
    epoch: str
    metric: str
    arm: str
    where: str
    ours: float
    printed: float


def levels(evidence: Evidence, published: Published) -> list[Level]:
    """Every number that decides about the level of a model, once."""
    found: dict[tuple[Candidate, str, str, float], Level] = {}
    for table in published.tables:
        for metric in table.level:
            number = Number(metric, table.reference, table.where)
            printed = published.find(number, table.source)
            for candidate in evidence.with_numbers(number) if printed else ():
                runs = evidence.runs(candidate, number)
                if printed and runs and candidate.model:
                    ours = mean_of(runs)
                    found.setdefault(
                        (candidate, metric, number.arm, ours), Level(*candidate, *number, ours, printed.value)
                    )
    return list(found.values())


def reaches_level(table: PublishedTable, candidate: Candidate, evidence: Evidence, published: Published) -> bool:
    """Whether the reference arm is about as good as the paper's by one of the metrics that are its level."""
    compared = []
    for metric in table.level:
        number = Number(metric, table.reference, table.where)
        printed, runs = published.find(number, table.source), evidence.runs(candidate, number)
        if printed is not None and runs is not None:
            ours = mean_of(runs)
            high = metric.startswith("accuracy")
            compared.append(ours >= ACCURACY * printed.value if high else ours <= LOSS * printed.value)
    return not table.level or any(compared)


def passes_control(
    table: PublishedTable,
    expression: Expression,
    candidate: Candidate,
    evidence: Evidence,
    control: PublishedTable | None = None,
) -> bool:
    """Whether the largest printed contrast shows here; a contrast is not its own control."""
    metrics = {number.metric for _, number in expression.terms}
    if len(expression.terms) < 2 or len(metrics) > 1:
        return True
    (metric,) = metrics
    tested = {number.arm for _, number in expression.terms}
    printed = [contrast for source in (table, control) if source is not None for contrast in source.contrasts(metric)]
    if not printed and control is not None:
        metric = control.level[0]
        printed = list(control.contrasts(metric))
    own = max((abs(size) for arm, base, size in printed if {arm, base} <= tested), default=0.0)
    measured = {
        number.arm for number in evidence.values[candidate] if (number.metric, number.where) == (metric, table.where)
    }
    larger = [(arm, base, size) for arm, base, size in printed if abs(size) > own and {arm, base} <= measured]
    if not larger:
        return True
    arm, base, size = max(larger, key=lambda contrast: abs(contrast[2]))
    runs = difference(metric, arm, base, table.where, relative=True).runs(evidence, candidate)
    ours = mean_interval(list(runs.values()))
    return excludes_zero(ours) and abs(ours.value) >= CONTROL * abs(size)


def has_shown_all(table: PublishedTable, expression: Expression, candidate: Candidate, evidence: Evidence) -> bool:
    """Whether arms that show one label at a time have shown as many as they must."""
    arms = {number.arm for _, number in expression.terms} & set(table.must_show)
    shown = {arm: evidence.runs(candidate, Number(SHOWN, arm, table.where)) for arm in arms}
    return all(np.mean(list(runs.values())) >= table.must_show[arm] for arm, runs in shown.items() if runs)


def has_power(ours: Interval, effect: float | None) -> bool:
    """Whether the interval can tell the printed effect from none; without a printed effect, whether zero is outside."""
    if excludes_zero(ours):
        return True
    return effect is not None and half_width(ours) <= POWER * abs(effect)


def excludes_zero(interval: Interval) -> bool:
    return interval.low > 0 or interval.high < 0


def half_width(interval: Interval) -> float:
    return math.inf if math.isnan(interval.high) else (interval.high - interval.low) / 2
