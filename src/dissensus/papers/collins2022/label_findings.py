"""What the paper says about the labels themselves, against the released answers and votes."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from dissensus.papers.claims import Finding, Verdict, parse_printed
from dissensus.papers.collins2022.published import FARTHEST, INPUTS, PER_ANSWER, SECONDS
from dissensus.papers.verdicts import cannot_test, exact_finding

PARTS = ("labels",)
ANNOTATORS = 6  # whose seconds tables 4 and 5 add up


def label_findings(own: Mapping[str, Any]) -> dict[str, Finding]:
    """A finding for each claim about labels; `own` is what `label_numbers` gives."""
    return {
        "annotators": exact_finding(parse_printed("248"), own["annotators"], parts=PARTS),
        "labels": _label_finding(
            round(own["first answers"], -2) == 6_200 and own["images"] == 1_000,
            f"{own['first answers']:,} answers over {own['images']:,} images, and "
            f"{own['answers'] - own['first answers']:,} repeated trials besides",
        ),
        "images-of-a-batch": _label_finding(
            own["batches"] == 40 and own["images of a batch"] == [25] and own["trials"][0] == 27,
            f"{own['batches']} batches of {own['images of a batch'][0]} images; {own['trials'][0]} trials for each "
            f"person, {own['repeats of a batch']:.2f} of them repeats",
            reason="one person took part twice, with 54 trials" if own["trials"][-1] == 54 else "",
        ),
        "hardest-images": exact_finding(
            parse_printed("886"),
            own["hard images"],
            parts=PARTS,
            unit=" images",
            reason=f"entropy in nats; {own['hard images of all']:,} images of all 10,000 have as much, so these are a "
            "part of them",
        ),
        "easy-images": _label_finding(
            own["with three easy"] == 38 and own["with none"] == 2,
            f"three in {own['with three easy']} batches, none in {own['with none']}: {own['easy images']} images",
        ),
        "two-classes": _exact(
            "77.2",
            own["two classes"],
            " % of all images",
            2,
            f"of the images that people were shown, which are the disputed ones, "
            f"{own['two classes, same images']:.1f}% have votes for at most two classes",
        ),
        "exclusions": _label_finding(
            own["excluded"] == 0,
            f"{own['excluded']} of {own['annotators']} annotators break the rules",
            reason="the answers of those who were excluded are not released, so how many they were cannot be seen",
        ),
        "completion": _label_finding(
            own["reproduced"] == own["answers"],
            f"{own['reproduced']:,} of {own['answers']:,} released labels are made again, to 1e-9",
        ),
        "entropies": _entropies(own),
        "wasserstein": _exact(
            "0.028",
            own["wasserstein"],
            "",
            4,
            "mean over images of the distance between the sorted probabilities of both labels, with repeated trials; "
            "the paper says neither which distance between classes it takes nor which answers",
        ),
        "fewer-annotators": _fewer(own),
        "figure-5-first": _correlation_finding(own["first mass"], -1, "the mass of the first class"),
        "figure-5-possible": _correlation_finding(own["possible"], 1, "the number of classes not ruled out"),
        "figures-3-and-9": _alike(own["alike"]),
        "figure-8": _label_finding(
            tuple(own["farthest"]) == FARTHEST, f"{', '.join(own['farthest'])}, by Wasserstein distance over values"
        ),
        "figures-1-and-2": cannot_test("drawings of examples whose images and annotators are not named"),
        "disagreement-share": cannot_test("the paper does not say from where on disagreement counts as much"),
        "seconds": _exact("32", own["seconds"], " s, median of all trials", 2),
        "seconds-per-input": _exact("6.4", own["seconds"] / 5, " s", 2),
        "seconds-per-vote": cannot_test(
            "reaction times of CIFAR-10H are in its raw trials, which are not among the data here; "
            "`dissensus data get cifar10h-raw` downloads them"
        ),
        "seconds-of-tables": _table_seconds(),
        "first-right": _exact("84", own["first right"], " % of answers", 1),
        "first-two-right": _exact("92", own["first two right"], " % of answers", 1),
        "votes-right": _exact("95", own["votes right"], " % of votes, averaged over images", 1),
        "repeats-changed": _exact(
            "7", own["changed"], f" % of {own['repeats']} repeated trials", 1, "without the one who took part twice"
        ),
        "repeats-change": _exact("6", own["change"], " points", 1),
        "split": _label_finding(
            (own["train"], own["test"], own["in train"]) == (7_000, 3_000, own["images"]),
            f"{own['train']:,} and {own['test']:,} images; {own['in train']:,} of {own['images']:,} images of "
            "CIFAR-10S are among the first",
            reason="900 and 6,100 make 7,000, so the 100 images held out would be learned from by their CIFAR-10 "
            "class; here they are left out, and 900 and 6,000 are learned from. Which 100 they are is not released",
        ),
        "pgd": cannot_test("the paper gives neither the attack's steps nor what came out"),
    }


def _exact(theirs: str, value: float, unit: str, digits: int, reason: str = "") -> Finding:
    """A number of the release against one that the paper rounds more."""
    finding = exact_finding(parse_printed(theirs), value, parts=PARTS, reason=reason)
    return replace(finding, ours=f"{value:.{digits}f}{unit}")


def _label_finding(same: bool, ours: str, reason: str = "") -> Finding:
    """A statement that is true of the release or not."""
    return Finding(ours=ours, verdict="equal" if same else "differs", reason=reason, parts=PARTS)


def _entropies(own: Mapping[str, Any]) -> Finding:
    """The printed coefficient, or one above zero significant (Fisher's interval over images)."""
    half = 1.96 / math.sqrt(own["images"] - 3)
    low, high = (math.tanh(math.atanh(own["pearson"]) + sign * half) for sign in (-1, 1))
    finding = _exact("0.596", own["pearson"], f" [{low:.3f}, {high:.3f}] over {own['images']:,} images", 3)
    if finding.verdict == "equal":
        return finding
    reason = (
        f"Spearman's coefficient is {own['spearman']:.3f}; which answers the authors took is not stated, and neither "
        "all of them nor those without repeated trials give 0.596 by Pearson"
    )
    return replace(finding, verdict="same direction" if low > 0 else "differs", reason=reason)


def _fewer(own: Mapping[str, Any]) -> Finding:
    few, many = own["fewest answers"], own["votes per image"]
    ours = (
        f"{many:.1f} votes and {own['answers per image']:.1f} answers for each image, at least {few}: "
        f"{many / few:.1f} times as many, {many / own['answers per image']:.1f} by the means"
    )
    return _label_finding(abs(many / few - 8.5) <= 0.05, ours)


def _correlation_finding(own: Mapping[str, Any], sign: int, what: str) -> Finding:
    ends = own["mean"][0], own["mean"][-1]
    verdict: Verdict = "same direction" if sign * own["pearson"] > 0 else "differs"
    ours = (
        f"r = {own['pearson']:.2f} of {what} with the entropy of votes over images; {ends[0]:.2f} on the eighth of the "
        f"images with least disagreement, {ends[1]:.2f} on that with most"
    )
    return Finding(ours=ours, verdict=verdict, parts=PARTS)


def _alike(own: Mapping[str, Mapping[str, Any]]) -> Finding:
    texts = [
        f"{name}: {it['class']} ({100 * it['share']:.0f}% of it, {it['images']} images)" for name, it in own.items()
    ]
    right = own.get("automobile", {}).get("class") == "truck"
    verdict: Verdict = "same direction" if right else "differs"
    reason = "images on which at least 98% of the votes agree"
    return Finding(ours=f"most of the rest goes to: {', '.join(texts)}", verdict=verdict, reason=reason, parts=PARTS)


def _table_seconds() -> Finding:
    """Six annotators, each with so many inputs of a fifth of 32 seconds."""
    ours = {name: ANNOTATORS * inputs * PER_ANSWER / 5 for name, inputs in INPUTS.items()}
    same = all(abs(ours[name] - float(text)) < 0.05 for name, text in SECONDS.items())
    texts = ", ".join(f"{name} {seconds:.1f} s" for name, seconds in ours.items())
    return _label_finding(same, f"6 annotators x inputs x 6.4 s: {texts}")
