"""Figures of the page: table 1 next to the paper's numbers, then formulas and simulations, labels, and models."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np

from dissensus.evaluate.statistics import mean_interval
from dissensus.papers.evidence import Evidence, Number
from dissensus.papers.figures import Figure, Series, interval_series
from dissensus.papers.paper import Results, Scale
from dissensus.papers.published import read_published
from dissensus.papers.sucholutsky2023.observe_models import (
    SETS,
    Value,
    by_run,
    losses_by_kind,
    on_all_labels,
    on_labels,
    on_shift,
)
from dissensus.papers.sucholutsky2023.sets import HERE, NAMES
from dissensus.papers.sucholutsky2023.simulated_figures import line, simulation_figures
from dissensus.papers.sucholutsky2023.studies import NETWORKS, PER_CLASS

Numbers = Mapping[str, Any]
NATS = "cross-entropy, nats"
SOFTNESS = "mean entropy of the training labels, nats"


def figures(results: Results, scale: Scale, evidence: Evidence) -> Sequence[Figure]:
    """Return the main figure first."""
    make = results.make_from
    scores = (5, "cross-entropy"), (9, "accuracy")
    return [
        *(small_data_figure(results, count) for count in PER_CLASS if _has_few(results, count)),
        *simulation_figures(results),
        *make(["informed"], _recovery_figures),
        *make(["transfer"], lambda transfer: [_score_figure(transfer, *which) for which in scores]),
        *make(["transfer"], lambda transfer: [_shift_figure(transfer, *which) for which in scores]),
        *make(["transfer-networks"], lambda transfer: [_network_figure(transfer)]),
        *make(["transfer"], lambda transfer: [_entropy_figure(transfer["rows"])]),
        *make(["transfer", "informed"], lambda transfer, informed: [_information_figure(transfer, informed)]),
    ]


def _has_few(results: Results, count: int) -> bool:
    return any(f"{model}-{count}" in results.folders for model in ("networks", "heads"))


def small_data_figure(results: Results, count: int) -> Figure:
    """Draw table 1 as differences from hard labels; ours and the paper's."""
    soft = [kind for kind in HERE if kind != "hard"]
    series = []
    for model in ("networks", "heads"):
        if f"{model}-{count}" in results.folders:
            losses = losses_by_kind(results, f"{model}-{count}")
            shown = [kind for kind in soft if kind in losses]
            gaps = [[losses[kind][run] - losses["hard"][run] for run in losses["hard"]] for kind in shown]
            series.append(interval_series(model, [NAMES[kind] for kind in shown], [mean_interval(gap) for gap in gaps]))
    published, where = read_published("sucholutsky2023"), f"{count} images per class"
    printed = {kind: published.find(Number("cross_entropy", kind, where)) for kind in ("hard", *soft)}
    values = {kind: number.value for kind, number in printed.items() if number is not None}
    theirs = tuple(round(values[kind] - values["hard"], 2) for kind in soft)
    return Figure(
        key=f"table-1-{count}",
        title=f"Cross-entropy of soft less hard labels, from {count} images per class",
        source=f"Sucholutsky 2023, table 1, {count} per class",
        kind="dots",
        x_title="labels learned from",
        y_title="cross-entropy less that of hard labels, nats",
        series=tuple(series),
        published=(Series("networks", tuple(NAMES[kind] for kind in soft), theirs),),
        note="Means with 95% intervals over seeds and architectures; below 0, soft labels are better.",
    )


def _recovery_figures(informed: Numbers) -> list[Figure]:
    kinds = informed["kinds"]
    note = f"On {informed['images']} images; similarity by {informed['judged by']}."
    rho = [mean_interval([run["rho"] for run in starts.values()]) for starts in kinds.values()]
    scatter = []
    for name, group in (("kinds of label", kinds), ("drawn votes of CIFAR-10H", informed["few votes"])):
        points = sorted((_mean(starts, "error_rate"), _mean(starts, "rho")) for starts in group.values())
        scatter.append(line(name, *zip(*points, strict=True)))
    return [
        Figure(
            key="figure-4-kinds",
            title="Recovered similarity by kind of label",
            source="Sucholutsky 2023, figure 4",
            kind="dots",
            x_title="labels",
            y_title="rho",
            series=(interval_series("rho", [NAMES[kind] for kind in kinds], rho),),
            note=note,
        ),
        Figure(
            key="figure-4-errors",
            title="Recovered similarity by error rate",
            source="Sucholutsky 2023, figure 4",
            kind="lines",
            x_title="error rate",
            y_title="rho",
            series=tuple(scatter),
            note=note,
        ),
    ]


def _score_figure(transfer: Numbers, number: int, metric: str) -> Figure:
    judges = {NAMES[kind]: on_labels(kind, metric) for kind in transfer["rows"][0]["labels"]}
    title = f"{metric.capitalize()} by softness of the training labels, against each kind of label"
    return _by_softness(f"figure-{number}-top", title, f"figure {number}, top", metric, transfer, judges)


def _shift_figure(transfer: Numbers, number: int, metric: str) -> Figure:
    sets = {SETS[name]: on_shift(name, metric) for name in transfer["rows"][0]["shift"]}
    title = f"{metric.capitalize()} by softness of the training labels, on shifted images"
    return _by_softness(f"figure-{number}-bottom", title, f"figure {number}, bottom", metric, transfer, sets)


def _by_softness(
    key: str, title: str, source: str, metric: str, transfer: Numbers, values: Mapping[str, Value]
) -> Figure:
    """A line per test set over the entropy of the training labels, as the paper draws it."""
    softness = transfer["label entropy"]
    series = []
    for name, value in values.items():
        runs = by_run(transfer["rows"], value)
        kinds = sorted(runs, key=softness.__getitem__)
        means = [mean_interval(list(runs[kind].values())) for kind in kinds]
        series.append(interval_series(name, [softness[kind] for kind in kinds], means))
    return Figure(
        key=key,
        title=title,
        source=f"Sucholutsky 2023, {source}",
        kind="lines",
        x_title=SOFTNESS,
        y_title=NATS if metric == "cross-entropy" else metric,
        series=tuple(series),
        note="Linear heads on frozen features; means with 95% intervals over seeds. "
        f"Points from left to right: {', '.join(NAMES[kind] for kind in kinds)}.",
    )


def _network_figure(transfer: Numbers) -> Figure:
    softness = transfer["label entropy"]
    losses = by_run(transfer["rows"], on_labels("H"))
    kinds = sorted(losses, key=softness.__getitem__)
    series = []
    for name, shown in NETWORKS.items():
        own = [[value for run, value in losses[kind].items() if run.startswith(f"{name} ")] for kind in kinds]
        series.append(line(shown, [softness[kind] for kind in kinds], [np.mean(values) for values in own]))
    return Figure(
        key="figure-5-networks",
        title="Cross-entropy to CIFAR-10H by softness of the training labels and architecture",
        source="Sucholutsky 2023, figure 5, top",
        kind="lines",
        x_title=SOFTNESS,
        y_title=NATS,
        series=tuple(series),
        note="Networks trained from scratch; means over seeds.",
    )


def _entropy_figure(rows: Sequence[Numbers]) -> Figure:
    series = []
    for name, key in (("labels", "entropy of its labels"), ("predictions", "entropy")):
        values = by_run(rows, partial(_value, key))
        means = [mean_interval(list(values[kind].values())) for kind in values]
        series.append(interval_series(name, [NAMES[kind] for kind in values], means))
    return Figure(
        key="figure-7",
        title="Entropy of predictions and of the labels behind them",
        source="Sucholutsky 2023, figure 7",
        kind="dots",
        x_title="labels learned from",
        y_title="mean entropy, nats",
        series=tuple(series),
    )


def _information_figure(transfer: Numbers, informed: Numbers) -> Figure:
    rho = {kind: _mean(starts, "rho") for kind, starts in informed["kinds"].items()}
    rows = transfer["rows"]
    places: dict[str, Value] = {"all kinds of label": on_all_labels}
    places |= {SETS[name]: on_shift(name) for name in rows[0]["shift"]}
    series = []
    for name, value in places.items():
        losses = by_run(rows, value)
        order = sorted(losses, key=rho.__getitem__)
        series.append(
            line(name, [rho[kind] for kind in order], [np.mean(list(losses[kind].values())) for kind in order])
        )
    return Figure(
        key="figure-10",
        title="Cross-entropy by recovered similarity of the training labels",
        source="Sucholutsky 2023, figure 10",
        kind="lines",
        x_title="rho",
        y_title=NATS,
        series=tuple(series),
        note=f"Points from left to right: {', '.join(NAMES[kind] for kind in order)}.",
    )


def _value(key: str, row: Numbers) -> float:
    return float(row[key])


def _mean(starts: Numbers, key: str) -> float:
    return float(np.mean([run[key] for run in starts.values()]))
