"""The tables of a study's report as rows of text, whatever they are written as."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from dissensus.evaluate.metrics import METRICS
from dissensus.labels.intervals import Interval
from dissensus.report.numbers import format_number
from dissensus.report.tables import Column, shown_number
from dissensus.study.grid import matches
from dissensus.study.reporting.words import ARROWS, limits
from dissensus.study.summary.paired import Difference
from dissensus.study.summary.summary import Summary

UNKNOWN = "–"


@dataclass(frozen=True)
class Cell:
    """A number with what stands in small print beside it."""

    text: str
    small: str = ""
    best: bool = False


@dataclass(frozen=True)
class ReportTable:
    """A table: its rows begin with the name of an arm."""

    title: str
    columns: tuple[Column, ...]
    rows: tuple[tuple[Cell, ...], ...]


def overview(summary: Summary) -> ReportTable:
    """Means of all arms by all metrics."""
    titles = [f"{METRICS[m].short or METRICS[m].meaning} {ARROWS[METRICS[m].better]}".strip() for m in summary.metrics]
    columns = (Column("arm", wraps=True), *(Column(title, number=True) for title in titles))
    rows = [(Cell(arm.name), *(_mean(summary, arm.name, metric) for metric in summary.metrics)) for arm in summary.arms]
    return ReportTable("Means of all arms", columns, tuple(rows))


def by_metric(summary: Summary, metric: str) -> ReportTable:
    """One metric: means, and where there are baselines the differences from them with their tests."""
    columns = [Column("arm", wraps=True), Column("mean", number=True), Column("n", number=True)]
    compared = any(d.metric == metric for d in summary.differences)
    if compared:
        columns += [Column("baseline", wraps=True), *(Column(t, number=True) for t in COMPARED)]
    rows = []
    for arm in summary.arms:
        baseline = compared and matches(arm.settings, summary.description["compare"]["baseline"])
        row = [
            Cell(arm.name, "baseline" if baseline else ""),
            _mean(summary, arm.name, metric),
            Cell(str(summary.scores[arm.name][metric].n)),
        ]
        if compared:
            row += _compared(summary.difference(arm.name, metric))
        rows.append(tuple(row))
    return ReportTable(METRICS[metric].meaning, tuple(columns), tuple(rows))


COMPARED = ("difference", "p", "least p", "same direction")


def probe_table(summary: Summary) -> ReportTable:
    """What probes gave, one row for each number and a column for each arm."""
    names = dict.fromkeys(name for row in summary.probes.values() for name in row)
    columns = (Column("number", wraps=True), *(Column(arm, number=True) for arm in summary.probes))
    rows = [(Cell(name), *(_cell(row[name].interval, ".4g") for row in summary.probes.values())) for name in names]
    return ReportTable("Probes", columns, tuple(rows))


def _mean(summary: Summary, arm: str, metric: str) -> Cell:
    each = summary.scores[arm][metric]
    if each.not_finite:
        return Cell("not finite", f"in {summary.units.counted(len(each.not_finite))}")
    return _cell(each.interval, ".3f", best=(arm, metric) in summary.best)


def _cell(interval: Interval, style: str, *, best: bool = False) -> Cell:
    return Cell(shown_number(interval.value, style), limits(interval, "", "", style), best)


def _compared(difference: Difference | None) -> Sequence[Cell]:
    if difference is None:
        return [Cell("")] * (1 + len(COMPARED))
    test = difference.test
    p, least = UNKNOWN, UNKNOWN
    if test is not None:
        p = format_number(test.p if test.adjusted_p is None else test.adjusted_p, "p")
        least = format_number(test.least, "p") if test.minimum_p > 0 else UNKNOWN
    agree = f"{difference.agreeing} of {difference.n}"
    return [Cell(difference.baseline), _cell(difference.interval, "+.4f"), Cell(p), Cell(least), Cell(agree)]
