"""What a run measured: formulas, simulations, labels, a pilot, and models on each kind of label."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any

import numpy as np

from dissensus.papers.evidence import Candidate, Evidence, Number, Row, collect
from dissensus.papers.paper import Results, Scale
from dissensus.papers.study_runs import pseudo_values, spearman
from dissensus.papers.sucholutsky2023.observe_models import (
    OF_HEADS,
    OF_NETWORKS,
    observe_architectures,
    observe_few,
    observe_kept,
    observe_models,
    observe_uncertain,
)
from dissensus.papers.sucholutsky2023.observe_simulated import (
    observe_maps,
    observe_preferences,
    observe_sparsity,
    observe_theory,
)

Numbers = Mapping[str, Any]
LABELS = Candidate()
FIELDS = 3  # judgments in a response of CIFAR-10S: the two likeliest classes, and those that are wrong
LINEAR = -0.9  # correlation from which a relation counts as linear
SMOOTHED = ("LS low", "LS high")


def observe(results: Results, scale: Scale) -> Evidence:
    """Collect all numbers; networks come before heads, as the paper trained networks."""
    return collect(_rows(results))


def _rows(results: Results) -> Iterator[Row]:
    make = results.make_from
    yield from make(["theory"], observe_theory)
    yield from make(["simulations"], observe_maps)
    yield from make(["preferences"], observe_preferences)
    yield from make(["sparsity", "simulations"], observe_sparsity)
    yield from make(["labels"], observe_labels)
    yield from make(["informed"], observe_recovery)
    yield from make(["guidance"], observe_pilot)
    for name, count in results.numbers.get("architectures", {}).items():
        yield LABELS, Number("parameters", name), {"all": count}
    yield from make(["transfer-networks", "informed"], _observe_networks)
    yield from observe_few(results, "networks")
    yield from make(["transfer", "informed"], partial(observe_models, OF_HEADS))
    yield from make(["transfer-kept"], observe_kept)
    yield from observe_few(results, "heads")
    if "heads" in results.folders:
        yield from observe_uncertain(results)


def observe_labels(labels: Numbers) -> Iterator[Row]:
    """Counts, masses and entropies, of all images at every scale."""
    values = {
        ("votes", "H"): labels["votes"],
        ("votes_per_image", "H"): labels["votes of an image"][1],
        ("judgments", "CIFAR-10S"): FIELDS * labels["responses"],
        ("images", "CIFAR-10S"): labels["images with sparse labels"],
        ("entropy", "CIFAR-10S"): labels["entropy of sparse labels"],
    }
    values |= {("other_mass", kind): mass for kind, mass in labels["mass of other classes, all kinds"].items()}
    if "entropy of two dense classes" in labels:
        values["entropy", "DS, two classes"] = labels["entropy of two dense classes"]
    for (metric, arm), value in values.items():
        yield LABELS, Number(metric, arm), {"all": float(value)}


def observe_recovery(informed: Numbers) -> Iterator[Row]:
    """Figure 4: recovered similarity and error rate by kind of label and start, and what they go with."""
    kinds, drawn = informed["kinds"], informed["few votes"]
    for metric, key in (("recovery", "rho"), ("error_rate", "error_rate")):
        for kind, starts in kinds.items():
            yield LABELS, Number(metric, kind), _by_start(starts, key)
    yield LABELS, Number("error_rate_range", "kinds"), error_rate_range(kinds)
    every = kinds | drawn
    starts = list(next(iter(every.values())))
    r = {start: _pearson(every, start) for start in starts}
    yield LABELS, Number("error_rate_r", "labels"), r
    yield LABELS, Number("error_rate_r", "linear"), dict.fromkeys(starts, LINEAR)
    people = {kind: starts for kind, starts in every.items() if kind not in SMOOTHED}
    for measure, labels in (("entropy", people), ("peak_variance", every)):
        softness, rho = (
            np.array([mean_over_starts(starts, key) for starts in labels.values()]) for key in (measure, "rho")
        )
        yield (
            LABELS,
            Number("softness_correlation", measure),
            pseudo_values(partial(spearman, softness, rho), list(labels)),
        )


def error_rate_range(kinds: Numbers) -> dict[str, float]:
    """By start: the error rate of the worst kind less that of the best, which the other starts choose.

    Chosen by the same start, the difference would be above 0 whatever the labels.
    """
    rates = {kind: _by_start(starts, "error_rate") for kind, starts in kinds.items()}
    starts = list(next(iter(rates.values())))
    apart = {}
    for start in starts:
        others = [other for other in starts if other != start] or [start]
        mean = {kind: np.mean([of[other] for other in others]) for kind, of in rates.items()}
        worst, best = max(mean, key=mean.__getitem__), min(mean, key=mean.__getitem__)
        apart[start] = rates[worst][start] - rates[best][start]
    return apart


def observe_pilot(guidance: Numbers) -> Iterator[Row]:
    """Loss beyond the best kind of label, chosen before and after a pilot, by simulated data set."""
    for arm in ("before", "after"):
        runs = {f"data set {place}": world[arm] for place, world in enumerate(guidance["worlds"], 1)}
        yield LABELS, Number("regret", arm), runs


def _observe_networks(transfer: Numbers, informed: Numbers) -> Iterator[Row]:
    rows, softness = transfer["rows"], transfer["label entropy"]
    yield from observe_models(OF_NETWORKS, transfer, informed)
    yield from observe_architectures(rows, sorted({row["kind"] for row in rows}, key=softness.__getitem__))


def _by_start(starts: Numbers, key: str) -> dict[str, float]:
    return {start: float(run[key]) for start, run in starts.items()}


def mean_over_starts(starts: Numbers, key: str) -> float:
    return float(np.mean([run[key] for run in starts.values()]))


def _pearson(every: Numbers, start: str) -> float:
    """Correlation of error rate and recovery over kinds of label and drawn votes."""
    x, y = ([labels[start][key] for labels in every.values()] for key in ("error_rate", "rho"))
    return float(np.corrcoef(x, y)[0, 1])
