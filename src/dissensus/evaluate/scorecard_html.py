"""The scorecard as a page: what the numbers say first, then figures, slices and examples."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from html import escape

import numpy as np

from dissensus.evaluate.comparisons import ModelComparison
from dissensus.evaluate.metrics import METRICS, shown_by_group
from dissensus.evaluate.scorecard_figures import entropy_scatter, example, example_items, reliability, slice_bars
from dissensus.evaluate.scorecards import Scorecard
from dissensus.evaluate.significance import Comparison
from dissensus.labels.intervals import Interval
from dissensus.report.colours import model_colours
from dissensus.report.html_tables import html_value
from dissensus.report.items import ItemViews
from dissensus.report.numbers import format_number
from dissensus.report.page import CARDS, page
from dissensus.report.tables import Column, Html, html_table, scrolling, shown_number, swatch

ARROWS = {
    "higher": '<abbr title="higher is better">↑</abbr>',
    "lower": '<abbr title="lower is better">↓</abbr>',
    "neither": "",
}
DRAWN = 5  # models in one figure: people take a sixth colour
STYLE = (
    CARDS
    + """
.dissensus .four{grid-template-columns:repeat(auto-fit,minmax(min(100%,21rem),1fr))}
.dissensus .card>.item,.dissensus .card>.text{margin:.5rem 0;color:var(--ink);font-size:1em}
.dissensus td small{color:var(--quiet);white-space:nowrap;display:inline-block;min-width:6.2rem;text-align:left}
.dissensus abbr{text-decoration:none;color:var(--quiet)}
.dissensus .many td.n small{display:block;text-align:right}
.dissensus td.best{font-weight:600}.dissensus td.best small{font-weight:400}
.dissensus tr.group td{padding-top:1rem;border-bottom:2px solid var(--rule);font-weight:600}
.dissensus .three{grid-template-columns:repeat(auto-fit,minmax(min(100%,18rem),1fr))}
.dissensus .lead{font-size:1.08em;color:var(--ink)}
"""
)


def scorecard_page(result: Scorecard | ModelComparison, title: str, views: ItemViews | None = None) -> str:
    """One model, or several compared, as a page of its own, without anything fetched from elsewhere.

    title  what was scored, such as the names of the files; it stands below the heading
    views  what the items are, to be shown with the examples
    """
    if isinstance(result, Scorecard):
        result = ModelComparison({result.name: result}, (), ())
    cards = list(result.cards.values())
    first = result.reference
    colours = model_colours(result.cards)
    # By the proper score where it is finite for all, else by the one that always is.
    score = "soft_nll" if all(np.isfinite(card.scores["soft_nll"].value) for card in cards) else "js"
    nearest = min(cards, key=lambda card: card.scores[score].value)
    chosen = f"Nearest to people by {METRICS[score].meaning}: " if len(cards) > 1 else ""
    heading = f"{first.name} against people" if len(cards) == 1 else f"{len(cards)} models against people"
    parts = [
        f"<style>{STYLE}</style><h1>{escape(heading)}</h1><p>{escape(title)}: {escape(first.people.describe())}</p>",
        f'<p class="lead">{chosen}{escape(headline(nearest))}</p>',
        "".join(f'<p class="remark">{escape(remark)}</p>' for remark in result.all_remarks),
        f"<h2>{escape(nearest.name)}</h2>" * (len(cards) > 1) + _number_cards(nearest),
        f'<div class="grid tables"><section><h2>All scores</h2>{_table(cards, colours)}</section>',
        f"{_differences(result) if result.differences else ''}</div>",
    ]
    if first.values:
        parts += _figures(cards[:DRAWN], colours, views)
    parts.append(_notes(first))
    return page("".join(parts), f"{heading}: {title}")


def headline(card: Scorecard) -> str:
    """What a reader should take away: the model's distance from people, beside what is possible."""
    js, accuracy = card.scores["js"].value, card.scores["accuracy"].value
    text = (
        f"{card.name} agrees with the majority on {accuracy:.1%} of items and lies {js:.3f} nats (Jensen-Shannon) from "
        f"what people said"
    )
    beside = card.ceiling_of("js"), card.ceiling_of("accuracy")
    if beside[0] is None or beside[1] is None:
        return text + "."
    half, best = beside[0][0].value, beside[0][1].value
    return (
        f"{text}. Half of the people, used as a prediction of the other half, reach {beside[1][0].value:.1%} and "
        f"{half:.3f}; with the votes there are, the truth itself would score {beside[1][1].value:.1%} and {best:.3f}."
    )


def _number_cards(card: Scorecard) -> str:
    drawn = []
    for name in (name for name, metric in METRICS.items() if metric.short and metric.ceiling):
        beside = card.ceiling_of(name)
        best = "" if beside is None else f"<span>at best {shown_number(beside[1].value)}</span>"
        value = shown_number(card.scores[name].value)
        drawn.append(f'<div class="card"><span>{escape(METRICS[name].meaning)}</span><b>{value}</b>{best}</div>')
    return f'<div class="cards">{"".join(drawn)}</div>'


def _table(cards: Sequence[Scorecard], colours: Mapping[str, str]) -> str:
    first = cards[0]
    known = first.ceiling is not None
    head = "<th>score</th>" + "".join(f'<th class="n">{swatch(card.name, colours)}</th>' for card in cards)
    head += '<th class="n">half crowd</th><th class="n">at best</th>' if known else ""
    rows = []
    for group, names in shown_by_group("table", "page").items():
        rows.append(f'<tr class="group"><td colspan="{1 + len(cards) + 2 * known}">{group}</td></tr>')
        for name in (name for name in names if name in first.scores):
            best = _best(cards, name)
            arrow = ARROWS[METRICS[name].better]
            cells = "".join(
                f'<td class="n{" best" * (card.scores[name].value == best and len(cards) > 1)}">'
                f"{_with_interval(card.scores[name])}</td>"
                for card in cards
            )
            beside = first.ceiling_of(name)
            if known:
                cells += (
                    "<td></td><td></td>"
                    if beside is None
                    else "".join(f'<td class="n">{shown_number(interval.value)}</td>' for interval in beside)
                )
            rows.append(f"<tr><td>{escape(METRICS[name].meaning)} {arrow}</td>{cells}</tr>")
    table = f"<table><tr>{head}</tr>{''.join(rows)}</table>"
    return scrolling(table, "all scores", "many" * (len(cards) > 1))


def _best(cards: Sequence[Scorecard], name: str) -> float:
    values = [card.scores[name].value for card in cards if not math.isnan(card.scores[name].value)]
    if not values or METRICS[name].better == "neither":
        return math.nan
    return max(values) if METRICS[name].better == "higher" else min(values)


def _differences(result: ModelComparison) -> str:
    tests = [difference.comparison for difference in result.differences if difference.comparison is not None]
    columns = [Column("model"), Column("score"), Column("difference", number=True)]
    columns += [Column("p", number=True)] if tests else []
    rows, shown = [], ""
    for difference in result.differences:
        name, shown = ("" if difference.model == shown else difference.model), difference.model
        test = difference.comparison
        p = "" if test is None else format_number(test.p if test.adjusted_p is None else test.adjusted_p, "p")
        gap = Html(_with_interval(difference.interval, "+.4f"))
        rows.append((name, METRICS[difference.score].meaning, gap, p)[: len(columns)])
    return (
        f"<section><h2>Differences from {escape(result.reference.name)}</h2><p>Each on the same items; intervals by "
        "resampling items. They tell whether a difference would hold on other items, not for other seeds of the same "
        f"training.{_about_tests(tests, result.reference.people.n_items)}</p>"
        f"{scrolling(html_table(columns, rows), 'differences')}</section>"
    )


def _about_tests(tests: Sequence[Comparison], items: int) -> str:
    """What the tests of all differences have in common, in words."""
    if not tests:
        return ""
    text = (
        f" p is that of a {tests[0].test} over {tests[0].n:,} {'items' if tests[0].n == items else 'groups of items'}"
    )
    if tests[0].family > 1:
        text += f", corrected by Holm's method for {tests[0].family} tests"
    if tests[0].minimum_p:
        text += f"; before that, it cannot be below {format_number(tests[0].minimum_p, 'p')}"
    return escape(text + ".")


def _figures(cards: Sequence[Scorecard], colours: Mapping[str, str], views: ItemViews | None) -> list[str]:
    first = cards[0]
    dots = "".join(
        f"<section><h3>{swatch(card.name, colours)}</h3>{entropy_scatter(card, colours)}</section>"
        for card in cards[:3]
    )
    parts = [
        "<h2>Does its confidence mean what it says?</h2><p>The probability of the model's choice against the share of "
        "people who made the same choice. Below the dashed line the model is surer than people are.</p>"
        '<div class="grid"><section><h3>15 bins of equally many items</h3>'
        f"{reliability(cards, colours, smooth=False)}</section>"
        f"<section><h3>Smooth, without bins</h3>{reliability(cards, colours, smooth=True)}</section></div>",
        "<h2>Is it unsure where people are?</h2><p>Each dot is an item: entropy 0 where all agree, 1 for an even split "
        "over all classes; on the dashed line both are equally unsure.</p>"
        f'<div class="grid">{dots}</div>',
    ]
    # A mean that may be infinite is not drawn.
    bounded = [name for name, metric in METRICS.items() if metric.sliced and math.isfinite(metric.highest(2))]
    parts.append(
        "<h2>Where does it do well?</h2><p>Mean over each part of the items; n is how many items it has. Entropy is of "
        "people's answers, as a share of its maximum.</p>"
    )
    for by in first.slices:
        bars = "".join(
            f"<section><h3>{escape(METRICS[score].meaning)} by {escape(by)}</h3>"
            f"{slice_bars(cards, by, score, f'{METRICS[score].meaning} by {by}', colours)}</section>"
            for score in bounded
        )
        numbers = f"<section><h3>The same in numbers</h3>{_slice_table(cards, by, bounded, colours)}</section>"
        parts.append(f'<div class="grid three">{bars}{numbers}</div>')
    closest, furthest = example_items(first)
    parts.append(
        f"<h2>Examples</h2><h3>Disputed items on which {escape(first.name)} is closest to people</h3>"
        f"{_examples(cards, closest, colours, views)}<h3>Items on which it is furthest away</h3>"
        f"{_examples(cards, furthest, colours, views)}"
    )
    return parts


def _slice_table(cards: Sequence[Scorecard], by: str, scores: Sequence[str], colours: Mapping[str, str]) -> str:
    """Every part with its number of items; a column for each score, and for each model where there are several."""
    columns = [Column(by), Column("n", number=True)]
    for score in scores:
        name = METRICS[score].short or METRICS[score].meaning
        columns += [Column(Html(f"{escape(name)} {swatch(card.name, colours)}"), number=True) for card in cards]
    rows = []
    for i, part in enumerate(cards[0].slices[by][scores[0]]):
        values = (card.slices[by][score][i].score.value for score in scores for card in cards)
        rows.append((part.name, f"{part.items:,}", *(shown_number(value) for value in values)))
    return scrolling(html_table(columns, rows), f"scores by {by}")


def _examples(cards: Sequence[Scorecard], items: list[int], colours: Mapping[str, str], views: ItemViews | None) -> str:
    first = cards[0]
    drawn = []
    for i in items:
        item = first.people.targets.items[i]
        seen = "" if views is None else html_value(views.view(item), "", {}, wraps=True)
        drawn.append(
            f'<section class="card"><span>item {escape(str(item))} · Jensen-Shannon {first.values["js"][i]:.3f}</span>'
            f"{seen}{example(cards, i, colours)}</section>"
        )
    return f'<div class="grid four">{"".join(drawn)}</div>'


def _notes(card: Scorecard) -> str:
    text = (
        f"↓ lower is better, ↑ higher is better. Intervals are made to hold, {card.scores['js'].coverage:.0%} of the "
        "time, what endlessly many items of this kind would score. Soft Brier is its reliability, less its resolution, "
        "and its uncertainty and what lies inside bins. Calibration is against the "
        "share of people who made the model's choice; its intervals reach further down than up, since chance adds "
        "error. Second choice is over items on which people are not unanimous."
    )
    if card.ceiling is not None:
        text += (
            f" Half crowd: {card.ceiling.half_votes:.1f} votes per item predict the other half. At best: what "
            "the true distributions would score against as many votes, estimated; a finite crowd scatters around them, "
            "so even the truth does not reach a distance of 0."
        )
    return f"<h2>How to read this</h2><p>{text}</p>"


def _with_interval(interval: Interval, style: str = ".3f") -> str:
    """As `shown_interval`, with the interval in small print, so that the values of a column stand below each other."""
    known = not math.isnan(interval.low) and not math.isinf(interval.value)
    limits = f"{format(interval.low, style)} to {format(interval.high, style)}" if known else ""
    return f"{shown_number(interval.value, style)} <small>{limits}</small>"
