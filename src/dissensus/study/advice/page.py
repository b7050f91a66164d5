"""Advice on labels as a document: what to do, why, and the evidence."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from dissensus.report.document import Card, Cards, Document, Figure, Section, Text
from dissensus.report.named_rows import interval_chart
from dissensus.report.tables import Column, Row, Table
from dissensus.study.advice.advice import LabelAdvice
from dissensus.study.advice.ladder import Ladder
from dissensus.study.advice.quick_study import METRICS as SHOWN

BASIS = {
    "evidence": "significantly better than anything simpler",
    "lead": "best here, but not significantly",
    "doubt": "the best of these models, but it does not help here",
    "simplest": "the simplest; nothing is significantly better",
    "rule": "not tested",
}
ABOUT_LADDER = (
    "Methods are tested from simplest to most complex; one replaces another only if it is significantly better. p is "
    "corrected for the number of tests. The advised method is in bold."
)
BESIDE = 7  # columns of a table that fits beside its figure
_TITLES = {"soft_nll": "soft NLL", "brier": "Brier score", "accuracy": "acc.", "entropy_pearson": "entropy r"}


def describe_advice(advice: LabelAdvice, name: str = "labels", next_steps: Sequence[str] = ()) -> Document:
    """Make the page of an advice; `html_page` and `print_document` render it.

    Parameters
    ----------
    advice     : by `advise_labels`
    name       : of the labels, for the title
    next_steps : commands that follow the advice

    Returns
    -------
    Document

    Examples
    --------
    >>> import numpy as np
    >>> from dissensus.labels import Votes
    >>> from dissensus.study import advise_labels
    >>> votes = Votes.of(["a", "b", "c"], ["cat", "dog", "cat"])
    >>> describe_advice(advise_labels(votes, np.random.default_rng(0)), "pets").title
    'What to make of pets'
    """
    evidence = _describe_evidence(advice)
    sections = [Section("", [Cards(_make_cards(advice), wide=True)])]
    sections += [Section("", [Text(ABOUT_LADDER)])] if evidence else []
    sections += evidence
    sections += [Section("Next", [Text("\n".join(next_steps), "code")])] if next_steps else []
    sections += [Section("Remarks", [Text(notice, "remark") for notice in advice.notices])] if advice.notices else []
    return Document(f"What to make of {name}", _answer(advice), advice.regime.facts(), sections)


def _answer(advice: LabelAdvice) -> str:
    what = advice.recommended
    return (
        f"Estimate people's answers by {_name_estimator(advice)} ({BASIS[what.estimator_basis]}). Train on "
        f"{_name_labels(advice)} with the delivery {what.delivery} ({BASIS[what.training_basis]})."
    )


def _make_cards(advice: LabelAdvice) -> list[Card]:
    """The three questions, each with its answer, its basis and the reasons."""
    what = advice.recommended
    training = f"{_name_labels(advice)}, delivered {what.delivery}"
    rows = (
        ("What would people answer about an item?", _name_estimator(advice), what.estimator_basis, "estimator"),
        ("Which class is right, if any?", what.right_class, what.right_class_basis, "right_class"),
        ("What should a model be trained on?", training, what.training_basis, "training"),
    )
    return [
        Card(question, value, BASIS[basis], [Text(sentence) for sentence in advice.why[reasons]])
        for question, value, basis, reasons in rows
    ]


def _name_estimator(advice: LabelAdvice) -> str:
    return _name_given(advice) if advice.recommended.estimator == "none" else advice.recommended.estimator


def _name_labels(advice: LabelAdvice) -> str:
    return _name_given(advice) if advice.recommended.labels == "answers" else advice.recommended.labels


def _name_given(advice: LabelAdvice) -> str:
    return f"the {'probabilities' if advice.regime.kind == 'probabilities' else 'answers'} as they are"


def _describe_evidence(advice: LabelAdvice) -> list[Section]:
    sections = []
    if advice.held is not None and advice.answers is not None and advice.brier is not None:
        about = f"{advice.held.answers:,} answers to {advice.held.items.size:,} items, each held out once"
        brier = {rung.name: rung.loss for rung in advice.brier.rungs}
        table = _make_table(advice.answers, advice.answers.taken, "log loss", {"Brier score": brier})
        sections.append(_compose("Predicting held-out answers", f"{about}; lower is better.", table, advice.answers))
        if advice.authors is not None:
            table = _make_table(advice.authors, advice.recommended.right_class, "log loss", {})
            about = "The same answers, with the annotator known to each model but shrinkage, the first row."
            sections.append(_compose("Predicting who answers what", about, table, advice.authors))
    if advice.study is not None:
        ladder = advice.study.ladder
        others = {_TITLES[metric]: _scores_by_arm(advice.study.scores, metric) for metric in SHOWN[1:]}
        about = (
            f"Means over {ladder.units} trainings of a linear head, each tested on a held-out fifth of the items. "
            "Intervals and p allow for overlapping training sets."
        )
        table = _make_table(ladder, ladder.taken, _TITLES[SHOWN[0]], others)
        sections.append(_compose("Training on it", about, table, ladder))
    return sections


def _scores_by_arm(scores: Mapping[str, Mapping[str, float | None]], metric: str) -> dict[str, float]:
    values = {arm: row[metric] for arm, row in scores.items()}
    return {arm: math.nan if value is None else value for arm, value in values.items()}


def _make_table(ladder: Ladder, advised: str, loss: str, others: Mapping[str, Mapping[str, float]]) -> Table:
    columns = [Column("method"), Column(loss, ".3f", number=True)]
    columns += [Column(title, ".3f", number=True) for title in others]
    columns += [Column("compared with")] if len(_rivals(ladder)) > 1 else []
    columns += [Column("difference", "+.3f", number=True), Column("p", "p", number=True)]
    rows = [
        Row(
            (
                rung.name,
                rung.loss,
                *(values[rung.name] for values in others.values()),
                *([rung.against] if len(_rivals(ladder)) > 1 else []),
                rung.difference,
                None if rung.difference is None else rung.p,
            ),
            style="best" if rung.name == advised else "",
        )
        for rung in ladder.rungs
    ]
    return Table(columns, rows, shown=len(rows))


def _rivals(ladder: Ladder) -> list[str]:
    """The methods that others are compared with."""
    return list(dict.fromkeys(rung.against for rung in ladder.rungs if rung.against is not None))


def _compose(title: str, about: str, table: Table, ladder: Ladder) -> Section:
    rows = [
        (rung.name, rung.difference.value, rung.difference.low, rung.difference.high)
        for rung in ladder.rungs
        if rung.difference is not None
    ]
    if not rows:
        return Section(title, [Text(about), table])
    rivals = _rivals(ladder)
    about += f" Each other method is compared with {rivals[0]}." if len(rivals) == 1 else ""
    drawing = interval_chart(rows, "difference in loss", reference=0.0, style="+.3f")
    figure = Section("", [Figure("Difference in loss", drawing)], detail=True)
    return Section(title, [Text(about), Section("", [figure, table], columns=2 if len(table.columns) <= BESIDE else 1)])
