"""Labels as a page: how often two people agree, how much they disagree, and on which items."""

from __future__ import annotations

import numpy as np

from dissensus.aggregate.agreement_summary import AlphaSummary
from dissensus.aggregate.agreement_words import word_agreement
from dissensus.labels.summary import RANKED_FROM, Summary
from dissensus.report.document import Block, Document, Section, Text
from dissensus.report.items import ItemViews
from dissensus.report.labels_card import class_figure, colours_of, entropy_figure, pair_figure
from dissensus.report.svg import split_bar
from dissensus.report.tables import AnyCell, Cell, Column, Drawing, Table

SHOWN_ROWS = 10
UNANIMOUS = 1e-9  # entropy below which all answers to an item are the same


def describe_labels(
    summary: Summary, title: str, agreement: AlphaSummary | None = None, views: ItemViews | None = None
) -> Document:
    """Describe labels as a page: how often two people agree, entropy, classes, disputed items and annotators.

    Parameters
    ----------
    summary
        From `summarise`.
    title
        Where the labels come from, such as a file name.
    agreement
        From `alpha_summary`; None if no two answers to one item are known.
    views
        Texts or pictures of the items.

    Returns
    -------
    Document

    Examples
    --------
    >>> from dissensus.labels import Votes, summarise
    >>> votes = Votes.of(["x", "x", "y", "y"], ["cat", "cat", "dog", "cat"], ["ann", "bo", "ann", "bo"])
    >>> describe_labels(summarise(votes), "votes.csv").facts[:3]
    (('kind', 'votes'), ('answers', '4'), ('items', '2'))
    """
    if not summary.entropy.size:
        raise ValueError("no item has an answer, so there is nothing to describe")
    colours = colours_of(summary)
    pairs = pair_figure(summary)
    figures: list[Block] = [entropy_figure(summary), class_figure(summary, colours)]
    figures += [] if pairs is None else [Section("", [pairs], detail=True)]
    notices = () if agreement is None else agreement.notices
    people = [] if summary.annotator_answers is None else [_annotators(summary)]
    table = _disputed(summary, views, beside=bool(people))
    blocks: list[Block] = [Section("Most disputed items", [table or Text("No item has answers that differ.")]), *people]
    has_texts = table is not None and any(
        isinstance(cell, str | tuple) for row in table.lines for cell in row.cells[1:]
    )
    sections = [
        *([Section("", [Text(notice, "remark") for notice in notices])] if notices else []),
        Section("Disagreement", figures, columns=3),
        Section("", blocks, columns=1 if has_texts else 2),
    ]
    answer = answer_about_labels(summary, agreement)
    return Document(title, answer, _facts(summary, agreement), sections, colours=colours)


def answer_about_labels(summary: Summary, agreement: AlphaSummary | None) -> str:
    """How often two answers to one item are the same, and on how many items all of them are."""
    spread = summary.entropy if summary.first is None else summary.first
    share = f"{np.mean(spread < UNANIMOUS):.0%} of the items."
    if agreement is not None and not np.isnan(agreement.observed):
        if summary.first is not None:
            return (
                f"Two people who answer the same item have the same first choice {agreement.observed:.0%} of the time. "
                f"All first choices agree on {share}"
            )
        sentence = word_agreement("observed agreement", agreement.observed)
        return f"{sentence[0].upper()}{sentence[1:]}. All answers agree on {share}"
    if summary.answers is not None:
        return "No item has two answers, so nothing is known about disagreement."
    same = float((summary.distributions.probs**2).sum(axis=1).mean())
    return (
        f"Two answers drawn from the distribution of an item are the same {same:.0%} of the time. One class has all of "
        f"the probability on {share}"
    )


def _facts(summary: Summary, agreement: AlphaSummary | None) -> tuple[tuple[str, AnyCell], ...]:
    facts: list[tuple[str, AnyCell]] = [("kind", summary.kind), *summary.headline()]
    if summary.annotators is None:
        facts.append(("annotators", "not recorded"))
    if agreement is not None:
        facts += [(f"Krippendorff's alpha, {level}", alpha) for level, alpha in agreement.alphas.items()]
        facts += [("alpha levels", agreement.scale.why)] if len(agreement.alphas) > 1 else []
    entropies = {
        "mean entropy": summary.entropy,
        "entropy of first choices": summary.first,
        "entropy within an answer": summary.within,
    }
    facts += [
        (name, Cell(f"{values.mean():.3f} ± {values.std():.3f}", note="± standard deviation over items"))
        for name, values in entropies.items()
        if values is not None and values.size
    ]
    if summary.distributions.n_classes > 2 and summary.top_two.size:
        facts.append(("share of an item's top 2 classes", f"{summary.top_two.mean():.1%}"))
    if summary.median_seconds is not None:
        facts.append(("median seconds per answer", f"{summary.median_seconds:.1f}"))
    facts += [("items without answers", summary.unanswered)] if summary.unanswered else []
    facts += [("answers left out as incomplete", summary.incomplete)] if summary.incomplete else []
    return tuple(facts)


def _disputed(summary: Summary, views: ItemViews | None, *, beside: bool) -> Table | None:
    """The items with the highest entropy; None if all answers agree on every item."""
    distributions, colours = summary.distributions, colours_of(summary)
    listed = [i for i in summary.most_disputed(SHOWN_ROWS) if summary.entropy[i] >= UNANIMOUS]
    if not listed:
        return None
    length = (400 if views is None else 300) + (0 if beside else 340)
    rows = []
    for i in listed:
        shares = [
            (name, float(p)) for name, p in zip(distributions.classes, distributions.probs[i], strict=True) if p > 0
        ]
        largest = sorted(shares, key=lambda pair: -pair[1])[:3]
        item = distributions.items[i]
        view = [] if views is None else [views.view(item)]
        bar = Drawing(
            split_bar(shares, length, colours),
            ", ".join(f"{name} {part:.0%}" for name, part in largest),
        )
        rows.append((str(item), *view, float(summary.entropy[i]), bar))
    content = [] if views is None else [Column("content", wraps=True)]
    ties = summary.count_ties(SHOWN_ROWS) if len(listed) == SHOWN_ROWS else 0
    note = f"{ties:,} more {'items are' if ties > 1 else 'item is'} exactly as disputed as the last." if ties else ""
    return Table([Column("item"), *content, Column("entropy"), Column("answers")], rows, note=note)


def _annotators(summary: Summary) -> Section:
    answers, agreement, seconds = summary.annotator_answers, summary.annotator_agreement, summary.annotator_seconds
    assert answers is not None and agreement is not None and summary.annotators is not None
    ranked = summary.rank_annotators()
    few = answers.size - ranked.size
    each = f"{answers.min():,} to {answers.max():,} answers each (median {np.median(answers):g})"
    if answers.min() == answers.max():
        each = f"{answers.max():,} {'answer' if answers.max() == 1 else 'answers'}{' each' if answers.size > 1 else ''}"
    text = f"{answers.size:,} {'annotator' if answers.size == 1 else 'annotators'} gave {each}."
    if few:
        subject = "1 annotator has" if few == 1 else f"{few:,} annotators have"
        text += f" {subject} fewer than {RANKED_FROM} answers to compare, too few to be ranked."
    if not ranked.size:
        return Section("Annotators", [Text(text)])
    text += " Those who agree least with the others come first, for carelessness or a different view:"
    columns = [Column("annotator"), Column("answers"), Column("agreement")]
    columns += [Column("median seconds", ".1f")] if seconds is not None else []
    rows: list[tuple[AnyCell, ...]] = []
    for a in ranked:
        timed = () if seconds is None else (float(seconds[a]),)
        rows.append((str(summary.annotators[a]), int(answers[a]), float(agreement[a]), *timed))
    return Section("Annotators", [Text(text), Table(columns, rows)])
