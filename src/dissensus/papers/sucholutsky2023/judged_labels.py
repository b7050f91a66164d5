"""Claims of sections 7.1 and 7.2 about the labels themselves."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from math import comb
from typing import Any

import numpy as np

from dissensus.papers.claims import Finding, parse_printed
from dissensus.papers.reading import Runs, interval_of
from dissensus.papers.sucholutsky2023 import published
from dissensus.papers.sucholutsky2023.own_data import FOLDER
from dissensus.papers.sucholutsky2023.sets import NAMES
from dissensus.papers.verdicts import cannot_test, direction_finding, exact_finding, no_difference_finding

LINEAR = 0.9  # |r| from which a relation counts as linear
SAME_RHO = 0.02
FIELDS = 3  # judgments in a response of CIFAR-10S: the two likeliest classes, and those that are wrong


def not_released(what: str, *files: str) -> Finding:
    """Of a claim about labels that only the authors have, and perhaps a user."""
    named = " and ".join(files)
    return cannot_test(
        f"{what} not released; whoever has them puts {named} into the folder {FOLDER} of the data folder"
    )


def label_findings(labels: Mapping[str, Any], informed: Mapping[str, Any]) -> dict[str, Finding]:
    """Of the parts `labels` and `informed`."""
    return _counts(labels) | _softness(labels) | _recovery(informed)


def _counts(labels: Mapping[str, Any]) -> dict[str, Finding]:
    votes, (_, mean, _), responses = labels["votes"], labels["votes of an image"], labels["responses"]
    ratings = published.TYPICALITY["people"] * published.TYPICALITY["images each"]
    similarity = published.SIMILARITY
    pairs = similarity["subsets"] * comb(similarity["images"], 2) * similarity["of a pair"]
    sliders = 10_000 * published.DENSE["people"] * published.DENSE["sliders"]
    unseen = published.DENSE["judgments"] + published.TYPICALITY["judgments"] + pairs
    typical = Finding(
        ours=f"people times images in the paper's own text: {ratings:,}, {ratings / 10_000:.0f} an image",
        verdict="cannot be tested here",
        reason="single ratings of CIFAR-10T were not released",
    )
    near = abs(votes / 500_000 - 1) < 0.05 and abs(mean - 50) < 2.5
    close = abs(FIELDS * responses / 20_000 - 1) < 0.05 and labels["images with sparse labels"] == 1_000
    return {
        "votes": Finding(
            ours=f"{votes:,} votes, {mean:.1f} an image", verdict="equal" if near else "differs", parts=("labels",)
        ),
        "sparse-judgments": Finding(
            ours=f"{responses:,} responses on {labels['images with sparse labels']:,} images; {FIELDS * responses:,} "
            "if the likeliest class, the second and those that are wrong are a judgment each",
            verdict="equal" if close else "differs",
            parts=("labels",),
        ),
        "dense-judgments": Finding(
            ours=f"images times people times sliders in the paper's own text: about {sliders:,}",
            verdict="cannot be tested here",
            reason="single judgments of CIFAR-10DS were not released",
        ),
        "all-judgments": Finding(
            ours=f"{votes + FIELDS * responses:,} are here, of CIFAR-10H and CIFAR-10S",
            parts=("labels",),
            verdict="cannot be tested here",
            reason="single judgments of CIFAR-10DS, of CIFAR-10T and of similarity "
            f"were not released; by the paper's own text there are {unseen:,} or more of them",
        ),
        "typicality-judgments": typical,
        "similarity-judgments": Finding(
            ours=f"pairs times judgments in the paper's own text: {pairs:,}",
            verdict="cannot be tested here",
            reason="people's judgments of similarity were not released",
        ),
    }


def _softness(labels: Mapping[str, Any]) -> dict[str, Finding]:
    mass = labels["mass of other classes, all kinds"]
    missing = not_released("CIFAR-10DS was", "dense.npy")
    high = (
        exact_finding(parse_printed(published.SMOOTHING_HIGH), mass["DS"], parts=("labels",))
        if "DS" in mass
        else missing
    )
    return {
        "smoothing-low": replace(
            exact_finding(parse_printed(published.SMOOTHING_LOW), labels["mass of other classes"], parts=("labels",)),
            ours=f"{labels['mass of other classes']:.4f}",
        ),
        "smoothing-high": high,
        "entropy-sparse": exact_finding(
            parse_printed(published.SPARSE_ENTROPY), labels["entropy of sparse labels"], parts=("labels",)
        ),
        "entropy-dense-two": exact_finding(
            parse_printed(published.DENSE_ENTROPY), labels["entropy of two dense classes"], parts=("labels",)
        )
        if "entropy of two dense classes" in labels
        else missing,
    }


def _recovery(informed: Mapping[str, Any]) -> dict[str, Finding]:
    kinds: Mapping[str, Any] = informed["kinds"]
    rho = {kind: {start: run["rho"] for start, run in starts.items()} for kind, starts in kinds.items()}
    errors = {kind: {start: run["error_rate"] for start, run in starts.items()} for kind, starts in kinds.items()}
    judged = f"on {informed['images']} images, against {informed['judged by']}"
    reason = f"people's judgments of similarity were not released, so this is {judged}: a network's view, not people's"
    reason = "" if informed["judged by"] == "people" else reason
    soft = [kind for kind in ("S+hard", "H", "S+dense") if kind in kinds]
    softer: Runs = {
        f"{kind} · {start}": rho[kind][start] - rho["hard"][start] for kind in soft for start in rho["hard"]
    }
    smooth: Runs = {
        f"{kind} · {start}": rho[kind][start] - rho["hard"][start]
        for kind in ("LS low", "LS high")
        for start in rho["hard"]
    }
    spread = _apart(errors)
    over: dict[str, Any] = {"over": "kinds and starts", "parts": ("informed",), "digits": 3, "reason": reason}
    means = ", ".join(f"{_name(kind)} {np.mean(list(values.values())):.3f}" for kind, values in rho.items())
    rates = ", ".join(f"{_name(kind)} {np.mean(list(values.values())):.3f}" for kind, values in errors.items())
    better = direction_finding(interval_of(softer), softer, 1, **over)
    none = no_difference_finding(interval_of(smooth), smooth, SAME_RHO, **over)
    vary = direction_finding(interval_of(spread), spread, 1, **over | {"over": "starts"})
    return {
        "recovery-softer": replace(better, ours=f"rho of people's labels less hard ones {better.ours} ({means})"),
        "recovery-smoothing": replace(none, ours=f"rho of smoothed less hard labels {none.ours}"),
        "recovery-sweet-spot": _sweet_spot(rho, reason),
        "error-rates-vary": replace(
            vary,
            ours=f"{rates}: the kind with the most errors less that with the fewest, chosen by the other starts, "
            f"{vary.ours}",
        ),
        "error-rate-linear": _linear(informed, reason),
    }


def _apart(errors: Mapping[str, Mapping[str, float]]) -> Runs:
    """By start: the error rate of the worst kind less that of the best, which the other starts choose.

    Chosen by the same start, the difference would be above 0 whatever the labels.
    """
    starts = list(next(iter(errors.values())))
    apart: Runs = {}
    for start in starts:
        others = [other for other in starts if other != start] or [start]
        mean = {kind: np.mean([rates[other] for other in others]) for kind, rates in errors.items()}
        worst, best = max(mean, key=mean.__getitem__), min(mean, key=mean.__getitem__)
        apart[start] = errors[worst][start] - errors[best][start]
    return apart


def _sweet_spot(rho: Mapping[str, Mapping[str, float]], reason: str) -> Finding:
    """Whether dense labels, softer than those of votes, recover less."""
    if "DS" not in rho:
        return not_released("the softer labels, CIFAR-10DS and CIFAR-10T, were", "dense.npy", "typicality.npy")
    gap: Runs = {start: rho["DS"][start] - max(rho["H"][start], rho["S+hard"][start]) for start in rho["DS"]}
    return direction_finding(interval_of(gap), gap, -1, over="starts", parts=("informed",), digits=3, reason=reason)


def _linear(informed: Mapping[str, Any], reason: str) -> Finding:
    """Pearson's r of error rate and rho over kinds of label and drawn votes, by start of the embedding."""
    every = informed["kinds"] | informed["few votes"]
    starts = list(next(iter(every.values())))
    r: Runs = {
        start: float(
            np.corrcoef(
                [labels[start]["error_rate"] for labels in every.values()],
                [labels[start]["rho"] for labels in every.values()],
            )[0, 1]
        )
        for start in starts
    }
    finding = direction_finding(interval_of(r), r, -1, over="starts", parts=("informed",), digits=3, reason=reason)
    straight = abs(float(np.mean(list(r.values())))) >= LINEAR
    return replace(
        finding,
        verdict=finding.verdict if straight else "differs",
        ours=f"r over {len(informed['kinds'])} kinds of label and {len(informed['few votes'])} numbers of drawn votes "
        f"{finding.ours}",
    )


def _name(kind: str) -> str:
    return (
        "CIFAR-10S" if kind == "S+hard" else NAMES[kind]
    )  # all images whose similarity is recovered have such a label
