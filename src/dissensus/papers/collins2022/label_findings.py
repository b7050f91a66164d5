"""What the paper says about the labels themselves, against the released answers and votes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from dissensus.papers.claims import Finding, Verdict, printed
from dissensus.papers.collins2022.published import CLOSEST, INPUTS, PER_ANSWER, SECONDS
from dissensus.papers.verdicts import exact_finding, untested

PARTS = ("labels",)
ANNOTATORS = 6  # whose seconds tables 4 and 5 add up


def label_findings(own: Mapping[str, Any]) -> dict[str, Finding]:
    """A finding for each claim about labels; `own` is what `label_numbers` gives."""
    return {
        "annotators": exact_finding(printed("248"), own["annotators"], parts=PARTS),
        "labels": _said(
            round(own["first answers"], -2) == 6_200 and own["images"] == 1_000,
            f"{own['first answers']:,} answers over {own['images']:,} images, and {own['answers'] - own['first answers']:,} "
            "repeated trials besides",
        ),
        "images-of-a-batch": _said(
            own["batches"] == 40 and own["images of a batch"] == [25] and own["trials"][0] == 27,
            f"{own['batches']} batches of {own['images of a batch'][0]} images; {own['trials'][0]} trials for each person, "
            f"{own['repeats of a batch']:.2f} of them repeats",
            reason="one person took part twice, with 54 trials" if own["trials"][-1] == 54 else "",
        ),
        "hardest-images": exact_finding(
            printed("886"), own["hard images"], parts=PARTS, unit=" images",
            reason=f"entropy in nats; {own['hard images of all']:,} images of all 10,000 have as much, so these are a "
            "part of them",
        ),
        "easy-images": _said(
            own["with three easy"] == 38 and own["with none"] == 2,
            f"three in {own['with three easy']} batches, none in {own['with none']}: {own['easy images']} images",
        ),
        "two-classes": exact_finding(
            printed("77.2"), own["two classes"], parts=PARTS, unit=" % of all images",
            reason=f"of the images that people were shown, which are the disputed ones, "
            f"{own['two classes, same images']:.1f} % have votes for at most two classes",
        ),
        "exclusions": _said(
            own["excluded"] == 0, f"{own['excluded']} of {own['annotators']} annotators break the rules",
            reason="the answers of those who were excluded are not released, so how many they were cannot be seen",
        ),
        "completion": _said(
            own["reproduced"] == own["answers"],
            f"{own['reproduced']:,} of {own['answers']:,} released labels are made again, to 1e-9",
        ),
        "entropies": exact_finding(
            printed("0.596"), own["pearson"], parts=PARTS,
            reason=f"Spearman's coefficient is {own['spearman']:.3f}; which answers the authors took is not stated, and "
            "no choice of them that we tried gives 0.596 by Pearson",
        ),
        "wasserstein": exact_finding(
            printed("0.028"), own["wasserstein"], parts=PARTS,
            reason="over the values of a row; which answers the authors took is not stated",
        ),
        "fewer-annotators": _fewer(own),
        "figure-5-first": _correlated(own["first mass"], -1, "the mass of the first class"),
        "figure-5-possible": _correlated(own["possible"], 1, "the number of classes not ruled out"),
        "figures-3-and-9": _alike(own["alike"]),
        "figure-8": _said(
            tuple(own["farthest"]) == CLOSEST, f"{', '.join(own['farthest'])}, by Wasserstein distance over values"
        ),
        "figures-1-and-2": untested("drawings of examples whose images and annotators are not named"),
        "disagreement-share": untested("the paper does not say from where on disagreement counts as much"),
        "seconds": exact_finding(printed("32"), own["seconds"], parts=PARTS, unit=" s, median of all trials"),
        "seconds-per-input": exact_finding(printed("6.4"), own["seconds"] / 5, parts=PARTS, unit=" s"),
        "seconds-per-vote": untested(
            "reaction times of CIFAR-10H are in its raw trials, which are not among the data here; "
            "`dissensus data get cifar10h-raw` gets them where there is a network"
        ),
        "seconds-of-tables": _table_seconds(),
        "first-right": exact_finding(printed("84"), own["first right"], parts=PARTS, unit=" % of answers"),
        "first-two-right": exact_finding(printed("92"), own["first two right"], parts=PARTS, unit=" % of answers"),
        "votes-right": exact_finding(printed("95"), own["votes right"], parts=PARTS, unit=" % of votes"),
        "repeats-changed": exact_finding(printed("7"), own["changed"], parts=PARTS, unit=f" % of {own['repeats']} pairs"),
        "repeats-change": exact_finding(printed("6"), own["change"], parts=PARTS, unit=" points"),
        "split": _said(
            (own["train"], own["test"], own["in train"]) == (7_000, 3_000, own["images"]),
            f"{own['train']:,} and {own['test']:,} images; {own['in train']:,} of {own['images']:,} images of CIFAR-10S "
            "are among the first",
            reason="900 and 6,100 make 7,000, so the 100 images held out would be learned from by their CIFAR-10 class; "
            "here they are left out, and 900 and 6,000 are learned from. Which 100 they are is not released",
        ),
        "pgd": untested("the paper gives neither the attack's steps nor what came out"),
    }  # fmt: skip


def _said(same: bool, ours: str, reason: str = "") -> Finding:
    """A statement that is true of the release or not."""
    return Finding(ours=ours, verdict="equal" if same else "differs", reason=reason, parts=PARTS)


def _fewer(own: Mapping[str, Any]) -> Finding:
    few, many = own["fewest answers"], own["votes per image"]
    ours = (
        f"{many:.1f} votes and {own['answers per image']:.1f} answers for each image, at least {few}: "
        f"{many / few:.1f} times as many, {many / own['answers per image']:.1f} by the means"
    )
    return _said(abs(many / few - 8.5) <= 0.05, ours)


def _correlated(own: Mapping[str, Any], sign: int, what: str) -> Finding:
    ends = own["mean"][0], own["mean"][-1]
    verdict: Verdict = "same direction" if sign * own["pearson"] > 0 else "differs"
    ours = (
        f"r = {own['pearson']:.2f} of {what} with the entropy of votes over images; {ends[0]:.2f} on the eighth of the "
        f"images with least disagreement, {ends[1]:.2f} on that with most"
    )
    return Finding(ours=ours, verdict=verdict, parts=PARTS)


def _alike(own: Mapping[str, Mapping[str, Any]]) -> Finding:
    texts = [
        f"{name}: {it['class']} ({100 * it['share']:.0f} % of it, {it['images']} images)" for name, it in own.items()
    ]
    right = own.get("automobile", {}).get("class") == "truck"
    verdict: Verdict = "same direction" if right else "differs"
    reason = "images on which at least 98 % of the votes agree"
    return Finding(ours=f"most of the rest goes to: {', '.join(texts)}", verdict=verdict, reason=reason, parts=PARTS)


def _table_seconds() -> Finding:
    """Six annotators, each with so many inputs of a fifth of 32 seconds."""
    ours = {name: ANNOTATORS * inputs * PER_ANSWER / 5 for name, inputs in INPUTS.items()}
    same = all(abs(ours[name] - float(text)) < 0.05 for name, text in SECONDS.items())
    texts = ", ".join(f"{name} {seconds:.1f} s" for name, seconds in ours.items())
    return _said(same, f"6 annotators x inputs x 6.4 s: {texts}")
