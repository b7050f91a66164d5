"""Cards of fits in notebooks: sizes, convergence and distributions."""

from __future__ import annotations

from collections.abc import Sequence

from dissensus.labels.distributions import Distributions


def fit_card(title: str, facts: Sequence[tuple[str, str]], distributions: Distributions) -> str:
    """Return a card for a notebook."""
    from dissensus.labels.summary import summarise
    from dissensus.report.document import Document, Section
    from dissensus.report.html import html_card
    from dissensus.report.labels_card import class_figure, colours_of, entropy_figure

    summary = summarise(distributions, annotators=False)
    colours = colours_of(summary)
    figures = [entropy_figure(summary), class_figure(summary, colours)]
    return html_card(Document(title, summary.disagreement(), facts, [Section("", figures, columns=3)], colours=colours))
