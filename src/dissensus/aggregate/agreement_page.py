"""Agreement as a page: how often two people agree, every measure with what it means, and the classes one by one."""

from __future__ import annotations

import numpy as np

from dissensus.aggregate.agreement_summary import AgreementReport
from dissensus.aggregate.agreement_words import TENTATIVE, judge_alpha, word_agreement
from dissensus.labels.display import SHOWN_CLASSES
from dissensus.labels.intervals import Interval
from dissensus.report.document import Block, Document, Figure, Section, Text
from dissensus.report.named_rows import interval_chart
from dissensus.report.tables import Column, Table, Value

TITLES = {"fleiss kappa": "Fleiss' kappa"}


def describe_agreement(report: AgreementReport, title: str) -> Document:
    """Describe how much people agree as a page.

    Parameters
    ----------
    report
        From `agreement_report`.
    title
        Where the answers come from, such as a file name.

    Returns
    -------
    Document

    Examples
    --------
    >>> import numpy as np
    >>> from dissensus.aggregate import agreement_report
    >>> from dissensus.labels import Votes
    >>> votes = Votes.of(["x", "x", "y", "y"], ["cat", "cat", "dog", "cat"], ["ann", "bo", "ann", "bo"])
    >>> report = agreement_report(votes, np.random.default_rng(0), replicates=20)
    >>> describe_agreement(report, "votes.csv").answer[:57]
    'Two people who answer the same item say the same 50% of t'
    """
    facts: list[tuple[str, Value]] = [
        ("items compared", report.items),
        ("answers compared", report.answers),
        ("95% intervals over", report.over),
        ("levels of measurement", str(report.scale)),
    ]
    readings = report.readings()
    titles = {name: TITLES.get(name, name) for name in report.measures}
    measures = Table(["measure", "value"], [(titles[name], interval) for name, interval in report.measures.items()])
    meanings = Text("\n".join(f"{titles[name]}: {text}" for name, text in readings.items()), "list")
    by_class = report.classes
    classes = Table(
        [Column("class"), Column("share of answers"), Column("specific agreement"), Column("kappa")],
        [
            (name, float(by_class.share[c]), by_class.specific[c], by_class.kappa[c])
            for c, name in enumerate(by_class.classes)
        ],
        shown=20,
    )
    parts = [
        Section("Measures", [measures, meanings, *_pairs(report)]),
        Section("Classes", [Text(f"{_sentence(report.class_reading())}."), classes]),
    ]
    remarks = (
        [Section("", [Text(notice, "remark") for notice in report.notices], detail=True)] if report.notices else []
    )
    sections = [*remarks, Section("", _figures(report), columns=2, detail=True), Section("", parts, columns=2)]
    return Document(f"{title}: agreement", answer_about_agreement(report), facts, sections)


def answer_about_agreement(report: AgreementReport) -> str:
    """How often two people agree, and whether single answers can be relied on."""
    observed = word_agreement("observed agreement", report.measures["observed agreement"].value)
    alpha = report.measures["nominal alpha"].value
    if np.count_nonzero(report.classes.share) == 1:
        return f"{_sentence(observed)}. All answers are the same class, so agreement beyond chance cannot be measured."
    return f"{_sentence(observed)}. Krippendorff's alpha is {alpha:.2f}, {judge_alpha(alpha)}."


def _figures(report: AgreementReport) -> list[Block]:
    """Measures beyond chance and each class, with their intervals; none if all answers are the same class."""
    by_class = report.classes
    share = np.asarray(by_class.share)
    chosen = np.flatnonzero(share)
    if chosen.size < 2:
        return []
    beyond = [
        (TITLES.get(name, name), *_three(interval))
        for name, interval in report.measures.items()
        if name != "observed agreement"
    ]
    largest = np.sort(chosen[np.argsort(-share[chosen], kind="stable")][:SHOWN_CLASSES])
    classes = [(by_class.classes[c], *_three(by_class.specific[c])) for c in largest]
    left_out = chosen.size - largest.size
    return [
        Figure(
            "Agreement beyond chance",
            interval_chart(beyond, "0 is chance, 1 is perfect", reference=TENTATIVE, style=".3f"),
            note=f"Below {TENTATIVE}, the dashed line, one answer does not stand for another.",
        ),
        Figure(
            "Agreement by class",
            interval_chart(classes, "specific agreement", style=".3f"),
            note="If one person gives the class, how often another does."
            + (f" The {len(classes)} largest of {chosen.size:,} classes." if left_out else ""),
        ),
    ]


def _three(interval: Interval) -> tuple[float, float, float]:
    return interval.value, interval.low, interval.high


def _pairs(report: AgreementReport) -> list[Text]:
    pairs = report.pair_facts()
    if pairs is None:
        return []
    low, high = pairs["lowest"], pairs["highest"]
    return [
        Text(
            f"Cohen's kappa has a median of {pairs['median_kappa']:.3f} over {pairs['pairs']:,} pairs of annotators "
            f"with {pairs['shared_at_least']} or more items in common. It ranges from {low['kappa']:.3f} "
            f"({' and '.join(low['pair'])}) to {high['kappa']:.3f} ({' and '.join(high['pair'])})."
        )
    ]


def _sentence(text: str) -> str:
    return text[0].upper() + text[1:]
