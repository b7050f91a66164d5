"""How a scorecard looks in the terminal."""

import math
from typing import TYPE_CHECKING

from rich.table import Table

from dissensus.cli.printing import out, print_line

if TYPE_CHECKING:
    from dissensus.evaluate.comparisons import ModelComparison
    from dissensus.evaluate.scorecards import Scorecard
    from dissensus.labels.intervals import Interval


def print_comparison(result: "ModelComparison") -> None:
    """One model as a list of scores with intervals; several as a table with a row each, then their differences."""
    print_line(result.reference.people.describe())
    out.print(_one_model(result.reference) if len(result.cards) == 1 else _leaderboard(result))
    if result.differences:
        _print_differences(result)


def _one_model(card: "Scorecard") -> Table:
    from dissensus.evaluate.metrics import METRICS, shown_by_group

    table = Table(box=None, pad_edge=False)
    table.add_column(card.name, no_wrap=True)
    table.add_column("model", justify="right")
    if card.ceiling is not None:
        table.add_column("half crowd", justify="right")
        table.add_column("at best", justify="right")
    for names in shown_by_group("table").values():
        for score in (name for name in names if name in card.scores):
            cells = [_with_interval(card.scores[score])]
            beside = card.ceiling_of(score)
            if card.ceiling is not None:
                cells += ["", ""] if beside is None else [f"{interval.value:.3f}" for interval in beside]
            table.add_row(METRICS[score].meaning, *cells)
        table.add_row()
    return table


def _leaderboard(result: "ModelComparison") -> Table:
    from dissensus.evaluate.metrics import METRICS

    columns = {name: metric.short for name, metric in METRICS.items() if metric.short}
    table = Table(box=None, pad_edge=False)
    table.add_column("")
    for title in columns.values():
        table.add_column(title, justify="right")
    for card in result.cards.values():
        table.add_row(card.name, *(_cell(card.scores[name].value) for name in columns))
    for place, title in enumerate(("half crowd", "at best")):
        if result.reference.ceiling is not None:
            beside = [result.reference.ceiling_of(name) for name in columns]
            table.add_row(
                title, *("" if ceiling is None else _cell(ceiling[place].value) for ceiling in beside), style="italic"
            )
    return table


def _print_differences(result: "ModelComparison") -> None:
    from dissensus.evaluate.metrics import METRICS
    from dissensus.evaluate.statistics import SMALL, shown_p

    tests = [difference.comparison for difference in result.differences if difference.comparison is not None]
    print_line(f"\ndifference from {result.reference.name}, on the same items", "bold")
    if tests:
        bound = "no lower bound" if not tests[0].minimum_p else f"at best {tests[0].minimum_p:.2g}"
        print_line(f"{tests[0].test} over n = {tests[0].n:,} ({bound}), Holm over {tests[0].family}")
    for model in list(result.cards)[1:]:
        print_line(model, "italic")
        table = Table(box=None, pad_edge=False, show_header=False)
        table.add_column(min_width=29, no_wrap=True)
        for difference in (difference for difference in result.differences if difference.model == model):
            adjusted = None if difference.comparison is None else difference.comparison.adjusted_p
            p = "" if adjusted is None else f"p {'' if adjusted < SMALL else '= '}{shown_p(adjusted)}"
            table.add_row(METRICS[difference.score].meaning, _with_interval(difference.interval, "+.3f"), p)
        out.print(table)


def _with_interval(interval: "Interval", style: str = ".3f") -> str:
    if math.isnan(interval.low) or math.isinf(interval.value):
        return _cell(interval.value)
    return f"{format(interval.value, style)} [{format(interval.low, style)}, {format(interval.high, style)}]"


def _cell(value: float) -> str:
    return "–" if math.isnan(value) else "infinite" if math.isinf(value) else f"{value:.3f}"
