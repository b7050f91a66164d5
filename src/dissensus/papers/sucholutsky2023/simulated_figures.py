"""Figures 1, 2, 3 and 6: formulas and simulations."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from dissensus.papers.figures import Figure, Series
from dissensus.papers.paper import Results
from dissensus.papers.sucholutsky2023.simulation import BETAS

D = "25"  # dimensions of the simulations that are drawn
FIXED = 9  # the size that stays, where the other grows


def simulation_figures(results: Results) -> list[Figure]:
    """Return ratios, recovery, preferences, effective dimensionality, and curves and losses over numbers kept."""
    make = results.make_from
    return [
        *make(["theory"], lambda theory: [_ratios(theory, kind) for kind in ("soft", "hard")]),
        *make(["simulations"], lambda simulated: [_recoveries(simulated, kind) for kind in ("soft", "hard")]),
        *make(["preferences"], lambda preferences: [_preferences(preferences)]),
        *make(["simulations", "sparsity"], lambda simulated, sparsity: [_effective(simulated, sparsity)]),
        *make(["sparsity"], _curves),
        *make(["sparsity"], _losses),
    ]


def line(name: str, x: Any, y: Any) -> Series:
    """A line of numbers."""
    return Series(name, tuple(float(value) for value in x), tuple(float(value) for value in y))


def _lines(table: np.ndarray, sizes: np.ndarray) -> dict[str, np.ndarray]:
    """Three lines through a map over items and classes: both grow, items grow, classes grow."""
    at = int(np.abs(sizes - FIXED).argmin())
    fixed = sizes[at]
    return {"n = k": np.diag(table), f"n grows, k = {fixed}": table[:, at], f"k grows, n = {fixed}": table[at]}


def _ratios(theory: Mapping[str, Any], kind: str) -> Figure:
    lines = theory["ratios"][kind]
    names = {"one-shot": "n = k", "many-shot": f"n grows, k = {FIXED}", "less-than-one-shot": f"k grows, n = {FIXED}"}
    return Figure(
        key=f"figure-1-ratio-{kind}",
        title=f"Information ratio of {kind} labels",
        source="Sucholutsky 2023, figure 1, analysis",
        kind="lines",
        x_title="size that grows",
        y_title="information ratio",
        series=tuple(line(shown, lines["sizes"], lines[name]) for name, shown in names.items()),
    )


def _recoveries(simulated: Mapping[str, Any], kind: str) -> Figure:
    sizes = np.array(simulated["sizes"])
    lines = _lines(np.array(simulated["maps"][D][kind]), sizes)
    return Figure(
        key=f"figure-1-rho-{kind}",
        title=f"Recovered similarity, {kind} labels, d = {D}",
        source="Sucholutsky 2023, figure 1, simulations",
        kind="lines",
        x_title="size that grows",
        y_title="rho",
        series=tuple(line(name, sizes, values) for name, values in lines.items()),
    )


def _preferences(preferred: Mapping[str, Any]) -> Figure:
    sizes = np.array(preferred["sizes"])
    series = tuple(
        line(f"β = {beta:g}", sizes, np.diag(np.array(preferred["maps"][f"linear · beta {beta:g} · d {D}"])))
        for beta in BETAS
        if beta < max(BETAS)
    )
    return Figure(
        key="figure-1-preferences",
        title="Preference for soft labels with as many items as classes",
        source="Sucholutsky 2023, figure 1, bottom",
        kind="lines",
        x_title="n = k",
        y_title="loss of hard less soft labels",
        series=series,
        note="Linear utility; above 0, soft labels are preferred. At β = 1, soft labels for 90 items over 90 classes "
        "cost as much as perfect recovery is worth.",
    )


def _effective(simulated: Mapping[str, Any], sparsity: Mapping[str, Any]) -> Figure:
    sizes = np.array(simulated["sizes"])
    lines = _lines(np.array(sparsity["effective"][D]["map"]), sizes)
    return Figure(
        key="figure-2",
        title=f"Principal components that soft labels are worth, d = {D}",
        source="Sucholutsky 2023, figure 2",
        kind="lines",
        x_title="size that grows",
        y_title="effective dimensionality",
        series=tuple(line(name, sizes, values) for name, values in lines.items()),
    )


def _corners(sparsity: Mapping[str, Any]) -> dict[str, list[str]]:
    """Scenes by n and k."""
    corners: dict[str, list[str]] = {}
    for name, curve in sparsity["curves"].items():
        corners.setdefault(f"n = {curve['n']}, k = {curve['k']}", []).append(name)
    return corners


def _by_numbers_kept(
    scenes: Sequence[Mapping[str, Any]], kept: Sequence[int], curves: Mapping[str, str]
) -> list[Series]:
    """Means over scenes: curves by their name; soft and hard labels, of which everything is kept, as level lines."""
    changing = [line(name, kept, np.mean([scene[key] for scene in scenes], axis=0)) for name, key in curves.items()]
    level = [line(kind, kept, [np.mean([scene[kind] for scene in scenes])] * len(kept)) for kind in ("soft", "hard")]
    return [*changing, *level]


def _curves(sparsity: Mapping[str, Any]) -> list[Figure]:
    drawn = []
    for place, (corner, scenes) in enumerate(_corners(sparsity).items()):
        curves = [sparsity["curves"][name] for name in scenes]
        kept = curves[0]["kept"]
        series = _by_numbers_kept(
            curves, kept, {"principal components": "pca", "sparse": "sparse", "top-class": "top_class"}
        )
        drawn.append(
            Figure(
                key=f"figure-3-{place + 1}",
                title=f"Recovered similarity by numbers kept, {corner}",
                source="Sucholutsky 2023, figure 3",
                kind="lines",
                x_title="numbers kept per label",
                y_title="rho",
                series=tuple(series),
            )
        )
    return drawn


def _losses(sparsity: Mapping[str, Any]) -> list[Figure]:
    """For the last corner, one figure for each utility at the middle weight."""
    corner, scenes = list(_corners(sparsity).items())[-1]
    kept = sparsity["curves"][scenes[0]]["kept"]
    drawn = []
    for weighed in (name for name in sparsity["losses"][scenes[0]] if name.endswith("beta 0.3")):
        losses = [sparsity["losses"][scene][weighed] for scene in scenes]
        series = _by_numbers_kept(losses, kept, {"sparse": "sparse", "top-class": "top_class"})
        utility = weighed.split(" · ")[0]
        drawn.append(
            Figure(
                key=f"figure-6-{utility}",
                title=f"Loss by numbers kept, {corner}, {utility} utility, β = 0.3",
                source="Sucholutsky 2023, figure 6",
                kind="lines",
                x_title="numbers kept per label",
                y_title="loss",
                series=tuple(series),
                note="Lower is better; soft labels for all items cost 0.3 of what perfect recovery is worth.",
            )
        )
    return drawn
