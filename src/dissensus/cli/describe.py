"""`dissensus describe`."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from dissensus.cli.agreement import Ordered
from dissensus.cli.contents import Contents, check_page, item_views
from dissensus.cli.printing import AsJson, out, print_json
from dissensus.cli.reading import reads_labels, say

if TYPE_CHECKING:
    from dissensus.aggregate.agreement_summary import AlphaSummary
    from dissensus.labels.shares import Labels
    from dissensus.labels.summary import Summary

WIDEST_BAR = 40  # columns
COUNTED = 3  # annotators and items named in the terminal; the page has more


@reads_labels
def describe(
    labels: "Labels",
    file: str,
    as_json: AsJson = False,
    html: Annotated[Path | None, typer.Option(help="Write a page with figures to this file.")] = None,
    ordered: Ordered = None,
    contents: Contents = None,
) -> None:
    """What is in a label file: how much, by whom, and how far people disagree."""
    import numpy as np

    from dissensus.aggregate.agreement_summary import alpha_summary
    from dissensus.labels.summary import summarise

    check_page(contents, html)
    summary = summarise(labels)
    alpha = alpha_summary(labels, np.random.default_rng(0), ordered=ordered)
    if html is not None:
        from dissensus.files.whole_files import write_text
        from dissensus.report.labels_page import labels_page

        views = item_views(contents, file, labels)
        write_text(labels_page(summary, Path(file).name, views, _alpha_facts(alpha)), html)
        say(f"wrote {html}")
    if as_json:
        facts = summary.as_json() | {"alpha": None if alpha is None else alpha.as_json()}
        print_json(facts)
    else:
        _print_summary(summary, alpha, file)


def _print_summary(summary: "Summary", alpha: "AlphaSummary | None", file: str) -> None:
    from dissensus.labels.summary import RANKED_FROM
    from dissensus.report.tables import print_facts

    probs, classes = summary.distributions.probs, summary.distributions.classes
    facts = summary.as_json(disputed=COUNTED)
    rows: list[tuple[str, Any]] = [("kind", facts["kind"]), ("items", f"{probs.shape[0]:,}")]
    rows.append(("annotators", "not recorded" if summary.annotators is None else f"{summary.annotators.size:,}"))
    if summary.answers is not None and summary.per_item is not None:
        low, mean, high = summary.per_item.min(), summary.per_item.mean(), summary.per_item.max()
        rows += [("answers", f"{summary.answers:,}"), ("per item", f"min {low} / mean {mean:.2f} / max {high}")]
    rows.append(("classes", f"{len(classes)}: {', '.join(classes[:20])}{', …' if len(classes) > 20 else ''}"))
    rows.append(("entropy / log k", f"{summary.entropy.mean():.3f} ± {summary.entropy.std():.3f}"))
    if summary.first is not None and summary.within is not None:
        rows.append(("  of first choices", f"{summary.first.mean():.3f} ± {summary.first.std():.3f}"))
        rows.append(("  within an answer", f"{summary.within.mean():.3f} ± {summary.within.std():.3f}"))
    rows.append(("top-2 mass", f"{summary.top_two.mean():.3f}"))
    if summary.median_seconds is not None:
        rows.append(("median time", f"{summary.median_seconds:.1f} s per answer"))
    if summary.unanswered:
        rows.append(("without answers", f"{summary.unanswered:,} items"))
    if "per_annotator" in facts:
        given, agree = facts["per_annotator"]["answers"], facts["per_annotator"]["agreement_with_others"]
        rows.append(("per annotator", f"{given['min']:g} to {given['max']:g} answers, median {given['median']:g}"))
        if agree is not None:
            spread = f"{agree['min']:.2f} to {agree['max']:.2f}, median {agree['median']:.2f}"
            rows.append(("agree with others", spread))
        if few := facts["per_annotator"]["with_too_few_answers"]:
            rows.append(
                ("  not ranked", f"{few:,} annotator{'s' * (few > 1)} with fewer than {RANKED_FROM} answers to compare")
            )
    if alpha is not None:
        rows += _alpha_rows(alpha)
    out.print(file, style="bold", markup=False)
    print_facts((name, str(value)) for name, value in rows)
    out.print("\nitems by entropy", style="bold")
    _print_histogram(summary)
    out.print("\nmost disputed", style="bold")
    for i in summary.disputed(COUNTED):
        order = (-probs[i]).argsort(kind="stable")[:3]
        said = ", ".join(f"{classes[j]} {probs[i, j]:.0%}" for j in order if probs[i, j] > 0)
        out.print(f"  {summary.distributions.items[i]}  {summary.entropy[i]:.3f}  {said}", markup=False)
    if ties := facts["equally_disputed_not_listed"]:
        out.print(f"  {ties:,} more item{'s are' if ties > 1 else ' is'} exactly as disputed as the last", markup=False)


def _alpha_rows(alpha: "AlphaSummary") -> list[tuple[str, str]]:
    """Krippendorff's alpha by level, then why these levels."""
    from dissensus.report.tables import shown_interval

    rows = [("", f"{shown_interval(interval)} {level}") for level, interval in alpha.alphas.items()]
    if len(rows) > 1:
        rows[-1] = ("", f"{rows[-1][1]}: {alpha.scale.why}")
    rows += [("", notice) for notice in alpha.notices]
    return [("alpha", rows[0][1]), *rows[1:]]


def _alpha_facts(alpha: "AlphaSummary | None") -> list[tuple[str, str]]:
    """Krippendorff's alpha by level, for a page."""
    from dissensus.report.tables import shown_interval

    levels = {} if alpha is None else alpha.alphas
    return [(f"Krippendorff's alpha, {level}", shown_interval(interval)) for level, interval in levels.items()]


def _print_histogram(summary: "Summary") -> None:
    from dissensus.report.labels_page import entropy_histogram

    counts = entropy_histogram(summary.entropy)
    full, thin, dash = ("█", "▏", "–") if _can_show("█▏–") else ("#", "|", "-")
    largest = max(int(counts.max()), 1)
    most = max(1, min(WIDEST_BAR, out.width - len(f"  0.0–0.1  {largest:,}")))
    for i, count in enumerate(counts):
        bar = full * round(most * int(count) / largest) or (thin if count else "")
        out.print(f"  {i / 10:.1f}{dash}{(i + 1) / 10:.1f} {bar} {count:,}", markup=False)


def _can_show(signs: str) -> bool:
    try:
        signs.encode(out.encoding)
    except UnicodeEncodeError:
        return False
    return True
