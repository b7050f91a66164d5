"""The answers most worth a second look, with the items they are about, as a table of a page."""

from __future__ import annotations

import numpy as np

from dissensus.aggregate.second_look import Review
from dissensus.labels.others import said_by_others
from dissensus.report.colours import class_colours
from dissensus.report.items import ItemViews
from dissensus.report.svg import split_bar
from dissensus.report.tables import Column, Html, html_table, swatch

SHOWN = 10


def answers_apart(review: Review, count: int = SHOWN) -> np.ndarray:
    """The answers that `review` lists first, of those that fewer than half of the others share.  At most (count,) rows

    An item that nobody else answered tells nothing about its answer.
    """
    rows = review.least_likely()
    same, others = review.same_and_others()
    return rows[(others[rows] > 0) & (2 * same[rows] < others[rows])][:count]


def apart_table(review: Review, views: ItemViews | None) -> str:
    """These answers beside what the others said about the item; "" where none stand apart."""
    votes = review.votes
    annotator, annotators = votes.identified("answers that stand apart")
    colours = class_colours(votes.classes, votes.counts().sum(axis=0).tolist())
    rows, k = [], votes.n_classes
    for row in answers_apart(review).tolist():
        item, choice = votes.item[row], votes.choice[row]
        said_so, others = said_by_others(votes, np.full(k, row), np.arange(k))  # (k,), (k,)
        shares = [(name, float(part)) for name, part in zip(votes.classes, said_so / others, strict=True) if part > 0]
        seen = [] if views is None else [views.view(votes.items[item])]
        said = swatch(votes.classes[choice], colours)
        name = str(annotators[annotator[row]])
        rows.append((name, str(votes.items[item]), *seen, said, Html(split_bar(shares, 200, colours))))
    seen_title = [] if views is None else [Column("what it is")]
    titles = [Column("annotator"), Column("item"), *seen_title, Column("said"), Column("the others said")]
    return html_table(titles, rows, stacks=True) if rows else ""
