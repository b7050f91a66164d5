"""The annotator report as a page: a picture of the crowd, and a table with a row for everyone."""

from __future__ import annotations

from html import escape

import numpy as np

from dissensus.aggregate.annotators import AnnotatorReport
from dissensus.aggregate.answers_apart import apart_table
from dissensus.aggregate.second_look import review
from dissensus.labels.beliefs import Beliefs
from dissensus.labels.doors import takes
from dissensus.labels.summary import RANKED_FROM
from dissensus.labels.votes import Votes
from dissensus.report.items import ItemViews
from dissensus.report.page import page
from dissensus.report.svg import scatter
from dissensus.report.tables import Column, html_table, scrolling, shown_number


@takes(answers=(Votes, Beliefs))
def annotator_page(
    report: AnnotatorReport, title: str, answers: Votes | Beliefs | None = None, views: ItemViews | None = None
) -> str:
    """A whole page of its own; annotators from the lowest skill to the highest, those with few answers apart.

    answers  that the report is about, to show which of them stand apart
    views    what the items are, to be shown beside these answers
    """
    ranked = report.ranked()
    few = np.setdiff1d(np.arange(report.annotators.size), ranked)
    parts = [
        f"<h1>{escape(title)}: annotators</h1><p>{escape(headline(report))}</p>",
        '<div class="two"><section>'
        "<h2>Skill and agreement</h2><p>Each dot is a person. Skill is the chance of the consensus answer "
        "(Dawid-Skene); agreement is the chance that another person said the same. Low values mean carelessness or "
        "another view.</p>"
        + scatter(report.agreement, report.skill, [str(name) for name in report.annotators], "agreement", "skill")
        + "</section>",
    ]
    if not np.isnan(report.seconds).all():
        parts.append(
            "<section><h2>Time and skill</h2>"
            + scatter(report.seconds, report.skill, [str(n) for n in report.annotators], "median seconds", "skill")
            + "</section>"
        )
    apart = "" if answers is None else apart_table(review(answers), views)
    if apart:
        parts.append(
            "<section><h2>Answers that stand apart</h2><p>Least likely to be right, by what the others said and how "
            "reliable people are. Look at the item before you call them mistakes.</p>"
            f"{scrolling(apart, 'answers that stand apart')}</section>"
        )
    if ranked.size:
        everyone = scrolling(_table(report, ranked), "everyone, lowest skill first")
        parts.append(f"<section><h2>Everyone, lowest skill first</h2>{everyone}</section>")
    if few.size:
        others = scrolling(_table(report, few), "too few answers to rank")
        parts.append(f"<section><h2>Too few answers to rank</h2><p>{escape(not_ranked(report))}</p>{others}</section>")
    return page("".join(parts) + "</div>", f"{title}: annotators")


def headline(report: AnnotatorReport) -> str:
    text = f"{report.annotators.size:,} annotators gave {int(report.answers.sum()):,} answers"
    skill = report.skill[report.ranked()]
    if skill.size:
        text += f"; median skill {np.median(skill):.3f}, from {skill.min():.3f} to {skill.max():.3f}"
    if report.overconfidence is not None and not np.isnan(report.overconfidence).all():
        excess = float(np.nanmean(report.overconfidence))
        text += f"; their first choices claim {abs(excess):.1%} {'more' if excess >= 0 else 'less'} than others confirm"
    return text


def not_ranked(report: AnnotatorReport) -> str:
    """How many gave too few answers to be ranked; empty where nobody did."""
    few = report.annotators.size - report.ranked().size
    if not few:
        return ""
    verb = "are" if few > 1 else "is"
    return f"{few:,} with fewer than {RANKED_FROM} answers to items that others answered too {verb} not ranked"


def _table(report: AnnotatorReport, order: np.ndarray) -> str:
    timed, stated = not np.isnan(report.seconds).all(), report.overconfidence is not None
    titles = ["annotator", "answers", "skill", "agreement", "leans to"]
    titles += ["median seconds"] * timed + ["overconfidence"] * stated
    rows = []
    for a in order:
        lean, amount = report.leaning(a)
        cells = [str(report.annotators[a]), f"{report.answers[a]:,}"]
        cells += [shown_number(report.skill[a]), shown_number(report.agreement[a]), f"{lean} {amount:+.1%}"]
        if timed:
            cells.append(shown_number(report.seconds[a], ".1f"))
        if report.overconfidence is not None:
            cells.append(shown_number(report.overconfidence[a], "+.3f"))
        rows.append(cells)
    return html_table([Column(title, number=title not in ("annotator", "leans to")) for title in titles], rows)
