"""An advice as a page: what to do, why, and the evidence as tables and figures."""

from __future__ import annotations

import math
from collections.abc import Sequence
from html import escape

from dissensus.report.named_rows import interval_chart
from dissensus.report.page import CARDS, page
from dissensus.report.tables import Column, Row, facts_list, html_table, scrolling, shown_number
from dissensus.study.advice.advice import LabelAdvice
from dissensus.study.advice.ladder import Ladder
from dissensus.study.advice.quick_study import METRICS as SHOWN
from dissensus.study.advice.words import shown_difference, shown_test

BASIS = {
    "evidence": "shown to be better",
    "lead": "best here, but by what chance can do",
    "doubt": "the best of these models, but it does not help here",
    "simplest": "the simplest: none is shown to be better",
    "rule": "not tested",
}
STYLE = """
.dissensus .advised{grid-template-columns:repeat(auto-fit,minmax(min(100%,22rem),1fr))}
.dissensus .card p{color:var(--ink);max-width:none;margin:.4rem 0}.dissensus .card em{color:var(--quiet)}
.dissensus tr.best td{font-weight:650;background:var(--tint)}
.dissensus pre{background:var(--tint);padding:.7rem 1rem;overflow-x:auto}
"""
_TITLES = {"soft_nll": "soft NLL", "brier": "Brier score", "accuracy": "accuracy", "entropy_pearson": "entropy r"}
ABOUT_LADDER = (
    "The simplest stands first. Each way further down is held against the one that stands, and takes its place only "
    "where it is shown to be better; p is corrected for the number of tests. In bold: what is advised."
)


def advice_tables(advice: LabelAdvice) -> list[tuple[str, str, list[Column], list[Row]]]:
    """The evidence as tables: title, what it is, columns and rows; the same for a page and a terminal."""
    tables = []
    if advice.held is not None and advice.answers is not None and advice.brier is not None:
        size = f"{advice.held.answers:,} answers to {advice.held.items.size:,} items, each held out once"
        brier = {rung.name: f"{rung.loss:.4f}" for rung in advice.brier.rungs}
        columns, rows = _ladder_table(advice.answers, advice.answers.taken, "log loss", {"Brier score": brier})
        tables.append(("Foretelling what people answer", f"{size}; lower is better.", columns, rows))
        if advice.authors is not None:
            columns, rows = _ladder_table(advice.authors, advice.recommended.right_class, "log loss", {})
            about = (
                "The same answers, but each model is told who gives them; the first line is shrinkage, which is not."
            )
            tables.append(("Foretelling who answers what", about, columns, rows))
    if advice.study is not None:
        study, others = advice.study, SHOWN[1:]
        shown = {
            _TITLES[m]: {
                arm: shown_number(math.nan if scores[m] is None else scores[m] or 0.0)
                for arm, scores in study.scores.items()
            }
            for m in others
        }
        columns, rows = _ladder_table(study.ladder, study.ladder.taken, _TITLES[SHOWN[0]], shown)
        about = (
            f"Means over {study.ladder.units} trainings of a linear head, each judged on the fifth of the items that "
            "it has not seen; intervals and p allow for overlapping training sets."
        )
        tables.append(("Learning from it", about, columns, rows))
    return tables


def advice_lines(advice: LabelAdvice) -> list[tuple[str, str, str, list[str]]]:
    """The advice itself: question, answer, on what it rests, and why."""
    what = advice.recommended
    as_they_are = f"the {'probabilities' if advice.regime.kind == 'probabilities' else 'answers'} as they are"
    learned = as_they_are if what.labels == "answers" else what.labels
    estimator = as_they_are if what.estimator == "none" else what.estimator
    return [
        ("What would people answer about an item?", estimator, what.estimator_basis, advice.why["estimator"]),
        ("Which class is right, if one is?", what.right_class, what.right_class_basis, advice.why["right_class"]),
        (
            "What should a model learn from?",
            f"{learned}, delivered {what.delivery}",
            what.training_basis,
            advice.why["training"],
        ),
    ]


def advice_page(advice: LabelAdvice, name: str, next_steps: Sequence[str] = ()) -> str:
    """A page of its own, without anything fetched from elsewhere."""
    title = f"What to make of {name}"
    cards = "".join(
        f'<section class="card"><span>{escape(question)}</span><b>{escape(answer)}</b><em>{escape(BASIS[basis])}</em>'
        f"{''.join(f'<p>{escape(sentence)}</p>' for sentence in why)}</section>"
        for question, answer, basis, why in advice_lines(advice)
    )
    notices = "".join(f'<p class="remark">{escape(notice)}</p>' for notice in advice.notices)
    ladders = [ladder for ladder in (advice.answers, advice.authors) if ladder is not None]
    ladders += [advice.study.ladder] if advice.study is not None else []
    evidence = "".join(
        f"<section><h2>{escape(heading)}</h2><p>{escape(about)}</p>"
        f'<div class="two">{scrolling(html_table(columns, rows), heading)}{_figure(ladder)}</div></section>'
        for (heading, about, columns, rows), ladder in zip(advice_tables(advice), ladders, strict=True)
    )
    how = f"<p>{escape(ABOUT_LADDER)}</p>" if evidence else ""
    steps = f"<h2>Next</h2><pre>{escape(chr(10).join(next_steps))}</pre>" if next_steps else ""
    return page(
        f"<style>{CARDS}{STYLE}</style><h1>{escape(title)}</h1>{facts_list(advice.regime.facts())}{notices}"
        f'<div class="cards advised">{cards}</div>{how}{evidence}{steps}',
        title,
    )


def _ladder_table(
    ladder: Ladder, advised: str, loss: str, others: dict[str, dict[str, str]]
) -> tuple[list[Column], list[Row]]:
    columns = [Column("way"), Column(loss, number=True), *(Column(title, number=True) for title in others)]
    columns += [Column("held against"), Column("difference", number=True), Column("p", number=True)]
    rows = [
        Row(
            (
                rung.name,
                shown_number(rung.loss, ".4f"),
                *(values[rung.name] for values in others.values()),
                rung.against or "–",
                shown_difference(rung),
                shown_test(rung),
            ),
            style="best" if rung.name == advised else "",
        )
        for rung in ladder.rungs
    ]
    return columns, rows


def _figure(ladder: Ladder) -> str:
    rows = [
        (rung.name, rung.difference.value, rung.difference.low, rung.difference.high)
        for rung in ladder.rungs
        if rung.difference is not None
    ]
    return interval_chart(rows, "difference in loss", reference=0.0) if rows else ""
