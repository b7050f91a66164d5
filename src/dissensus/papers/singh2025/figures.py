"""Figures of the page: scores next to the paper's, entropies, validation loss, the most disputed items, answers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from dissensus.evaluate.statistics import mean_interval
from dissensus.papers.evidence import Candidate, Evidence
from dissensus.papers.expressions import value_of
from dissensus.papers.figures import Figure, Series, interval_series, next_to_paper, read_figures
from dissensus.papers.paper import Results, Scale
from dissensus.papers.published import read_published
from dissensus.papers.singh2025.observe import NAMES, READINGS, main_numbers
from dissensus.papers.singh2025.protocol import TARGETS

Runs = Mapping[str, Mapping[str, Any]]
figure = read_figures("singh2025")
AT_MOST = 5  # classes of an item that are drawn one by one: all ten would be taller than a screen


def figures(results: Results, scale: Scale, evidence: Evidence) -> Sequence[Figure]:
    runs = main_numbers(results)
    return [
        *(_scores(evidence, metric) for metric in ("kl", "entropy_correlation", "accuracy")),
        _entropies(runs),
        *(_curves(name, own) for name, own in runs.items()),
        *(_example(name, own) for name, own in runs.items()),
        _answers(runs),
    ]


def _scores(evidence: Evidence, metric: str) -> Figure:
    points = {kind: {set_: value_of(metric, kind, set_) for set_ in NAMES.values()} for kind in TARGETS}
    ours, theirs = next_to_paper(points, evidence, Candidate("heads", READINGS["drawn"]), read_published("singh2025"))
    return figure(metric, ours, theirs)


def _entropies(runs: Runs) -> Figure:
    shares = {NAMES[name]: own["entropy_shares"] for name, own in runs.items()}
    return figure(
        "figure-3",
        [
            Series(name, tuple(map(float, of)), tuple(100 * share for share in of.values()))
            for name, of in shares.items()
        ],
    )


def _curves(name: str, own: Mapping[str, Any]) -> Figure:
    curves = own["fixed"]["curves"]
    epochs = {t: tuple(float(epoch) for epoch in range(1, len(curves[t]) + 1)) for t in TARGETS}
    return figure(
        "figure-4-{name}", [Series(t, epochs[t], tuple(curves[t])) for t in TARGETS], name=name, set=NAMES[name]
    )


def _example(name: str, own: Mapping[str, Any]) -> Figure:
    shown = {"people": "people", "soft": "from soft labels", "hard": "from hard labels"}
    example = own["fixed"]["example"]
    series = [Series(text, *_largest(own["classes"], example, who)) for who, text in shown.items()]
    return figure("figure-5-{name}", series, name=name, set=NAMES[name])


def _largest(classes: Sequence[str], example: Mapping[str, Sequence[float]], who: str) -> tuple[Any, ...]:
    """Names and probabilities of the largest classes by people, and the sum of the others."""
    order = np.argsort(-np.array(example["people"]), kind="stable")
    if order.size <= AT_MOST:
        return tuple(classes), tuple(example[who])
    kept, others = order[: AT_MOST - 1], order[AT_MOST - 1 :]
    values = np.array(example[who])
    return (*(classes[at] for at in kept), "other classes"), (*values[kept].tolist(), float(values[others].sum()))


def _answers(runs: Runs) -> Figure:
    series = []
    for name, own in runs.items():
        scores = own["answers"] | {"all": own["fixed"]["scores"]}
        gains = {count: np.subtract(of["hard"]["kl"], of["soft"]["kl"]) for count, of in scores.items()}
        if len(gains) > 1:
            counts = [own["votes"] if count == "all" else float(count) for count in gains]
            series.append(
                interval_series(NAMES[name], counts, [mean_interval(gain.tolist()) for gain in gains.values()])
            )
    return figure("answers", series)
