"""What the page draws: tables 1 to 6 as changes beside the paper's, and figures 5, 6 and 10."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from dissensus.papers.collins2022 import published
from dissensus.papers.collins2022.arms import BELIEFS, VOTES
from dissensus.papers.collins2022.comparisons import Scores, changes
from dissensus.papers.collins2022.published import LOWER, METRICS, NEAR, PER_ANSWER, PER_VOTE, SETS, UNIT
from dissensus.papers.collins2022.studies import MODELS
from dissensus.papers.figures import Figure, Series, interval_series
from dissensus.papers.paper import Results, Scale
from dissensus.papers.reading import interval_of

ALL = {"h": 51, "s": 6}  # annotators behind each image
COUNTS: dict[str, Sequence[int]] = {"h": (*VOTES, ALL["h"]), "s": (*BELIEFS, ALL["s"])}
COST = {"h": PER_VOTE, "s": PER_ANSWER}
SHOWN = {"h": "votes", "s": "stated labels"}
PAIRS = {
    "smoothing against stated": ("smoothed", "s"),
    "smoothing against votes": ("smoothed", "h"),
    "stated against votes, aggregated": NEAR[0][2:4],
    "stated, aggregated, against CIFAR-10 classes": LOWER[0][2:4],
    "stated against votes": LOWER[1][2:4],
    "stated against votes, two annotators": LOWER[2][2:4],
    "stated against votes, one annotator": LOWER[3][2:4],
    "with against without probabilities": LOWER[4][2:4],
    "T2 uniform against T2 clamp": NEAR[1][2:4],
    "T1 clamp against T2 clamp": NEAR[2][2:4],
}


def figures(results: Results, scale: Scale) -> Sequence[Figure]:
    """Figure 5; every comparison of the tables, by metric and set; figures 6 and 10, by metric and set."""
    scores = {models: results.numbers[f"scores-{models}"]["scores"] for models in MODELS}
    made = _figure_5(results.numbers["labels"])
    made += [_changes(scores, metric, set_) for metric in METRICS for set_ in SETS]
    for metric in METRICS:
        models = "networks" if metric == "fgsm" or scale == "full" else "heads"
        made += [figure for set_ in SETS for figure in _sweep(scores, models, metric, set_)]
    return made


def _figure_5(own: Mapping[str, Any]) -> list[Figure]:
    return [
        Figure(
            key=f"figure-5-{key}",
            title=f"{shown.capitalize()}, by how much CIFAR-10H disagrees",
            source="Collins 2022, figure 5",
            kind="lines",
            x_title="entropy of votes, nats",
            y_title=shown,
            series=(Series(shown, tuple(own[name]["entropy"]), tuple(own[name]["mean"])),),
            parts=("labels",),
            note="Each point is an eighth of the 1,000 images.",
        )
        for key, name, shown in (
            ("first", "first mass", "mass of the first class"),
            ("possible", "possible", "classes not ruled out"),
        )
    ]


def _changes(scores: Mapping[str, Scores], metric: str, set_: str) -> Figure:
    names = tuple(PAIRS)
    ours = []
    for models, own in scores.items():
        each = [changes({models: own}, kind, other, set_, metric) for kind, other in PAIRS.values()]
        if all(each):
            ours.append(interval_series(models, names, [interval_of(runs) for runs in each]))
    theirs = tuple(published.change(kind, other, set_, metric) for kind, other in PAIRS.values())
    return Figure(
        key=f"tables-{metric}-{set_}",
        title=f"What labels change: {METRICS[metric]}, {SETS[set_]}",
        source="Collins 2022, tables 1 to 6",
        kind="dots",
        x_title="comparison",
        y_title=f"change of the {METRICS[metric]},{UNIT[metric]}",
        series=tuple(ours),
        published=(Series("means", names, theirs),),
        parts=tuple(f"scores-{series.name}" for series in ours),
        note="Below zero, the kind named first scores better. Means with 95% intervals over runs, a run being a model "
        "with a seed; the paper prints no intervals of differences.",
    )


def _sweep(scores: Mapping[str, Scores], models: str, metric: str, set_: str) -> Sequence[Figure]:
    """Figures 6 and 10, of the numbers of annotators that these models learned from."""
    own = scores[models]
    made = []
    for figure, cost, x_title in (
        ("6", {"h": 1.0, "s": 1.0}, "annotators for each image"),
        ("10", COST, "seconds for each image"),
    ):
        series, printed = [], []
        for kind in ("h", "s"):
            known = [count for count in COUNTS[kind] if _name(kind, count) in own]
            means = [_mean(own[_name(kind, count)], set_, metric) for count in known]
            series.append(Series(SHOWN[kind], _doublings(cost[kind], known), tuple(means)))
            told = [count for count in COUNTS[kind] if _name(kind, count) in published.SCORES[set_]]
            values = tuple(published.score(_name(kind, count), set_, metric).value for count in told)
            printed.append(Series(SHOWN[kind], _doublings(cost[kind], told), values))
        made.append(
            Figure(
                key=f"figure-{figure}-{metric}-{set_}",
                source=f"Collins 2022, figure {figure}",
                title=f"{METRICS[metric][0].upper()}{METRICS[metric][1:]} by {x_title}: {SETS[set_]}",
                kind="lines",
                x_title=f"{x_title}, as a power of 2",
                y_title=METRICS[metric],
                series=tuple(series),
                published=tuple(printed),
                parts=(f"scores-{models}",),
                note=f"Mean over the {models} and their seeds. Of the paper, the numbers that tables 2 and 3 print"
                + ("; seconds as the paper gives them." if figure == "10" else "."),
            )
        )
    return made


def _doublings(cost: float, counts: Sequence[int]) -> tuple[float, ...]:
    """From one annotator to 51, differences are seen on a scale of doublings only."""
    return tuple(float(np.log2(cost * count)) for count in counts)


def _name(kind: str, count: int) -> str:
    return kind if count == ALL[kind] else f"{kind} {count}"


def _mean(own: Mapping[str, Mapping[str, Mapping[str, Mapping[str, float]]]], set_: str, metric: str) -> float:
    return float(np.mean([sets[set_][metric] for seeds in own.values() for sets in seeds.values()]))
