"""How scorecards show themselves: in two lines, as a card in a notebook, as a table with one row per score."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import Any, Protocol

import pyarrow as pa

from dissensus.evaluate.ceiling import Ceiling
from dissensus.evaluate.metrics import METRICS, shown_by_group
from dissensus.evaluate.people import People
from dissensus.labels.intervals import Interval


class Scored(Protocol):
    """What of a Scorecard is shown here; its fields are explained there."""

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
    """The scores that stand in the table of several models, in one line."""
    short = {name: metric.short for name, metric in METRICS.items() if metric.short and name in card.scores}
    return ", ".join(f"{title} {card.scores[name].value:.3f}" for name, title in short.items())


def score_table(cards: Sequence[Scored]) -> pa.Table:
    """One row per model and score: model, score, value, low, high, half_crowd, at_best; null where there is none."""
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


def notebook_table(cards: Sequence[Scored], title: str) -> str:
    """The card of a notebook: every score of the terminal's table, beside what people reach."""
    from dissensus.report.page import STYLE
    from dissensus.report.tables import Column, Row, html_table, shown_interval, shown_number

    first = cards[0]
    crowd = ("half crowd", "at best") if first.ceiling is not None else ()
    columns = [Column(""), *(Column(title, number=True) for title in (*(card.name for card in cards), *crowd))]
    rows: list[Row] = []
    for group, names in shown_by_group("table").items():
        known = [name for name in names if name in first.scores]
        rows += [Row([group], "group")] if known else []
        for name in known:
            ceiling = first.ceiling_of(name)
            people = ["" if ceiling is None else shown_number(ceiling[place].value) for place in range(len(crowd))]
            rows.append(Row([METRICS[name].meaning, *(shown_interval(card.scores[name]) for card in cards), *people]))
    remarks = "".join(f"<p>{escape(remark)}</p>" for remark in dict.fromkeys(r for card in cards for r in card.remarks))
    return (
        f'<div class="dissensus"><style>{STYLE}</style><strong>{escape(title)}</strong>'
        f"<p>{escape(first.people.describe())}</p>{html_table(columns, rows)}{remarks}</div>"
    )
