"""How labels look: a card for the notebook, a page for the browser."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape

import numpy as np

from dissensus.labels.display import SHOWN_CLASSES
from dissensus.labels.doors import ANY_LABELS, takes
from dissensus.labels.shares import Labels
from dissensus.labels.summary import RANKED_FROM, Summary, summarise
from dissensus.report.colours import class_colours
from dissensus.report.items import ItemViews
from dissensus.report.page import STYLE, page
from dissensus.report.svg import bars, heatmap, histogram, split_bar
from dissensus.report.tables import Column, Html, facts_list, html_table, scrolling, shown_number

SHOWN_ROWS = 10


@takes(labels=ANY_LABELS)
def labels_card(labels: Labels) -> str:
    """A card for a notebook: counts, classes and a small picture of the disagreement."""
    summary = summarise(labels, annotators=False)
    colours = class_colours(summary.distributions.classes, summary.shares.tolist())
    return (
        f'<div class="dissensus"><style>{STYLE}</style><strong>{type(labels).__name__}</strong>'
        f"{facts_list(summary.headline())}"
        f'<div class="two">{_entropy_figure(summary)}{_class_figure(summary, colours)}</div></div>'
    )


def labels_page(
    summary: Summary, title: str, views: ItemViews | None = None, facts: Sequence[tuple[str, str]] = ()
) -> str:
    """A whole page of its own, without anything fetched from elsewhere.

    views  what the items are, to be shown beside what people said about them
    facts  names and values that follow those of the summary at the top
    """
    k = summary.distributions.n_classes
    colours = class_colours(summary.distributions.classes, summary.shares.tolist())
    parts = [
        f"<h1>{escape(title)}</h1><p>{escape(summary.disagreement())}</p>{facts_list([*summary.headline(), *facts])}",
        f'<div class="grid"><section><h2>How far people disagree</h2><p>Items by entropy: 0 where all agree, 1 for an '
        f"even split over all {k} classes.</p>{_entropy_figure(summary)}</section>"
        f"<section><h2>Share of each class</h2>{_class_figure(summary, colours)}</section>{_between(summary)}</div>",
        '<div class="two"><section><h2>Most disputed items</h2>'
        f"{scrolling(_disputed_table(summary, colours, views), 'most disputed items')}</section>",
    ]
    if summary.annotator_answers is not None:
        parts.append(f"<section><h2>Annotators</h2>{_annotator_table(summary)}</section>")
    return page("".join(parts) + "</div>", title)


def _between(summary: Summary) -> str:
    if not 2 <= summary.distributions.n_classes <= SHOWN_CLASSES:
        return ""
    figure = heatmap(summary.between_people(), summary.distributions.classes, "Answers of two people to one item")
    return (
        "<section><h2>Which answers go together</h2><p>When one person gives the answer of the row, how often (in "
        f"percent) another person gives that of the column for the same item.</p>{figure}</section>"
    )


def entropy_histogram(entropy: np.ndarray) -> np.ndarray:
    """Items in ten equal bins of normalised entropy.  (n,) -> (10,)"""
    return np.histogram(np.clip(entropy, 0, 1), bins=10, range=(0, 1))[0]


def _entropy_figure(summary: Summary) -> str:
    return histogram(entropy_histogram(summary.entropy), "entropy of an item")


def _class_figure(summary: Summary, colours: Mapping[str, str]) -> str:
    """Classes in their own order while all fit, else the largest."""
    k = summary.shares.size
    order = np.arange(k) if k <= SHOWN_CLASSES else np.argsort(-summary.shares, kind="stable")[:SHOWN_CLASSES]
    rows = [(summary.distributions.classes[i], float(summary.shares[i])) for i in order]
    note = f"<p>and {k - len(rows)} smaller classes</p>" if k > len(rows) else ""
    return bars(rows, "Mean share of each class", colours) + note


def _disputed_table(summary: Summary, colours: Mapping[str, str], views: ItemViews | None) -> str:
    distributions = summary.distributions
    rows = []
    for i in summary.disputed(SHOWN_ROWS):
        probs = distributions.probs[i]
        said = [(name, float(p)) for name, p in zip(distributions.classes, probs, strict=True) if p > 0]
        item = distributions.items[i]
        shown = [] if views is None else [views.view(item)]
        rows.append((str(item), *shown, f"{summary.entropy[i]:.3f}", Html(split_bar(said, 460, colours))))
    seen = [] if views is None else [Column("what it is")]
    table = html_table(
        [Column("item"), *seen, Column("entropy", number=True), Column("what people said")], rows, stacks=True
    )
    ties = summary.as_disputed(SHOWN_ROWS)
    return table + (
        f"<p>{ties:,} more item{'s are' if ties > 1 else ' is'} exactly as disputed as the last.</p>" if ties else ""
    )


def _annotator_table(summary: Summary) -> str:
    answers, agreement, seconds = summary.annotator_answers, summary.annotator_agreement, summary.annotator_seconds
    assert answers is not None and agreement is not None and summary.annotators is not None
    titles = ["answers", "agreement", *(["median seconds"] if seconds is not None else [])]
    rows = []
    ranked = summary.ranked_annotators()
    for a in ranked[:SHOWN_ROWS]:
        timed = [] if seconds is None else [shown_number(seconds[a], ".1f")]
        rows.append([str(summary.annotators[a]), f"{answers[a]:,}", shown_number(agreement[a]), *timed])
    table = scrolling(
        html_table([Column("annotator"), *(Column(title, number=True) for title in titles)], rows), "annotators"
    )
    few = answers.size - ranked.size
    verb = "is" if few == 1 else "are"
    left_out = f" {few:,} with fewer than {RANKED_FROM} answers to compare {verb} not ranked." if few else ""
    least = "Those who agree least with the others, out of carelessness or another view:" if rows else ""
    return (
        f"<p>{answers.size:,} annotators gave {answers.min():,} to {answers.max():,} answers each (median "
        f"{np.median(answers):g}).{left_out} {least}</p>{table if rows else ''}"
    )
