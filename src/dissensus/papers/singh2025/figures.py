"""Figures of the page: scores next to the paper's, entropies, validation loss, the most disputed items, answers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from dissensus.evaluate.statistics import mean_interval
from dissensus.papers.evidence import Candidate, Evidence
from dissensus.papers.expressions import value_of
from dissensus.papers.figures import Figure, Series, interval_series, series_here, series_in_paper
from dissensus.papers.paper import Results, Scale
from dissensus.papers.published import read_published
from dissensus.papers.singh2025.observe import NAMES, READINGS, main_numbers
from dissensus.papers.singh2025.protocol import TARGETS

Runs = Mapping[str, Mapping[str, Any]]
AT_MOST = 5  # classes of an item that are drawn one by one: all ten would be taller than a screen
METRICS = {"kl": "KL to people", "entropy_correlation": "correlation of entropies", "accuracy": "accuracy in %"}


def figures(results: Results, scale: Scale, evidence: Evidence) -> Sequence[Figure]:
    """The main figure first."""
    runs = main_numbers(results)
    return [
        *(_scores(evidence, metric) for metric in METRICS),
        _entropies(runs),
        *(_curves(name, own) for name, own in runs.items()),
        *(_example(name, own) for name, own in runs.items()),
        _answers(runs),
    ]


def _scores(evidence: Evidence, metric: str) -> Figure:
    series = {kind: {set_: value_of(metric, kind, set_) for set_ in NAMES.values()} for kind in ("soft", "hard")}
    candidate, published = Candidate("heads", READINGS["drawn"]), read_published("singh2025")
    return Figure(
        key=metric,
        title=f"{METRICS[metric][0].upper()}{METRICS[metric][1:]} with soft and hard labels",
        source=f"Singh 2025, table {4 if metric == 'entropy_correlation' else 3}",
        kind="dots",
        x_title="data set",
        y_title=METRICS[metric],
        series=tuple(series_here(kind, points, evidence, candidate) for kind, points in series.items()),
        published=tuple(series_in_paper(kind, points, published) for kind, points in series.items()),
        note="Means with 95% intervals over seeds, each with a split of its own.",
    )


def _entropies(runs: Runs) -> Figure:
    series = [
        Series(NAMES[name], tuple(map(float, shares)), tuple(100 * share for share in shares.values()))
        for name, own in runs.items()
        for shares in [own["entropy_shares"]]
    ]
    return Figure(
        key="figure-3",
        title="How much people disagree about the items of each set",
        source="Singh 2025, figure 3",
        kind="lines",
        x_title="normalised entropy",
        y_title="% of the items",
        series=tuple(series),
        note="All items, in ten bins of equal width. POPQUORN is its offensiveness ratings here.",
    )


def _curves(name: str, own: Mapping[str, Any]) -> Figure:
    curves = own["fixed"]["curves"]
    series = tuple(
        Series(t, tuple(float(epoch) for epoch in range(1, len(curves[t]) + 1)), tuple(curves[t])) for t in TARGETS
    )
    return Figure(
        key=f"figure-4-{name}",
        title=f"Validation loss by epoch, {NAMES[name]}",
        source="Singh 2025, figure 4",
        kind="lines",
        x_title="epoch",
        y_title="validation loss, nats",
        series=series,
        note="Mean over seeds up to the epoch that all reached; each with the settings chosen for it.",
    )


def _example(name: str, own: Mapping[str, Any]) -> Figure:
    shown = {"people": "people", "soft": "from soft labels", "hard": "from hard labels"}
    example = own["fixed"]["example"]
    return Figure(
        key=f"figure-5-{name}",
        title=f"The most disputed test item of {NAMES[name]}",
        source="Singh 2025, figure 5",
        kind="dots",
        x_title="class",
        y_title="probability",
        series=tuple(Series(text, *_largest(own["classes"], example, who)) for who, text in shown.items()),
        note="Predictions of the first seed; the paper does not name its items.",
    )


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
    return Figure(
        key="answers",
        title="How much soft labels help, by answers per item",
        source="Singh 2025, section 5",
        kind="lines",
        x_title="answers per item to train on",
        y_title="KL with hard less KL with soft labels, nats",
        series=tuple(series),
        note="Means with 95% intervals over seeds; predictions are compared with all answers.",
    )
