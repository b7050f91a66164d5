"""Answers that stand apart from those of the others, with the items they are about."""

from __future__ import annotations

import numpy as np

from dissensus.labels.beliefs import Beliefs
from dissensus.labels.votes import Votes
from dissensus.report.colours import class_colours
from dissensus.report.items import ItemViews
from dissensus.report.svg import split_bar
from dissensus.report.tables import Column, Html, html_table, swatch

PEOPLE, EACH = 5, 2  # annotators who are shown, and answers of each


def answers_apart(votes: Votes, annotator: int, count: int) -> list[int]:
    """The answers of an annotator with which fewest others agree, among those most are sure of.  At most `count` rows

    By the share of the others who gave the same answer, then by that of their favourite; an item that nobody else
    answered tells nothing, and an answer that half of the others or more share does not stand apart.
    """
    who, _ = votes.identified("answers that stand apart")
    rows = np.flatnonzero((who == annotator) & (votes.per_item[votes.item] > 1))
    others = _others(votes, rows)  # (rows, k)
    same, most = others[np.arange(rows.size), votes.choice[rows]], others.max(axis=1, initial=0.0)
    order = np.lexsort((-most, same))
    return [int(rows[i]) for i in order[:count] if same[i] < 0.5]


def apart_table(answers: Votes | Beliefs, order: np.ndarray, views: ItemViews | None) -> str:
    """For the first annotators of an order the answers that stand apart, beside what the others said; "" if none do."""
    votes = answers if isinstance(answers, Votes) else answers.first_choices()
    _, annotators = votes.identified("answers that stand apart")
    totals = votes.counts().sum(axis=0)
    colours = class_colours(votes.classes, totals.tolist())
    rows = []
    for a in order[:PEOPLE].tolist():
        for row in answers_apart(votes, a, EACH):
            item, others = votes.items[votes.item[row]], _others(votes, np.array([row]))[0]
            said = votes.classes[votes.choice[row]]
            shares = [(name, float(share)) for name, share in zip(votes.classes, others, strict=True) if share > 0]
            seen = [] if views is None else [views.view(item)]
            cells = (str(annotators[a]), str(item), *seen, swatch(said, colours))
            rows.append((*cells, Html(split_bar(shares, 200, colours))))
    seen_title = [] if views is None else [Column("what it is")]
    titles = [Column("annotator"), Column("item"), *seen_title, Column("said"), Column("the others said")]
    return html_table(titles, rows, stacks=True) if rows else ""


def _others(votes: Votes, rows: np.ndarray) -> np.ndarray:
    """What the others said about the items of these answers, as shares.  (r,) -> (r, k)"""
    counts = votes.counts()[votes.item[rows]].astype(np.float64)
    counts[np.arange(rows.size), votes.choice[rows]] -= 1
    return counts / np.maximum(counts.sum(axis=1, keepdims=True), 1)
