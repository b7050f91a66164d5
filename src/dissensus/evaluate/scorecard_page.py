"""The scorecard as a page: how close a model is to people, then figures, scores, slices and examples."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from dissensus.evaluate.comparisons import ModelComparison
from dissensus.evaluate.metrics import METRICS
from dissensus.evaluate.scorecard_figures import entropy_scatter, example, example_items, reliability, slice_bars
from dissensus.evaluate.scorecard_views import best_value, fits, tabulate_scores
from dissensus.evaluate.scorecards import Scorecard
from dissensus.report.colours import model_colours
from dissensus.report.document import Card, Cards, Document, Figure, Section, Text
from dissensus.report.items import ItemViews
from dissensus.report.numbers import format_number, format_p
from dissensus.report.tables import AnyCell, Cell, Column, Row, Table

DRAWN = 5  # models in one figure: people take a sixth colour
SCATTERED = 3  # models with a scatter plot of their own


def describe_scorecard(
    result: Scorecard | ModelComparison, title: str, views: ItemViews | None = None, *, details: bool = True
) -> Document:
    """Describe one model, or several compared, as a page: how close they are to people.

    Parameters
    ----------
    result
        From `scorecard` or `compare`.
    title
        What was scored, such as a file name.
    views
        Texts or pictures of the items, shown with the examples.
    details
        False leaves out figures, slices and examples, which the terminal does not show.

    Returns
    -------
    Document

    Examples
    --------
    >>> import numpy as np
    >>> from dissensus.evaluate import scorecard
    >>> card = scorecard([[0.7, 0.3], [0.2, 0.8]], [[7, 3], [1, 9]], rng=np.random.default_rng(0), replicates=20)
    >>> describe_scorecard(card, "counts.npy").title
    'model against people'
    """
    if isinstance(result, Scorecard):
        result = ModelComparison({result.name: result}, (), ())
    cards, first = list(result.cards.values()), result.reference
    colours = model_colours(result.cards)
    closest, score = closest_model(cards)
    several = len(cards) > 1
    sections = [
        Section("", [Text(remark, "remark") for remark in result.all_remarks], detail=True),
        Section(f"{closest.name}, closest to people" if several else "", [_number_cards(closest)], detail=True),
        *(_figures(cards[:DRAWN], colours) if details and first.values else []),
        *(_tables(result, cards)),
    ]
    if details and first.values:
        sections += [_slices(cards[:DRAWN]), _examples(cards[:DRAWN], colours, views)]
    sections.append(Section("How to read this page", [_notes(first)], detail=True))
    return Document(
        f"{len(cards)} models against people" if several else f"{first.name} against people",
        f"Closest to people by {METRICS[score].meaning.partition(',')[0]} is {closest.name}: "
        + answer_about_model(closest, "it")
        if several
        else answer_about_model(closest),
        sections=[section for section in sections if section.blocks],
        subtitle=f"{title}: {first.people.describe()}",
        colours=colours,
    )


def closest_model(cards: Sequence[Scorecard]) -> tuple[Scorecard, str]:
    """The model closest to people, and by which score: the proper one if it is finite for all models."""
    score = "soft_nll" if all(np.isfinite(card.scores["soft_nll"].value) for card in cards) else "js"
    return min(cards, key=lambda card: card.scores[score].value), score


def answer_about_model(card: Scorecard, subject: str = "") -> str:
    """The model's distance from people, and what people reach as predictors of people."""
    js, accuracy = card.scores["js"].value, card.scores["accuracy"].value
    text = (
        f"{subject or card.name} chooses what most people choose on {accuracy:.1%} of the items, and its probabilities "
        f"are {js:.3f} nats (Jensen-Shannon) from people's answers."
    )
    distance, choice = card.ceiling_of("js"), card.ceiling_of("accuracy")
    if distance is None or choice is None:
        return text
    return (
        f"{text} Half of the people, used as a prediction of the other half, reach {choice[0].value:.1%} and "
        f"{distance[0].value:.3f}; a perfect model is expected to reach {choice[1].value:.1%} and "
        f"{distance[1].value:.3f}."
    )


def _number_cards(card: Scorecard) -> Cards:
    drawn = []
    for name in (name for name, metric in METRICS.items() if metric.short and metric.ceiling and fits(name, card)):
        ceiling = card.ceiling_of(name)
        best = "" if ceiling is None else f"at best {format_number(ceiling[1].value)}"
        drawn.append(Card(METRICS[name].meaning, card.scores[name].value, best))
    return Cards(drawn)


def _figures(cards: Sequence[Scorecard], colours: Mapping[str, str]) -> list[Section]:
    about = "Confidence is the probability of the model's choice. Below the dashed line the model is overconfident."
    calibration = [
        Figure("Calibration, 15 bins of equally many items", reliability(cards, colours, smooth=False), note=about),
        Figure("Calibration, smooth", reliability(cards, colours, smooth=True), note="The same without bins."),
    ]
    dots = [
        Figure(
            f"Entropy of {card.name} and of people",
            entropy_scatter(card, colours),
            note="Each dot is an item: 0 if all agree, 1 for an even split. Both are equally unsure on the line.",
        )
        for card in cards[:SCATTERED]
    ]
    return [
        Section("Confidence and uncertainty", [*calibration, *dots], columns=2 if len(dots) == 2 else 3, detail=True)
    ]


def _tables(result: ModelComparison, cards: Sequence[Scorecard]) -> list[Section]:
    if len(cards) == 1:
        return [
            Section(
                "",
                [
                    Section("Scores", [tabulate_scores(cards, "table")]),
                    Section("More scores", [tabulate_scores(cards, "page")], detail=True),
                ],
                columns=2,
            )
        ]
    sections = [Section("Models side by side", [_leaderboard(cards)])]
    sections += [_differences(result)] if result.differences else []
    if len(cards) == 2:
        sections = [Section("", sections, columns=2)]
    every = tabulate_scores(cards, "table", "page", mark_best=True)
    return [*sections, Section("All scores", [every], detail=True, long=True)]


def _leaderboard(cards: Sequence[Scorecard]) -> Table:
    """A row per model and a column per main score, then what people reach."""
    first = cards[0]
    names = [name for name, metric in METRICS.items() if metric.short and fits(name, first)]
    rows = []
    for card in cards:
        values = [(card.scores[name].value, best_value(cards, name)) for name in names]
        rows.append(Row((card.name, *(Cell(value, best=value == best) for value, best in values))))
    for place, title in enumerate(("half crowd", "at best") if first.ceiling is not None else ()):
        ceilings = [first.ceiling_of(name) for name in names]
        rows.append(Row((title, *(None if each is None else each[place].value for each in ceilings)), "aside"))
    return Table(
        [Column("model", coloured=True), *(Column(METRICS[name].short, number=True) for name in names)], rows, shown=30
    )


def _differences(result: ModelComparison) -> Section:
    tests = [difference.comparison for difference in result.differences if difference.comparison is not None]
    columns = [Column("score"), Column("difference", "+.3f"), *([Column("p", "p", number=True)] if tests else [])]
    rows: dict[str, list[tuple[AnyCell, ...]]] = {}
    for difference in result.differences:
        test = difference.comparison
        p = None if test is None else test.p if test.adjusted_p is None else test.adjusted_p
        row = (METRICS[difference.score].meaning, difference.interval, p)
        rows.setdefault(difference.model, []).append(row[: len(columns)])
    about = (
        "On the same items, with bootstrap intervals over items: they tell whether a difference would hold on other "
        "items, not for other seeds of the same training."
    )
    if tests:
        about += _about_tests(tests[0], result.reference.people.n_items)
    models = [Section(model, [Table(columns, scores)]) for model, scores in rows.items()]
    return Section(f"Differences from {result.reference.name}", [Text(about), Section("", models, columns=2)])


def _about_tests(test: Any, items: int) -> str:
    """The note below the differences: test, correction and smallest p."""
    units = "items" if test.n == items else "groups of items"
    text = f" p is from a {test.test} over {test.n:,} {units}"
    if test.family > 1:
        text += f", corrected by Holm's method for {test.family} tests"
    if test.minimum_p:
        text += f"; uncorrected, its smallest possible value is {format_p(test.minimum_p).removeprefix('p = ')}"
    return f"{text}."


def _slices(cards: Sequence[Scorecard]) -> Section:
    """Bars and numbers for each way to divide the items; a mean that may be infinite is not drawn."""
    bounded = [name for name, metric in METRICS.items() if metric.sliced and math.isfinite(metric.highest(2))]
    colours = model_colours(card.name for card in cards)
    parts = []
    for by in cards[0].slices:
        figures = []
        for score in bounded:
            caption = f"{METRICS[score].meaning} by {by}"
            drawing = slice_bars(cards, by, score, caption, colours)
            figures.append(Figure(caption, drawing, _slice_table(cards, by, score)))
        parts.append(Section(f"By {by}", figures, columns=2, long=True))
    about = "Means over each part of the items; n is its number of items. Entropy of people is a share of its maximum."
    return Section("Scores by part of the items", [Text(about), *parts] if parts else [], detail=True)


def _slice_table(cards: Sequence[Scorecard], by: str, score: str) -> Table:
    """Every part with its number of items, and a column for each model."""
    columns = [Column(by), Column("n"), *(Column(card.name, number=True, coloured=True) for card in cards)]
    return Table(
        columns,
        [
            (part.name, part.items, *(card.slices[by][score][i].score for card in cards))
            for i, part in enumerate(cards[0].slices[by][score])
        ],
    )


def _examples(cards: Sequence[Scorecard], colours: Mapping[str, str], views: ItemViews | None) -> Section:
    first = cards[0]
    closest, furthest = example_items(first)
    return Section(
        "Examples",
        [
            Section(f"{title} people", [_items(cards, items, colours, views)], long=True)
            for title, items in (
                (f"Disputed items on which {first.name} is closest to", closest),
                (f"Items on which {first.name} is furthest from", furthest),
            )
        ],
        detail=True,
    )


def _items(
    cards: Sequence[Scorecard], items: Sequence[int], colours: Mapping[str, str], views: ItemViews | None
) -> Cards:
    first, drawn = cards[0], []
    for i in items:
        item = first.people.targets.items[i]
        title = f"item {item} · Jensen-Shannon {first.values['js'][i]:.3f}"
        view = None if views is None else views.view(item)
        drawn.append(Card(title, blocks=[Figure("", example(cards, i, colours))], content=view))
    return Cards(drawn, wide=True)


def _notes(card: Scorecard) -> Text:
    text = (
        f"↓ lower is better, ↑ higher is better. A {card.scores['js'].coverage:.0%} interval is for the score on all "
        "items of this kind, by bootstrap over items. Soft Brier is reliability, minus resolution, plus the "
        "uncertainty of people and what is inside bins. Calibration compares confidence with the share "
        "of people who made the model's choice; its intervals extend further down than up, since chance adds error."
    )
    if fits("second_best_accuracy", card):
        text += " Second choice is over items on which people are not unanimous."
    if card.ceiling is not None:
        half = format_number(card.ceiling.half_votes, ".1f").removesuffix(".0")
        text += (
            f" Half crowd: {half} votes per item predict the other half. At best: the estimated "
            "score of the true distributions against as many votes. Few votes scatter around the truth, so even the "
            "truth has a distance above 0."
        )
    return Text(text)
