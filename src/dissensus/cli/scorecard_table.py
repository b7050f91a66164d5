"""How a scorecard looks in the terminal."""

from typing import TYPE_CHECKING

from dissensus.cli.printing import print_line

if TYPE_CHECKING:
    from dissensus.evaluate.comparisons import ModelComparison
    from dissensus.evaluate.scorecards import Scorecard

SCORE_WIDTH = 29  # of the names of scores, so that the differences of all models stand below each other


def print_comparison(result: "ModelComparison") -> None:
    """One model as a list of scores with intervals; several as a table with a row each, then their differences."""
    print_line(result.reference.people.describe())
    if len(result.cards) == 1:
        _print_model(result.reference)
    else:
        _print_leaderboard(result)
    if result.differences:
        _print_differences(result)


def _print_model(card: "Scorecard") -> None:
    from dissensus.evaluate.metrics import METRICS, shown_by_group
    from dissensus.report.tables import Column, print_table, shown_interval, shown_number

    known = card.ceiling is not None
    titles = ("model", "half crowd", "at best") if known else ("model",)
    rows = []
    for names in shown_by_group("table").values():
        for score in (name for name in names if name in card.scores):
            cells = [shown_interval(card.scores[score])]
            if known:
                beside = card.ceiling_of(score)
                cells += ["", ""] if beside is None else [shown_number(interval.value) for interval in beside]
            rows.append((METRICS[score].meaning, *cells))
        rows.append(("",))
    print_table([Column(card.name), *(Column(title, number=True) for title in titles)], rows)


def _print_leaderboard(result: "ModelComparison") -> None:
    from dissensus.evaluate.metrics import METRICS
    from dissensus.report.tables import Column, Row, print_table, shown_number

    columns = {name: metric.short for name, metric in METRICS.items() if metric.short}
    rows = [
        Row((card.name, *(shown_number(card.scores[name].value) for name in columns))) for card in result.cards.values()
    ]
    for place, title in enumerate(("half crowd", "at best")):
        if result.reference.ceiling is not None:
            beside = [result.reference.ceiling_of(name) for name in columns]
            cells = ("" if ceiling is None else shown_number(ceiling[place].value) for ceiling in beside)
            rows.append(Row((title, *cells), style="aside"))
    print_table([Column(""), *(Column(title, number=True) for title in columns.values())], rows)


def _print_differences(result: "ModelComparison") -> None:
    from dissensus.evaluate.metrics import METRICS
    from dissensus.report.numbers import format_p
    from dissensus.report.tables import Column, print_table, shown_interval

    tests = [difference.comparison for difference in result.differences if difference.comparison is not None]
    print_line(f"\ndifference from {result.reference.name}, on the same items", "bold")
    if tests:
        bound = "no lower bound" if not tests[0].minimum_p else f"at best {tests[0].minimum_p:.2g}"
        print_line(f"{tests[0].test} over n = {tests[0].n:,} ({bound}), Holm over {tests[0].family}")
    for model in list(result.cards)[1:]:
        print_line(model, "italic")
        rows = []
        for difference in (difference for difference in result.differences if difference.model == model):
            adjusted = None if difference.comparison is None else difference.comparison.adjusted_p
            p = "" if adjusted is None else format_p(adjusted)
            name = METRICS[difference.score].meaning.ljust(SCORE_WIDTH)
            rows.append((name, shown_interval(difference.interval, "+.3f"), p))
        print_table([Column("")] * 3, rows)
