"""Labels as a card for the notebook, and the figures that pages about labels share."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from dissensus.labels.display import SHOWN_CLASSES
from dissensus.labels.doors import ANY_LABELS, takes
from dissensus.labels.shares import Labels
from dissensus.labels.summary import Summary, summarise
from dissensus.report.cells import BAR
from dissensus.report.colours import class_colours
from dissensus.report.document import Document, Figure, Section
from dissensus.report.html import html_card
from dissensus.report.svg import bars, heatmap, histogram
from dissensus.report.tables import Column, Table


@takes(labels=ANY_LABELS)
def labels_card(labels: Labels) -> str:
    """A card for a notebook: counts, classes and a small picture of the disagreement."""
    summary = summarise(labels, annotators=False)
    colours = colours_of(summary)
    figures = [entropy_figure(summary), class_figure(summary, colours)]
    return html_card(
        Document(
            type(labels).__name__,
            summary.disagreement(),
            summary.headline(),
            [Section("", figures, columns=3)],
            colours=colours,
        )
    )


def colours_of(summary: Summary) -> dict[str, str]:
    """The colour of each class on a page about labels."""
    return class_colours(summary.distributions.classes, summary.shares.tolist())


def count_by_entropy(entropy: np.ndarray) -> np.ndarray:
    """Items in ten equal bins of normalised entropy.  (n,) -> (10,)"""
    return np.histogram(np.clip(entropy, 0, 1), bins=10, range=(0, 1))[0]


def entropy_figure(summary: Summary) -> Figure:
    """Items by how much people disagree about them."""
    counts = count_by_entropy(summary.entropy)
    k = summary.distributions.n_classes
    rows = [(f"{place / 10:.1f}-{(place + 1) / 10:.1f}", int(count)) for place, count in enumerate(counts)]
    return Figure(
        "Items by entropy",
        histogram(counts, "entropy of an item"),
        Table([Column("entropy"), Column("items", BAR)], rows),
        note=f"0 if all agree, 1 for an even split over {'both' if k == 2 else f'all {k}'} classes.",
    )


def class_figure(summary: Summary, colours: Mapping[str, str]) -> Figure:
    """Classes in their own order if all fit, otherwise the largest."""
    k = summary.shares.size
    order = np.arange(k) if k <= SHOWN_CLASSES else np.argsort(-summary.shares, kind="stable")[:SHOWN_CLASSES]
    rows = [(summary.distributions.classes[i], float(summary.shares[i])) for i in order]
    note = f"The {len(rows)} largest of {k:,} classes." if k > len(rows) else ""
    table = Table([Column("class", coloured=True), Column("share", ".1%")], rows, shown=SHOWN_CLASSES)
    return Figure("Share of each class", bars(rows, "Mean share of each class", colours), table, note)


def pair_figure(summary: Summary) -> Figure | None:
    """Which answers two people give to the same item; None for too few or too many classes."""
    names = summary.distributions.classes
    if not 2 <= len(names) <= SHOWN_CLASSES:
        return None
    shares = summary.between_people()
    rows: list[tuple[str | float, ...]] = [(name, *map(float, row)) for name, row in zip(names, shares, strict=True)]
    table = Table([Column("one person", name="answer"), *(Column(name, ".1%") for name in names)], rows)
    return Figure(
        "Answers of two people to the same item",
        heatmap(shares, names, "Answers of two people to one item"),
        table if len(set(names)) == len(names) else None,
        note="If one person gives the answer of the row, how often (in percent) another gives that of the column.",
    )
