"""Scorecards in two lines, as the card of a notebook, and as a table with one row per score."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Protocol

import pyarrow as pa

from dissensus.evaluate.ceiling import Ceiling
from dissensus.evaluate.metrics import METRICS, Shown, metrics_by_group
from dissensus.evaluate.people import People
from dissensus.labels.intervals import Interval
from dissensus.report.document import Document, Section, Text
from dissensus.report.tables import Cell, Column, Row, Table

ARROWS = {"higher": "↑", "lower": "↓", "neither": ""}
OF_THREE_CLASSES = {"second_best_accuracy", "top_2_accuracy"}


class Scored(Protocol):
    """The part of a Scorecard that is shown here; `Scorecard` documents the fields."""

    @property
    def name(self) -> str: ...
    @property
    def people(self) -> People: ...
    @property
    def scores(self) -> dict[str, Interval]: ...
    @property
    def ceiling(self) -> Ceiling | None: ...
    @property
    def remarks(self) -> tuple[str, ...]: ...
    def ceiling_of(self, score: str) -> tuple[Interval, Interval] | None: ...


def sizes_of(card: Scored) -> str:
    return f"{card.people.n_items:,} items · {card.people.targets.n_classes} classes"


def main_scores(card: Scored) -> str:
    """The main scores in one line."""
    short = {name: metric.short for name, metric in METRICS.items() if metric.short and name in card.scores}
    return ", ".join(f"{title} {card.scores[name].value:.3f}" for name, title in short.items())


def score_table(cards: Sequence[Scored]) -> pa.Table:
    """One row per model and score: model, score, value, low, high, half_crowd, at_best; null if there is none."""
    rows: dict[str, list[Any]] = {name: [] for name in ("model", "score", "value", "low", "high")}
    beside: dict[str, list[Any]] = {"half_crowd": [], "at_best": []}
    for card in cards:
        for name, score in card.scores.items():
            ceiling = card.ceiling_of(name)
            for column, cell in zip(rows, (card.name, name, score.value, score.low, score.high), strict=True):
                rows[column].append(cell)
            for place, column in enumerate(beside):
                beside[column].append(None if ceiling is None else ceiling[place].value)
    texts = {name: pa.array(rows.pop(name), pa.string()) for name in ("model", "score")}
    return pa.table(
        texts | {name: pa.array(column, pa.float64(), from_pandas=True) for name, column in (rows | beside).items()}
    )


def tabulate_scores(cards: Sequence[Scored], *where: Shown, mark_best: bool = False) -> Table:
    """One row per score, under the question it answers; a column per model, then what people reach.

    mark_best  stress the best model of each row
    """
    first = cards[0]
    groups = {
        group: [name for name in names if name in first.scores and fits(name, first)]
        for group, names in metrics_by_group(*where).items()
    }
    reached = any(first.ceiling_of(name) is not None for names in groups.values() for name in names)
    crowd = ("half crowd", "at best") if reached else ()
    columns = [Column("score"), *(Column(card.name, number=True, coloured=True) for card in cards)]
    columns += [Column(title, number=True) for title in crowd]
    rows: list[Row] = []
    for group, known in groups.items():
        rows += [Row((group,), "group")] if known else []
        for name in known:
            best = best_value(cards, name) if mark_best else math.nan
            cells = [Cell(card.scores[name], best=card.scores[name].value == best) for card in cards]
            ceiling = first.ceiling_of(name)
            people = [None if ceiling is None else ceiling[place].value for place in range(len(crowd))]
            rows.append(Row((f"{METRICS[name].meaning} {ARROWS[METRICS[name].better]}".strip(), *cells, *people)))
    return Table(columns, rows, shown=len(rows))


def fits(score: str, card: Scored) -> bool:
    """Whether a score has a meaning for this number of classes: of two classes the second choice is the other one."""
    return card.people.targets.n_classes > 2 or score not in OF_THREE_CLASSES


def best_value(cards: Sequence[Scored], score: str) -> float:
    """The best value of a score among models; NaN if there is none."""
    values = [card.scores[score].value for card in cards if not math.isnan(card.scores[score].value)]
    if not values or METRICS[score].better == "neither":
        return math.nan
    return max(values) if METRICS[score].better == "higher" else min(values)


def notebook_table(cards: Sequence[Scored], title: str) -> str:
    """The card of a notebook: every score of the terminal's table, next to the scores of people."""
    from dissensus.report.html import html_card

    remarks = dict.fromkeys(remark for card in cards for remark in card.remarks)
    blocks: list[Table | Text] = [tabulate_scores(cards, "table"), *(Text(remark, "remark") for remark in remarks)]
    return html_card(Document(title, cards[0].people.describe(), sections=[Section("", blocks)]))
