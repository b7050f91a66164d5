"""The annotator report as a page: a figure of the crowd, and a table with a row per annotator."""

from __future__ import annotations

import numpy as np

from dissensus.aggregate.annotators import AnnotatorReport
from dissensus.aggregate.answers_apart import tabulate_answers_apart
from dissensus.aggregate.second_look import Review, review
from dissensus.labels.beliefs import Beliefs
from dissensus.labels.doors import takes
from dissensus.labels.summary import RANKED_FROM
from dissensus.labels.votes import Votes
from dissensus.report.charts import scatter
from dissensus.report.colours import class_colours
from dissensus.report.document import Block, Document, Figure, Section, Text
from dissensus.report.items import ItemViews
from dissensus.report.tables import AnyCell, Column, Table


@takes(answers=(Votes, Beliefs))
def describe_annotators(
    report: AnnotatorReport, title: str, answers: Votes | Beliefs | None = None, views: ItemViews | None = None
) -> Document:
    """Describe a crowd as a page: who answers like the others, how fast, and which answers are unlikely.

    Parameters
    ----------
    report
        From `annotator_report`.
    title
        Where the answers come from, such as a file name.
    answers
        The answers behind the report, to list the unlikely ones.
    views
        Texts or pictures of the items.

    Returns
    -------
    Document

    Examples
    --------
    >>> from dissensus.aggregate import annotator_report
    >>> from dissensus.labels import Votes
    >>> votes = Votes.of(["x", "x", "y", "y"], ["cat", "cat", "dog", "cat"], ["ann", "bo", "ann", "bo"])
    >>> describe_annotators(annotator_report(votes), "votes.csv").facts[0]
    ('annotators', 2)
    """
    ranked = report.rank()
    few = np.setdiff1d(np.arange(report.annotators.size), ranked)
    facts: list[tuple[str, int | str]] = [
        ("annotators", report.annotators.size),
        ("answers", int(report.answers.sum())),
        ("answers each", " to ".join(f"{count:,}" for count in sorted({report.answers.min(), report.answers.max()}))),
    ]
    people: list[Block] = [Section("Skill, agreement and time", _figures(report), detail=True)]
    if ranked.size:
        people.append(Section("All annotators, lowest skill first", [_table(report, ranked)]))
    sections = [Section("", people, columns=2)]
    if few.size:
        about = Text(about_unranked(report))
        sections.append(Section("Too few answers to rank", [about, _table(report, few)], folded=bool(ranked.size)))
    colours = {}
    if answers is not None and (apart := _apart(review(answers), views)) is not None:
        votes = answers if isinstance(answers, Votes) else answers.first_choices()
        colours = class_colours(votes.classes, votes.counts().sum(axis=0).tolist())
        sections.append(apart)
    return Document(
        f"{title}: annotators",
        answer_about_annotators(report),
        facts,
        sections,
        colours=colours,
    )


def answer_about_annotators(report: AnnotatorReport) -> str:
    """How well the crowd agrees with its own consensus, in one or two sentences."""
    skill = report.skill[report.rank()]
    if skill.size:
        low, high = (f"{end:.0%}" for end in (skill.min(), skill.max()))
        text = f"The median annotator gives the consensus answer {np.median(skill):.0%} of the time"
        text += f", the others between {low} and {high}." if low != high else "."
    else:
        text = f"No annotator has {RANKED_FROM} answers to items that others answered too, so nobody can be compared."
    if report.overconfidence is not None and not np.isnan(report.overconfidence).all():
        excess = float(np.nanmean(report.overconfidence))
        text += (
            f" The probability they state for their first choice is {abs(excess):.1%} "
            f"{'higher' if excess >= 0 else 'lower'} than the share of others who choose it."
        )
    return text


def about_unranked(report: AnnotatorReport) -> str:
    """How many annotators gave too few answers to be ranked; empty if nobody did."""
    few = report.annotators.size - report.rank().size
    if not few:
        return ""
    subject = "1 annotator has" if few == 1 else f"{few:,} annotators have"
    return f"{subject} fewer than {RANKED_FROM} answers to items that others answered too, too few to be ranked."


def _figures(report: AnnotatorReport) -> list[Figure]:
    names = [str(name) for name in report.annotators]
    drawn = [
        Figure(
            "Skill and agreement",
            scatter(report.agreement, report.skill, names, "agreement", "skill"),
            note="Each dot is an annotator. Skill is the probability of the consensus answer (Dawid-Skene). Agreement "
            "is the probability that another annotator gave the same answer. Low values mean carelessness or a "
            "different view.",
            name="annotators skill and agreement",
        )
    ]
    if not np.isnan(report.seconds).all():
        drawn.append(
            Figure(
                "Time and skill",
                scatter(report.seconds, report.skill, names, "median seconds", "skill"),
                note="Very fast annotators with low skill may be clicking through.",
                name="annotators time and skill",
            )
        )
    return drawn


def _apart(result: Review, views: ItemViews | None) -> Section | None:
    table = tabulate_answers_apart(result, views)
    if table is None:
        return None
    about = (
        "The answers least likely to be right, given the other answers and how reliable people are. Look at the item "
        "before you call them mistakes."
    )
    return Section("Answers that differ from the others", [Text(about), table], detail=True)


def _table(report: AnnotatorReport, order: np.ndarray) -> Table:
    timed, stated = not np.isnan(report.seconds).all(), report.overconfidence is not None
    columns = [
        Column("annotator"),
        Column("answers"),
        Column("skill", ".2f"),
        Column("agreement", ".2f"),
        Column("leans to", coloured=True),
        Column("by", "+.1%", name="bias"),
        *[Column("median seconds", ".1f")] * timed,
        *[Column("overconfidence", "+.3f")] * stated,
    ]
    rows = []
    for a in order:
        lean, amount = report.leaning(a)
        row: list[AnyCell] = [
            str(report.annotators[a]),
            int(report.answers[a]),
            float(report.skill[a]),
            float(report.agreement[a]),
            lean,
            amount,
            *[float(report.seconds[a])] * timed,
        ]
        rows.append(row if report.overconfidence is None else [*row, float(report.overconfidence[a])])
    return Table(columns, rows)
