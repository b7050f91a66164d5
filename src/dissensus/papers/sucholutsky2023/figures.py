"""What the page draws: figures 1 to 7, 9 and 10 and table 1, with our numbers."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from dissensus.papers.claims import parse_printed
from dissensus.papers.figures import Figure, Series, interval_series
from dissensus.papers.paper import Results, Scale
from dissensus.papers.reading import Runs, interval_of
from dissensus.papers.sucholutsky2023 import published
from dissensus.papers.sucholutsky2023.judged_small_data import losses_by_kind
from dissensus.papers.sucholutsky2023.rows import Value, by_run, on_all_labels, on_labels, on_shift
from dissensus.papers.sucholutsky2023.sets import NAMES
from dissensus.papers.sucholutsky2023.simulated_figures import line, simulation_figures
from dissensus.papers.sucholutsky2023.studies import NETWORKS, PER_CLASS

NATS = "cross-entropy, nats"


def figures(results: Results, scale: Scale) -> Sequence[Figure]:
    """Those of formulas and simulations, then those of labels and models."""
    numbers = results.numbers
    rows = numbers["transfer"]["rows"]
    moved = {name: on_shift(name) for name in numbers["transfer"]["shifts"]}
    return [
        *simulation_figures(numbers),
        *_information_figure(numbers["informed"]),
        _by_kind(
            "figure-5-top",
            "Cross-entropy by the labels that models are judged by",
            "figure 5, top",
            rows,
            {NAMES[kind]: on_labels(kind) for kind in rows[0]["labels"]},
            NATS,
        ),
        _by_kind("figure-5-bottom", "Cross-entropy under shift", "figure 5, bottom", rows, moved, NATS),
        _networks(numbers["transfer-networks"]["rows"]),
        _entropies(rows),
        _by_kind(
            "figure-9-top",
            "Accuracy by the labels that models are judged by",
            "figure 9, top",
            rows,
            {NAMES[kind]: on_labels(kind, "accuracy") for kind in rows[0]["labels"]},
            "accuracy",
        ),
        _by_kind(
            "figure-9-bottom",
            "Accuracy under shift",
            "figure 9, bottom",
            rows,
            {name: on_shift(name, "accuracy") for name in moved},
            "accuracy",
        ),
        _information(rows, numbers["informed"], moved),
        *small_data_figures(results),
    ]


def small_data_figures(results: Results) -> list[Figure]:
    """Table 1, beside the paper's numbers."""
    return [_few(results, place, count) for place, count in enumerate(PER_CLASS)]


def _information_figure(informed: Mapping[str, Any]) -> list[Figure]:
    kinds = informed["kinds"]
    names = tuple("CIFAR-10S" if kind == "S+hard" else NAMES[kind] for kind in kinds)

    def mean(labels: Mapping[str, Any], key: str) -> float:
        return float(np.mean([run[key] for run in labels.values()]))

    rho = tuple(mean(labels, "rho") for labels in kinds.values())
    note = f"On {informed['images']} images; similarity by {informed['judged by']}."
    scatter = []
    for name, group in (("kinds of label", kinds), ("drawn votes of CIFAR-10H", informed["few votes"])):
        points = sorted((mean(labels, "error_rate"), mean(labels, "rho")) for labels in group.values())
        scatter.append(line(name, *zip(*points, strict=True)))
    return [
        Figure(
            key="figure-4-kinds",
            title="Recovered similarity by kind of label",
            source="Figure 4",
            kind="dots",
            x_title="labels",
            y_title="rho",
            series=(Series("rho", names, rho),),
            parts=("informed",),
            note=note,
        ),
        Figure(
            key="figure-4-errors",
            title="Recovered similarity by error rate",
            source="Figure 4",
            kind="lines",
            x_title="error rate",
            y_title="rho",
            series=tuple(scatter),
            parts=("informed",),
            note=note,
        ),
    ]


def _dots(name: str, x: Sequence[str], runs: Sequence[Runs]) -> Series:
    return interval_series(name, x, [interval_of(values) for values in runs])


def _by_kind(
    key: str, title: str, source: str, rows: Sequence[Mapping[str, Any]], values: Mapping[str, Value], y: str
) -> Figure:
    scores = {name: by_run(rows, value) for name, value in values.items()}
    kinds = list(next(iter(scores.values())))
    series = tuple(_dots(NAMES[kind], list(scores), [by[kind] for by in scores.values()]) for kind in kinds)
    return Figure(
        key=key,
        title=title,
        source=source.capitalize(),
        kind="dots",
        x_title="judged by",
        y_title=y,
        series=series,
        parts=("heads", "transfer"),
        note="Linear heads on frozen features, by the labels that they learned from; "
        "means with 95% intervals over seeds.",
    )


def _networks(rows: Sequence[Mapping[str, Any]]) -> Figure:
    losses = by_run(rows, on_labels("H"))

    def of(name: str) -> Callable[[Runs], Runs]:
        return lambda runs: {run: value for run, value in runs.items() if run.startswith(f"{name} ")}

    series = tuple(
        _dots(NAMES[kind], list(NETWORKS.values()), [of(name)(runs) for name in NETWORKS])
        for kind, runs in losses.items()
    )
    return Figure(
        key="figure-5-networks",
        title="Cross-entropy to CIFAR-10H by architecture",
        source="Figure 5, top",
        kind="dots",
        x_title="network",
        y_title=NATS,
        series=series,
        parts=("networks", "transfer-networks"),
        note="Small networks, by the labels that they learned from.",
    )


def _entropies(rows: Sequence[Mapping[str, Any]]) -> Figure:
    of = {
        name: by_run(rows, lambda row, key=key: float(row[key]))  # type: ignore[misc]
        for name, key in (("labels", "entropy of its labels"), ("predictions", "entropy"))
    }
    kinds = list(of["labels"])
    return Figure(
        key="figure-7",
        title="Entropy of predictions and of the labels behind them",
        source="Figure 7",
        kind="dots",
        x_title="labels learned from",
        y_title="mean entropy, nats",
        parts=("heads", "transfer"),
        series=tuple(
            _dots(name, [NAMES[kind] for kind in kinds], [by[kind] for kind in kinds]) for name, by in of.items()
        ),
    )


def _information(rows: Sequence[Mapping[str, Any]], informed: Mapping[str, Any], moved: Mapping[str, Value]) -> Figure:
    rho = {kind: float(np.mean([run["rho"] for run in starts.values()])) for kind, starts in informed["kinds"].items()}
    order = sorted(rho, key=rho.__getitem__)
    series = []
    for name, value in {"all kinds of label": on_all_labels, **moved}.items():
        losses = by_run(rows, value)
        series.append(
            line(name, [rho[kind] for kind in order], [np.mean(list(losses[kind].values())) for kind in order])
        )
    return Figure(
        key="figure-10",
        title="Cross-entropy by what labels recover",
        source="Figure 10",
        kind="lines",
        x_title="rho",
        y_title=NATS,
        series=tuple(series),
        parts=("heads", "transfer", "informed"),
        note=f"Points are {', '.join(NAMES[kind] for kind in order)}.",
    )


def _few(results: Results, place: int, count: int) -> Figure:
    parts = [part for part in (f"networks-{count}", f"heads-{count}") if part in results.folders]
    series = []
    for part in parts:
        losses = losses_by_kind(results, part)
        series.append(_dots(part.split("-")[0], [NAMES[kind] for kind in losses], list(losses.values())))
    theirs = {NAMES[kind]: parse_printed(texts[place]).value for kind, texts in published.FEW.items()}
    return Figure(
        key=f"table-1-{count}",
        title=f"Cross-entropy from {count} images a class",
        source=f"Table 1, {count} a class",
        kind="dots",
        x_title="labels learned from",
        y_title=NATS,
        series=tuple(series),
        parts=tuple(parts),
        published=(Series("networks", tuple(theirs), tuple(theirs.values())),),
    )
