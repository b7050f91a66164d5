"""Figures of the page: scores by annotators and by seconds (figures 6 and 10), tables 1 to 5, figure 5."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from dissensus.papers.collins2022.arms import BELIEFS, VOTES
from dissensus.papers.collins2022.claims import JUDGED, SHOWN, compare
from dissensus.papers.collins2022.label_claims import PUBLISHED
from dissensus.papers.collins2022.scores import METRICS, SETS
from dissensus.papers.collins2022.studies import MODELS, networks_of, scored_parts
from dissensus.papers.evidence import Candidate, Evidence
from dissensus.papers.expressions import value_of
from dissensus.papers.figures import Figure, Series, series_here, series_in_paper
from dissensus.papers.paper import Results, Scale

ALL = {"h": 51, "s": 6}  # annotators per image
COUNTS: dict[str, Sequence[int]] = {"h": (*VOTES, ALL["h"]), "s": (*BELIEFS, ALL["s"])}
SECONDS = {"h": 1.8, "s": 32.0}  # of a vote and of an answer, as printed
NAMES = {"h": "votes", "s": "stated labels"}
COMPARED = {
    "stated - CIFAR-10 classes": ("s aggregated", "hard"),
    "stated - votes": ("s", "h"),
    "stated - votes, one annotator": ("s 1", "h 1"),
    "with - without probabilities": ("s", "top-two-only"),
}


def figures(results: Results, scale: Scale, evidence: Evidence) -> Sequence[Figure]:
    """Figure 6 first; those without numbers are left to earlier records."""
    panels = [(metric, set_) for metric in METRICS for set_ in SETS]
    networks = networks_of(scale)
    strong = scale in ("overnight", "full")
    sweeps = [(metric, set_, networks if metric == "fgsm" or strong else "heads") for metric, set_ in panels]
    made = [
        *(_sweep(evidence, models, metric, set_, seconds=False) for metric, set_, models in sweeps),
        *(_sweep(evidence, models, metric, set_, seconds=True) for metric, set_, models in sweeps),
        *(_comparisons(evidence, networks, metric, set_) for metric, set_ in panels),
        *(_figure_5(results.numbers["labels"]["bins"]) if "labels" in results.numbers else ()),
    ]
    return [figure for figure in made if any(series.y for series in figure.series)]


def _sweep(evidence: Evidence, models: str, metric: str, set_: str, *, seconds: bool) -> Figure:
    """Figure 6 or 10, of the numbers of annotators that these models learned from."""
    ours, theirs = [], []
    for kind, name in NAMES.items():
        cost = SECONDS[kind] if seconds else 1.0
        arms = {count: kind if count == ALL[kind] else f"{kind} {count}" for count in COUNTS[kind]}
        points = {float(np.log2(cost * count)): value_of(metric, arm, set_) for count, arm in arms.items()}
        ours.append(series_here(name, points, evidence, Candidate(models)))
        theirs.append(series_in_paper(name, points, PUBLISHED))
    unit = "seconds" if seconds else "annotators"
    return Figure(
        key=f"figure-{10 if seconds else 6}-{metric}-{set_}",
        title=f"{SHOWN[metric][0].upper()}{SHOWN[metric][1:]} by {unit} per image, {JUDGED[set_]}",
        source=f"Collins 2022, figure {10 if seconds else 6}",
        kind="lines",
        x_title=f"{unit} per image, as a power of 2",
        y_title=SHOWN[metric],
        series=tuple(ours),
        published=tuple(theirs),
        parts=tuple(scored_parts(models)),
        note=f"Means with 95% intervals over {MODELS[models]} and seeds. "
        "The paper's points are those of its tables 2 and 3.",
    )


def _comparisons(evidence: Evidence, networks: str, metric: str, set_: str) -> Figure:
    """Four comparisons of tables 1 to 5, next to the paper's."""
    pairs = {name: compare(metric, *kinds, set_) for name, kinds in COMPARED.items()}
    known = {
        models: series_here(MODELS[models], pairs, evidence, Candidate(models), 100) for models in (networks, "heads")
    }
    ours = {models: series for models, series in known.items() if series.y}
    return Figure(
        key=f"tables-{metric}-{set_}",
        title=f"Differences between labels: {SHOWN[metric]} {JUDGED[set_]}",
        source="Collins 2022, tables 1, 2, 3 and 5",
        kind="dots",
        x_title="comparison",
        y_title=f"difference in {SHOWN[metric]}, % of the second",
        series=tuple(ours.values()),
        published=(series_in_paper("means", pairs, PUBLISHED, factor=100),),
        parts=tuple(part for models in ours for part in scored_parts(models)),
        note="Below zero, the first is better. Means with 95% intervals over runs.",
    )


def _figure_5(bins: Mapping[str, Mapping[str, Sequence[float]]]) -> list[Figure]:
    shown = {"first_mass": ("first", "mass of the first class"), "possible": ("possible", "classes not ruled out")}
    return [
        Figure(
            key=f"figure-5-{key}",
            title=f"{text[0].upper()}{text[1:]}, by the entropy of votes",
            source="Collins 2022, figure 5",
            kind="lines",
            x_title="entropy of votes, nats",
            y_title=text,
            series=(Series(text, tuple(bins[name]["entropy"]), tuple(bins[name]["mean"])),),
            parts=("labels",),
            note="Each point is an eighth of the 1,000 images.",
        )
        for name, (key, text) in shown.items()
    ]
