"""The tables of a study's report, as values that each renderer formats."""

from __future__ import annotations

from collections.abc import Sequence

from dissensus.evaluate.metrics import METRICS
from dissensus.report.numbers import format_p
from dissensus.report.tables import AnyCell, Cell, Column, Table
from dissensus.study.grid import matches
from dissensus.study.reporting.words import ARROWS
from dissensus.study.summary.paired import PairedDifference
from dissensus.study.summary.summary import Summary

UNKNOWN = float("nan")
COMPARED = (
    Column("baseline", wraps=True),
    Column("difference", "+.4f", number=True),
    Column("p", "p", number=True),
    Column("same sign", number=True),
    Column("smallest possible p", "p", number=True),
)


def overview(summary: Summary) -> Table:
    """Means of all arms by all metrics."""
    counts = Column(f"{summary.units.kind}s", number=True)
    columns = (
        Column("arm", wraps=True, coloured=True),
        counts,
        *(_metric_column(metric) for metric in summary.metrics),
    )
    rows: list[list[AnyCell]] = []
    for arm in summary.arms:
        scores = summary.scores[arm.name]
        means = (_mean(summary, arm.name, metric) for metric in summary.metrics)
        rows.append([arm.name, max(each.n for each in scores.values()), *means])
    return Table(columns, rows, "Means of all arms", note=summary.interval_of)


def difference_overview(summary: Summary) -> Table | None:
    """Differences of all arms from their baseline by all metrics; None if nothing is compared."""
    by_arm: dict[tuple[str, str], dict[str, PairedDifference]] = {}
    for difference in summary.differences:
        by_arm.setdefault((difference.arm, difference.baseline), {})[difference.metric] = difference
    if not by_arm:
        return None
    baselines = {baseline for _, baseline in by_arm}
    several = len(baselines) > 1
    columns = [Column("arm", wraps=True, coloured=True), *([Column("baseline", wraps=True)] if several else [])]
    columns += [_metric_column(metric, "+.3f") for metric in summary.metrics]
    rows: list[list[AnyCell]] = [
        [arm, *([baseline] if several else []), *(_difference_cell(row.get(metric)) for metric in summary.metrics)]
        for (arm, baseline), row in by_arm.items()
    ]
    against = "the baseline" if several else next(iter(baselines))
    return Table(columns, rows, f"Difference from {against}", note=_describe_tests(summary))


def by_metric(summary: Summary, metric: str) -> Table:
    """One metric: means and, if there are baselines, the differences from them with their tests."""
    columns = [Column("arm", wraps=True, coloured=True), Column("mean", number=True), Column("n", number=True)]
    differences = [d for d in summary.differences if d.metric == metric]
    several = len({d.baseline for d in differences}) > 1
    has_least = any(d.test is not None and d.test.minimum_p > 0 for d in summary.differences)  # a t-test has none
    compared = [
        column
        for column, is_shown in zip(COMPARED, (several, True, True, True, has_least), strict=True)
        if differences and is_shown
    ]
    rows = []
    for arm in summary.arms:
        baseline = differences and matches(arm.settings, summary.description["compare"]["baseline"])
        name = Cell(arm.name, note="baseline") if baseline else arm.name
        cells = dict(zip(COMPARED, _comparison_cells(summary.difference(arm.name, metric)), strict=True))
        means: list[AnyCell] = [name, _mean(summary, arm.name, metric), summary.scores[arm.name][metric].n]
        rows.append([*means, *(cells[column] for column in compared)])
    return Table([*columns, *compared], rows)


def probe_table(summary: Summary) -> Table:
    """Results of probes: one row per number and a column per arm."""
    names = dict.fromkeys(name for row in summary.probes.values() for name in row)
    columns = (
        Column("number", wraps=True),
        *(Column(arm, ".4g", number=True, coloured=True) for arm in summary.probes),
    )
    rows: list[list[AnyCell]] = [[name, *(row[name].interval for row in summary.probes.values())] for name in names]
    return Table(columns, rows, "Probes")


def cell_table(summary: Summary) -> Table:
    """Every cell with its arm and the metrics of the study."""
    numbers = [*summary.metrics, "seconds"]
    has_folds = any(row["fold"] is not None for row in summary.cells)
    columns = [
        *(Column("cell"), Column("arm", wraps=True, coloured=True), Column("seed", number=True)),
        *([Column("fold", number=True)] if has_folds else []),
        Column("status"),
        *(Column(name, ".4g", number=True) for name in numbers),
        Column("commit"),
    ]
    rows = [
        (
            *(row["cell"], row["arm"], str(row["seed"])),
            *([None if row["fold"] is None else str(row["fold"])] if has_folds else []),
            row["status"],
            *(UNKNOWN if row.get(name) is None else float(row[name]) for name in numbers),
            f"{row['commit']} (older)" if row["older_commit"] else str(row["commit"]),
        )
        for row in summary.cells
    ]
    return Table(columns, rows)


def _metric_column(metric: str, format: str = ".3f") -> Column:
    title = f"{METRICS[metric].short or METRICS[metric].meaning} {ARROWS[METRICS[metric].better]}".strip()
    return Column(title, format, number=True, name=metric)


def _mean(summary: Summary, arm: str, metric: str) -> Cell:
    each = summary.scores[arm][metric]
    if each.not_finite:
        return Cell("not finite", note=f"in {summary.units.format_count(len(each.not_finite))}")
    return Cell(each.interval, best=(arm, metric) in summary.best)


def _difference_cell(difference: PairedDifference | None) -> Cell:
    if difference is None:
        return Cell(UNKNOWN)
    p = _adjusted_p(difference)
    return Cell(difference.interval.value, note="" if p is None else format_p(p))


def _comparison_cells(difference: PairedDifference | None) -> Sequence[AnyCell]:
    if difference is None:
        return [None] * len(COMPARED)
    p, test = _adjusted_p(difference), difference.test
    least = test.least if test is not None and test.minimum_p > 0 else UNKNOWN
    agree = f"{difference.agreeing} of {difference.n}"
    return [difference.baseline, difference.interval, UNKNOWN if p is None else p, agree, least]


def _adjusted_p(difference: PairedDifference) -> float | None:
    test = difference.test
    if test is None:
        return None
    return test.p if test.adjusted_p is None else test.adjusted_p


def _describe_tests(summary: Summary) -> str:
    tests = [difference.test for difference in summary.differences if difference.test is not None]
    if not tests:
        return "Nothing was tested."
    family = max(test.family for test in tests)
    name = tests[0].test.partition(" of ")[0].rpartition(",")[0] if " pairs equal" in tests[0].test else tests[0].test
    side = "" if tests[0].alternative == "two-sided" else f", one-sided: {tests[0].alternative}"
    corrected = f", p corrected for {family} tests" if family > 1 else ""
    return f"{name[0].upper()}{name[1:]}{side}{corrected}."
