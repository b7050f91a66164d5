"""Every claim of the paper against the numbers of a run."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from dissensus.papers.claims import Finding, Verdict, parse_printed
from dissensus.papers.paper import Results, Scale
from dissensus.papers.peterson2019 import section_5, section_6, section_7
from dissensus.papers.verdicts import cannot_test, exact_finding

PART = ("labels",)


def findings(results: Results, scale: Scale) -> dict[str, Finding]:
    """A finding for each of `published.CLAIMS`."""
    return {
        **label_findings(results.numbers["labels"]),
        **section_5.findings(results, scale),
        **section_6.findings(results, scale),
        **section_7.findings(results, scale),
    }


def label_findings(own: Mapping[str, Any]) -> dict[str, Finding]:
    """Section 4, and what section 8 says about the labels."""
    each = " to ".join(f"{count:,}" for count in sorted({min(own["by_class"]), max(own["by_class"])}))
    balanced = own["images"] == 10_000 and set(own["by_class"]) == {1_000}
    mean = own["votes"] / own["images"]
    as_said = round(mean) == 51 and (own["fewest"], own["most"]) == (47, 63)
    short = 511_400 - own["votes"]
    return {
        "section-4-judgments": exact_finding(
            parse_printed("511400"),
            own["votes"],
            parts=PART,
            reason=f"the released counts have {abs(short):,} {'fewer' if short > 0 else 'more'}, the answers of "
            f"{abs(short) / 200:g} people"
            if short
            else "",
        ),
        "section-4-images": Finding(
            ours=f"{own['images']:,} images, {each} of each class",
            verdict="equal" if balanced else "differs",
            parts=PART,
        ),
        "section-4-per-image": Finding(
            ours=f"{mean:.1f} on average, {own['fewest']} to {own['most']}",
            verdict="equal" if as_said else "differs",
            parts=PART,
        ),
        "section-4-people": Finding(
            ours=f"{own['annotators']:,} people, {own['annotators'] - own['counted']} of them left out of the counts",
            verdict="cannot be tested here",
            parts=PART,
            reason="the raw trials are not among the data here, and 97% of the counted answers could be given back to "
            "people; `dissensus data get cifar10h-raw` downloads the trials",
        ),
        "section-4-each": Finding(
            ours=f"20 images of each class for {100 * own['as_said']:.0f}% of the people, and "
            f"{own['images_each'][1]} images, {own['of_a_class_each'][1]} of each class, at most",
            verdict=_each(own),
            parts=PART,
            reason="" if own["as_said"] == 1 else "the answers of the others may have been recovered in part only",
        ),
        "section-4-time": cannot_test(
            "the raw trials with their times are not among the data here; `dissensus data get cifar10h-raw` downloads "
            "them"
        ),
        "section-8-bulk": Finding(
            ours=f"the 30% of the images with the largest entropy have {100 * own['top_30']:.0f}% of all entropy; "
            f"90% of it is in {100 * own['share_for_90']:.0f}% of the images",
            verdict="same direction" if own["top_30"] > 0.5 else "differs",
            parts=PART,
            reason="bulk is taken as more than half",
        ),
    }


def _each(own: Mapping[str, Any]) -> Verdict:
    """Nobody saw more than is said, and most people just that."""
    most = (own["images_each"][1], own["of_a_class_each"][1])
    if most != (200, 20) or own["as_said"] <= 0.5:
        return "differs"
    return "equal" if own["as_said"] == 1 else "same direction"
