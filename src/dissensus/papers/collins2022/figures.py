"""Figures of the page: scores by annotators and by seconds (figures 6 and 10), tables 1 to 5, figure 5."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from dissensus.papers.collins2022.arms import BELIEFS, VOTES
from dissensus.papers.collins2022.claims import JUDGED, SHOWN, compare
from dissensus.papers.collins2022.label_claims import PUBLISHED
from dissensus.papers.collins2022.scores import METRICS, SETS
from dissensus.papers.collins2022.studies import MODELS, networks_of, parts_with_scores
from dissensus.papers.evidence import Candidate, Evidence
from dissensus.papers.expressions import value_of
from dissensus.papers.figures import Figure, Points, Series, next_to_paper, read_figures, series_here, series_in_paper
from dissensus.papers.paper import Results, Scale

figure = read_figures("collins2022")
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
    """Figure 6 first; those with one number or none are left to earlier records."""
    panels = [(metric, set_) for metric in METRICS for set_ in SETS]
    networks = networks_of(scale)
    made = [
        *(_sweep(evidence, networks, metric, set_, seconds=False) for metric, set_ in panels),
        *(_sweep(evidence, networks, metric, set_, seconds=True) for metric, set_ in panels),
        *(_comparisons(evidence, networks, metric, set_) for metric, set_ in panels),
        *(_figure_5(results.numbers["labels"]["bins"]) if "labels" in results.numbers else ()),
    ]
    return [each for each in made if any(len(series.y) > 1 for series in each.series)]


def _sweep(evidence: Evidence, networks: str, metric: str, set_: str, *, seconds: bool) -> Figure:
    """Figure 6 or 10, of the models that learned from more numbers of annotators; of networks if both did."""
    series: dict[str, Points] = {}
    for kind, name in NAMES.items():
        cost = SECONDS[kind] if seconds else 1.0
        arms = {count: kind if count == ALL[kind] else f"{kind} {count}" for count in COUNTS[kind]}
        series[name] = {float(np.log2(cost * count)): value_of(metric, arm, set_) for count, arm in arms.items()}
    key = "figure-10-{metric}-{set}" if seconds else "figure-6-{metric}-{set}"
    drawn = {models: next_to_paper(series, evidence, Candidate(models), PUBLISHED) for models in (networks, "heads")}
    models = max(drawn, key=lambda models: sum(len(ours.y) for ours in drawn[models][0]))
    return figure(key, *drawn[models], parts=parts_with_scores(models), models=MODELS[models], **_words(metric, set_))


def _comparisons(evidence: Evidence, networks: str, metric: str, set_: str) -> Figure:
    """Four comparisons of tables 1 to 5, next to the paper's."""
    pairs = {name: compare(metric, *kinds, set_) for name, kinds in COMPARED.items()}
    known = {
        models: series_here(MODELS[models], pairs, evidence, Candidate(models), 100) for models in (networks, "heads")
    }
    ours = {models: series for models, series in known.items() if series.y}
    theirs = [series_in_paper("means", pairs, PUBLISHED, factor=100)]
    parts = [part for models in ours for part in parts_with_scores(models)]
    return figure("tables-{metric}-{set}", ours.values(), theirs, parts=parts, **_words(metric, set_))


def _words(metric: str, set_: str) -> dict[str, str]:
    score = SHOWN[metric]
    return {
        "metric": metric,
        "set": set_,
        "score": score,
        "Score": score[0].upper() + score[1:],
        "judged": JUDGED[set_],
    }


def _figure_5(bins: Mapping[str, Mapping[str, Sequence[float]]]) -> list[Figure]:
    shown = {"first_mass": ("first", "mass of the first class"), "possible": ("possible", "classes not ruled out")}
    return [
        figure(
            f"figure-5-{key}",
            [Series(text, tuple(bins[name]["entropy"]), tuple(bins[name]["mean"]))],
            parts=("labels",),
        )
        for name, (key, text) in shown.items()
    ]
