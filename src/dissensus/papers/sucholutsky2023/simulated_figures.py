"""Figures 1, 2, 3 and 6: formulas and simulations."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from dissensus.papers.figures import Figure, Series, read_figures
from dissensus.papers.paper import Results
from dissensus.papers.sucholutsky2023.simulation import BETAS

Numbers = Mapping[str, Any]
figure = read_figures("sucholutsky2023")
D = "25"  # dimensions of the simulations that are drawn
FIXED = 9  # the size that stays, where the other grows


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
