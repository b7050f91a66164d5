"""The figures of a study's report, each with the numbers that it shows."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from dissensus.evaluate.metrics import METRICS
from dissensus.labels.intervals import Interval
from dissensus.report.charts import Line, line_chart, span
from dissensus.report.colours import LINES
from dissensus.report.document import Figure
from dissensus.report.dot_rows import DotRow, dot_chart
from dissensus.report.tables import Column, Table
from dissensus.study.reporting.words import ARROWS
from dissensus.study.summary.arms import Arm
from dissensus.study.summary.summary import Curve, Summary

TOGETHER = 6  # curves in one figure, each with a colour and a dash of its own
FEWEST = 3  # arms in a figure of slices
DRAWN = 24  # rows of a figure and arms in the figures of a page; its tables have all of them


def arm_colours(summary: Summary) -> dict[str, str]:
    """One colour for each arm of the page; a seventh begins again, and names tell them apart."""
    return {arm.name: LINES[place % len(LINES)] for place, arm in enumerate(summary.arms)}


def choose_arms(summary: Summary, metric: str, most: int = DRAWN) -> list[Arm]:
    """All arms, in the study's order, or those with the best means if there are too many to draw."""
    if len(summary.arms) <= most:
        return list(summary.arms)
    sign = -1 if METRICS[metric].better == "higher" else 1
    known = [arm for arm in summary.arms if np.isfinite(summary.scores[arm.name][metric].interval.value)]
    best = sorted(known, key=lambda arm: sign * summary.scores[arm.name][metric].interval.value)[:most]
    return [arm for arm in summary.arms if arm in best]


def score_figure(summary: Summary, metric: str) -> Figure:
    """Each arm's scores seed by seed, with mean and interval."""
    colours, several = arm_colours(summary), "data" not in summary.shared
    rows = [
        DotRow(
            arm.name,
            *_three(each.interval),
            each.values,
            colours[arm.name],
            str(arm.settings["data"]) if several else "",
        )
        for arm in choose_arms(summary, metric)
        for each in (summary.scores[arm.name][metric],)
    ]
    rows.sort(key=lambda row: row.group)
    kind, meaning = summary.units.kind, METRICS[metric].meaning
    title = f"{meaning} {ARROWS[METRICS[metric].better]}".strip()
    data = [
        (arm.name, unit, float(value))
        for arm in choose_arms(summary, metric)
        for unit, value in summary.scores[arm.name][metric].values.items()
    ]
    return Figure(
        f"Each arm by {meaning}",
        dot_chart(rows, title, of=kind),
        Table((Column("arm", wraps=True), Column(kind), _number_column(metric)), data),
        name=f"{summary.description['name']} {metric}",
        note=_note(summary) + _note_drawn_arms(summary),
    )


def difference_figure(summary: Summary, metric: str) -> Figure | None:
    """Each arm's differences from its baseline seed by seed; None if there are none."""
    shown = [d for d in summary.differences if d.metric == metric]
    if not shown:
        return None
    colours, of_all = arm_colours(summary), len(shown)
    largest = sorted(shown, key=lambda d: -abs(d.interval.value))[:DRAWN]
    shown = [d for d in shown if d in largest]
    left = f" Drawn are the {len(shown)} largest of {of_all}." if len(shown) < of_all else ""
    rows = [DotRow(d.arm, *_three(d.interval), d.values, colours[d.arm]) for d in shown]
    kind, meaning = shown[0].units.kind, METRICS[metric].meaning
    better = METRICS[metric].better
    side = {"higher": "right is better", "lower": "left is better", "neither": ""}[better]
    drawing = dot_chart(
        rows, f"difference in {meaning}{f' ({side})' if side else ''}", reference=0.0, of=kind, style="+.4f"
    )
    data = [(d.arm, d.baseline, unit, float(value)) for d in shown for unit, value in d.values.items()]
    columns = (Column("arm", wraps=True), Column("baseline", wraps=True), Column(kind), _number_column("difference"))
    return Figure(
        f"Difference from the baseline in {meaning}",
        drawing,
        Table(columns, data),
        name=f"{summary.description['name']} {metric} differences",
        note=f"Each dot is the arm minus its baseline in the same {kind}. The grey line marks a difference of 0.{left}",
    )


def curve_figures(summary: Summary) -> list[Figure]:
    """Learning curves, some arms to a figure, all on the same scale."""
    figures = []
    colours = arm_colours(summary)
    drawn = {arm.name for arm in choose_arms(summary, summary.metrics[0])}
    for name, curves in ((name, [c for c in curves if c.arm in drawn]) for name, curves in summary.curves.items()):
        if not curves:
            continue
        scale = span([part for curve in curves for part in (curve.low, curve.high)])
        figures_needed = -(-len(curves) // TOGETHER)
        step = -(-len(curves) // figures_needed)
        for first in range(0, len(curves), step):
            some = curves[first : first + step]
            lines = [
                Line(
                    curve.arm, np.arange(1, curve.mean.size + 1), curve.mean, curve.low, curve.high, colours[curve.arm]
                )
                for curve in some
            ]
            longest = max(curve.mean.size for curve in some)
            data = [
                (str(epoch + 1), *(float(c.mean[epoch]) if epoch < c.mean.size else None for c in some))
                for epoch in range(longest)
            ]
            part = f", part {first // step + 1}" if len(curves) > TOGETHER else ""
            figures.append(
                Figure(
                    f"{name.capitalize() if name == 'loss' else name}{part}",
                    line_chart(lines, "epoch", name, y_range=scale, marks=longest <= 30),
                    Table([Column("epoch"), *(_number_column(curve.arm) for curve in some)], data),
                    name=f"{summary.description['name']} {name}{part}",
                    note=_curve_note(some) + _note_drawn_arms(summary, summary.metrics[0]),
                )
            )
    return figures


def _curve_note(curves: Sequence[Curve]) -> str:
    cut = any(curve.longest > curve.mean.size for curve in curves)
    text = "Mean over trainings; the band is from the smallest to the largest."
    return f"{text} If some stopped early, a curve ends with the first of them." if cut else text


def slice_figure(summary: Summary, by: str, metric: str) -> Figure:
    """Each arm on each part of the items."""
    colours, meaning = arm_colours(summary), METRICS[metric].meaning
    rows, data = [], []
    parts = [part for part in summary.slices if part.by == by]
    most = max(DRAWN // max(len(parts), 1), FEWEST)
    drawn = choose_arms(summary, metric, most)
    for part in parts:
        for arm in summary.arms:
            each = part.scores.get(arm.name, {}).get(metric)
            if each is None or not each.n:
                continue
            if arm in drawn:
                group = f"{part.part} (n = {part.items:,.0f})"
                rows.append(DotRow(arm.name, *_three(each.interval), each.values, colours[arm.name], group))
            data.append((part.part, part.items, arm.name, *_three(each.interval), each.n))
    title = f"{meaning} {ARROWS[METRICS[metric].better]}".strip()
    columns = [Column(by, wraps=True), Column("items", ".1f", number=True), Column("arm", wraps=True)]
    columns += [_number_column(title) for title in ("mean", "low", "high", "n")]
    return Figure(
        f"{meaning} by {by}",
        dot_chart(rows, title, of=summary.units.kind),
        Table(columns, data),
        name=f"{summary.description['name']} {metric} by {by}",
        note=f"n is the mean number of items of the part. Intervals are over {summary.units.kind}s. Slices are not "
        "tested." + _note_drawn_arms(summary, most=most),
    )


def list_sliced_metrics(summary: Summary, by: str) -> list[str]:
    """The study's metrics that have a value on each part."""
    parts = [part.scores for part in summary.slices if part.by == by]
    return [m for m in summary.metrics if any(m in row for scores in parts for row in scores.values())]


def _three(interval: Interval) -> tuple[float, float, float]:
    return interval.value, interval.low, interval.high


def _note(summary: Summary) -> str:
    kind = summary.units.kind
    if len(summary.units.names) == 1:
        return f"The mark is the score of the only {kind}."
    return f"Each dot is a {kind}, the upright mark their mean, the thick line its interval."


def _note_drawn_arms(summary: Summary, metric: str = "", most: int = DRAWN) -> str:
    by = f" by {METRICS[metric].meaning}" if metric else ""
    many = len(summary.arms) > most
    return f" Drawn are the {most} arms with the best means{by}, of {len(summary.arms)}." if many else ""


def _number_column(title: str) -> Column:
    return Column(title, ".6g", number=True)
