"""The answers most worth a second look, with the items they are about, as a table."""

from __future__ import annotations

import numpy as np

from dissensus.aggregate.second_look import Review
from dissensus.labels.others import count_others
from dissensus.report.colours import class_colours
from dissensus.report.items import ItemViews
from dissensus.report.svg import split_bar
from dissensus.report.tables import Column, Drawing, Table

SHOWN = 10


def answers_apart(review: Review, count: int = SHOWN) -> np.ndarray:
    """The answers that `review` lists first, of those that fewer than half of the others share.  At most (count,) rows

    An item that nobody else answered tells nothing about its answer.
    """
    rows = review.least_likely()
    same, others = review.same_and_others()
    return rows[(others[rows] > 0) & (2 * same[rows] < others[rows])][:count]


def tabulate_answers_apart(review: Review, views: ItemViews | None) -> Table | None:
    """These answers next to what the others said about the item; None if there are none."""
    votes = review.votes
    annotator, annotators = votes.require_annotators("the list of unlikely answers")
    colours = class_colours(votes.classes, votes.counts().sum(axis=0).tolist())
    rows, k, length = [], votes.n_classes, 640 if views is None else 300
    for row in answers_apart(review).tolist():
        item, choice = votes.item[row], votes.choice[row]
        same, others = count_others(votes, np.full(k, row), np.arange(k))  # (k,), (k,)
        shares = [(name, float(part)) for name, part in zip(votes.classes, same / others, strict=True) if part > 0]
        view = [] if views is None else [views.view(votes.items[item])]
        bar = Drawing(
            split_bar(shares, length, colours),
            ", ".join(f"{name} {part:.0%}" for name, part in shares),
        )
        rows.append((str(annotators[annotator[row]]), str(votes.items[item]), *view, votes.classes[choice], bar))
    content = [] if views is None else [Column("content", wraps=True)]
    columns = [
        Column("annotator"),
        Column("item"),
        *content,
        Column("answer", coloured=True),
        Column("answers of others"),
    ]
    return Table(columns, rows) if rows else None
