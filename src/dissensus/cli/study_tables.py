"""How a study looks in the terminal: its arms with their scores, and how far they are from the baseline."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dissensus.cli.reading import say

if TYPE_CHECKING:
    from dissensus.report.tables import Column
    from dissensus.study.summary.paired import Difference
    from dissensus.study.summary.summary import Summary
    from dissensus.study.summary.units import Measured


def print_summary(summary: Summary) -> None:
    """Means of all arms, differences from the baseline where there is one, and what a reader must know besides."""
    from dissensus.report.tables import Column, print_table

    if not any(arm.done for arm in summary.arms):
        say("no cell is done yet")
        return
    titles = [Column(_title(metric), number=True) for metric in summary.metrics]
    rows = []
    for arm in summary.arms:
        scores = summary.scores[arm.name]
        count = max(each.n for each in scores.values())
        rows.append([arm.name, str(count), *(_mean(scores[metric]) for metric in summary.metrics)])
    print_table(
        [Column("arm"), Column(f"{summary.units.kind}s", number=True), *titles],
        rows,
        ruled=True,
        title=f"mean ± half of the 95 % interval over {summary.units.kind}s",
    )
    if summary.differences:
        _print_differences(summary, titles)
    for remark in summary.remarks:
        say(remark)


def _print_differences(summary: Summary, titles: list[Column]) -> None:
    """One row for each arm that is compared; against what is said once where it is the same for all."""
    from dissensus.report.tables import Column, print_table

    by_arm: dict[tuple[str, str], dict[str, Difference]] = {}
    for difference in summary.differences:
        by_arm.setdefault((difference.arm, difference.baseline), {})[difference.metric] = difference
    baselines = {baseline for _, baseline in by_arm}
    several = len(baselines) > 1
    rows = [
        [arm, *([baseline] if several else []), *(_difference(row.get(metric)) for metric in summary.metrics)]
        for (arm, baseline), row in by_arm.items()
    ]
    against = "the baseline" if several else next(iter(baselines))
    columns = [Column("arm"), *([Column("baseline")] if several else []), *titles]
    print_table(columns, rows, ruled=True, title=f"difference from {against} ({_tests(summary)})")


def _title(metric: str) -> str:
    from dissensus.evaluate.metrics import METRICS

    return (METRICS[metric].short or metric) + {"higher": " ↑", "lower": " ↓"}.get(METRICS[metric].better, "")


def _mean(measured: Measured) -> str:
    from dissensus.report.tables import shown_number

    interval = measured.interval
    half = (interval.high - interval.low) / 2
    value = shown_number(interval.value)
    return value if half != half else f"{value} ±{half:.3f}"


def _difference(difference: Difference | None) -> str:
    from dissensus.report.numbers import format_number

    if difference is None:
        return "–"
    value = f"{difference.interval.value:+.3f}"
    if difference.test is None:
        return value
    p = difference.test.p if difference.test.adjusted_p is None else difference.test.adjusted_p
    return f"{value} (p {format_number(p, 'p')})"


def _tests(summary: Summary) -> str:
    tests = [difference.test for difference in summary.differences if difference.test is not None]
    if not tests:
        return "no test"
    family = max(test.family for test in tests)
    name = tests[0].test.partition(" of ")[0].rpartition(",")[0] if " pairs equal" in tests[0].test else tests[0].test
    side = "" if tests[0].alternative == "two-sided" else f", one-sided: {tests[0].alternative}"
    return f"{name}{side}" + (f", p corrected for {family} tests" if family > 1 else "")
