"""Figures of the page: table 1 next to the paper's numbers, then formulas and simulations, labels, and models."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from dissensus.papers.evidence import Evidence, Number
from dissensus.papers.figures import Figure, Series, interval_series, read_figures
from dissensus.papers.paper import Results, Scale
from dissensus.papers.published import read_published
from dissensus.papers.study_runs import interval_of
from dissensus.papers.sucholutsky2023.observe import mean_over_starts
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
from dissensus.papers.sucholutsky2023.simulation import BETAS
from dissensus.papers.sucholutsky2023.studies import NETWORKS, PER_CLASS

figure = read_figures("sucholutsky2023")
Numbers = Mapping[str, Any]
D = "25"  # dimensions of the simulations that are drawn
FIXED = 9  # the size that stays, where the other grows


def figures(results: Results, scale: Scale, evidence: Evidence) -> Sequence[Figure]:
    make = results.make_from
    scores = (5, "cross-entropy"), (9, "accuracy")
    return [
        *(
            small_data_figure(results, count)
            for count in PER_CLASS
            if {f"networks-{count}", f"heads-{count}"} & {*results.folders}
        ),
        *simulation_figures(results),
        *make(["informed"], _recovery_figures),
        *make(["transfer"], lambda transfer: [_score_figure(transfer, *which) for which in scores]),
        *make(["transfer"], lambda transfer: [_shift_figure(transfer, *which) for which in scores]),
        *make(["transfer-networks"], lambda transfer: [_network_figure(transfer)]),
        *make(["transfer"], lambda transfer: [_entropy_figure(transfer["rows"])]),
        *make(["transfer", "informed"], lambda transfer, informed: [_information_figure(transfer, informed)]),
    ]


def small_data_figure(results: Results, count: int) -> Figure:
    """Draw table 1 as differences from hard labels; ours and the paper's."""
    soft = [kind for kind in HERE if kind != "hard"]
    series = []
    for model in ("networks", "heads"):
        if f"{model}-{count}" in results.folders:
            losses = losses_by_kind(results, f"{model}-{count}")
            shown = [kind for kind in soft if kind in losses]
            gaps = [[losses[kind][run] - losses["hard"][run] for run in losses["hard"]] for kind in shown]
            series.append(interval_series(model, [NAMES[kind] for kind in shown], [interval_of(gap) for gap in gaps]))
    published, where = read_published("sucholutsky2023"), f"{count} images per class"
    printed = {kind: published.find(Number("cross_entropy", kind, where)) for kind in ("hard", *soft)}
    values = {kind: number.value for kind, number in printed.items() if number is not None}
    theirs = tuple(round(values[kind] - values["hard"], 2) for kind in soft)
    theirs_by_kind = Series("networks", tuple(NAMES[kind] for kind in soft), theirs)
    return figure("table-1-{count}", series, [theirs_by_kind], count=count)


def _recovery_figures(informed: Numbers) -> list[Figure]:
    kinds = informed["kinds"]
    rho = [interval_of(run["rho"] for run in starts.values()) for starts in kinds.values()]
    scatter = []
    for name, group in (("kinds of label", kinds), ("drawn votes of CIFAR-10H", informed["few votes"])):
        points = sorted(
            (mean_over_starts(starts, "error_rate"), mean_over_starts(starts, "rho")) for starts in group.values()
        )
        scatter.append(line(name, *zip(*points, strict=True)))
    words = {"images": informed["images"], "judged_by": informed["judged by"]}
    by_kind = interval_series("rho", [NAMES[kind] for kind in kinds], rho)
    return [figure("figure-4-kinds", [by_kind], **words), figure("figure-4-errors", scatter, **words)]


def _score_figure(transfer: Numbers, number: int, metric: str) -> Figure:
    judges = {NAMES[kind]: on_labels(kind, metric) for kind in transfer["rows"][0]["labels"]}
    return _by_softness(f"figure-{number}-top", transfer, judges)


def _shift_figure(transfer: Numbers, number: int, metric: str) -> Figure:
    sets = {SETS[name]: on_shift(name, metric) for name in transfer["rows"][0]["shift"]}
    return _by_softness(f"figure-{number}-bottom", transfer, sets)


def _by_softness(key: str, transfer: Numbers, values: Mapping[str, Value]) -> Figure:
    """A line per test set over the entropy of the training labels, as the paper draws it."""
    softness = transfer["label entropy"]
    series = []
    for name, value in values.items():
        runs = by_run(transfer["rows"], value)
        kinds = sorted(runs, key=softness.__getitem__)
        means = [interval_of(runs[kind]) for kind in kinds]
        series.append(interval_series(name, [softness[kind] for kind in kinds], means))
    return figure(key, series, kinds=_names(kinds))


def _names(kinds: Sequence[str]) -> str:
    return ", ".join(NAMES[kind] for kind in kinds)


def _network_figure(transfer: Numbers) -> Figure:
    softness = transfer["label entropy"]
    losses = by_run(transfer["rows"], on_labels("H"))
    kinds = sorted(losses, key=softness.__getitem__)
    series = []
    for name, shown in NETWORKS.items():
        own = [[value for run, value in losses[kind].items() if run.startswith(f"{name} ")] for kind in kinds]
        series.append(line(shown, [softness[kind] for kind in kinds], [np.mean(values) for values in own]))
    return figure("figure-5-networks", series)


def _entropy_figure(rows: Sequence[Numbers]) -> Figure:
    values = {
        "labels": by_run(rows, lambda row: float(row["entropy of its labels"])),
        "predictions": by_run(rows, lambda row: float(row["entropy"])),
    }
    series = [
        interval_series(name, [NAMES[kind] for kind in runs], [interval_of(runs[kind]) for kind in runs])
        for name, runs in values.items()
    ]
    return figure("figure-7", series)


def _information_figure(transfer: Numbers, informed: Numbers) -> Figure:
    rho = {kind: mean_over_starts(starts, "rho") for kind, starts in informed["kinds"].items()}
    rows = transfer["rows"]
    places: dict[str, Value] = {"all kinds of label": on_all_labels}
    places |= {SETS[name]: on_shift(name) for name in rows[0]["shift"]}
    series = []
    for name, value in places.items():
        losses = by_run(rows, value)
        order = sorted(losses, key=rho.__getitem__)
        means = [np.mean(list(losses[kind].values())) for kind in order]
        series.append(line(name, [rho[kind] for kind in order], means))
    return figure("figure-10", series, kinds=_names(order))


def simulation_figures(results: Results) -> list[Figure]:
    """Return ratios, recovery, preferences, effective dimensionality, and curves and losses over numbers kept."""
    make = results.make_from
    return [
        *make(["theory"], lambda theory: [_ratios(theory, kind) for kind in ("soft", "hard")]),
        *make(["simulations"], _recoveries),
        *make(["preferences"], lambda preferences: [_preferences(preferences)]),
        *make(["simulations", "sparsity"], _effective),
        *make(["sparsity"], _curves),
        *make(["sparsity"], _losses),
    ]


def _recoveries(simulated: Numbers) -> list[Figure]:
    sizes, maps = simulated["sizes"], simulated["maps"][D]
    return [_through("figure-1-rho-{kind}", sizes, maps[kind], kind=kind) for kind in ("soft", "hard")]


def _effective(simulated: Numbers, sparsity: Numbers) -> list[Figure]:
    return [_through("figure-2", simulated["sizes"], sparsity["effective"][D]["map"])]


def line(name: str, x: Any, y: Any) -> Series:
    return Series(name, tuple(float(value) for value in x), tuple(float(value) for value in y))


def _lines(table: np.ndarray, sizes: np.ndarray) -> dict[str, np.ndarray]:
    """Three lines through a map over items and classes: both grow, items grow, classes grow."""
    at = int(np.abs(sizes - FIXED).argmin())
    fixed = sizes[at]
    return {"n = k": np.diag(table), f"n grows, k = {fixed}": table[:, at], f"k grows, n = {fixed}": table[at]}


def _ratios(theory: Numbers, kind: str) -> Figure:
    lines = theory["ratios"][kind]
    names = {"one-shot": "n = k", "many-shot": f"n grows, k = {FIXED}", "less-than-one-shot": f"k grows, n = {FIXED}"}
    series = [line(shown, lines["sizes"], lines[name]) for name, shown in names.items()]
    return figure("figure-1-ratio-{kind}", series, kind=kind)


def _through(key: str, sizes: Sequence[int], table: Any, **words: str) -> Figure:
    at = np.array(sizes)
    return figure(key, [line(name, at, values) for name, values in _lines(np.array(table), at).items()], d=D, **words)


def _preferences(preferred: Numbers) -> Figure:
    maps = {beta: preferred["maps"][f"linear · beta {beta:g} · d {D}"] for beta in BETAS if beta < max(BETAS)}
    series = [line(f"β = {beta:g}", preferred["sizes"], np.diag(np.array(worth))) for beta, worth in maps.items()]
    return figure("figure-1-preferences", series)


def _corners(sparsity: Numbers) -> dict[str, list[str]]:
    corners: dict[str, list[str]] = {}
    for name, curve in sparsity["curves"].items():
        corners.setdefault(f"n = {curve['n']}, k = {curve['k']}", []).append(name)
    return corners


def _by_numbers_kept(scenes: Sequence[Numbers], kept: Sequence[int], curves: Mapping[str, str]) -> list[Series]:
    """Means over scenes: curves by their name; soft and hard labels, of which everything is kept, as level lines."""
    changing = [line(name, kept, np.mean([scene[key] for scene in scenes], axis=0)) for name, key in curves.items()]
    level = [line(kind, kept, [np.mean([scene[kind] for scene in scenes])] * len(kept)) for kind in ("soft", "hard")]
    return [*changing, *level]


def _curves(sparsity: Numbers) -> list[Figure]:
    names = {"principal components": "pca", "sparse": "sparse", "top-class": "top_class"}
    drawn = []
    for place, (corner, scenes) in enumerate(_corners(sparsity).items(), 1):
        curves = [sparsity["curves"][name] for name in scenes]
        series = _by_numbers_kept(curves, curves[0]["kept"], names)
        drawn.append(figure("figure-3-{place}", series, place=place, corner=corner))
    return drawn


def _losses(sparsity: Numbers) -> list[Figure]:
    """For the last corner, one figure for each utility at the middle weight."""
    corner, scenes = list(_corners(sparsity).items())[-1]
    kept = sparsity["curves"][scenes[0]]["kept"]
    drawn = []
    for weighed in (name for name in sparsity["losses"][scenes[0]] if name.endswith("beta 0.3")):
        losses = [sparsity["losses"][scene][weighed] for scene in scenes]
        series = _by_numbers_kept(losses, kept, {"sparse": "sparse", "top-class": "top_class"})
        drawn.append(figure("figure-6-{utility}", series, utility=weighed.split(" · ")[0], corner=corner))
    return drawn
