"""Sections 4 to 6: known points, what labels recover of them, preferences, and labels with fewer numbers."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from scipy.stats import spearmanr

from dissensus.papers.paper import Scale, Tell
from dissensus.plan.estimates import by_simulation
from dissensus.plan.grid import Grid, GridConfig, cell_scene, load_grid, simulate_grid
from dissensus.plan.information import hard_constraints, information_ratio, soft_constraints
from dissensus.plan.label_kinds import WHOLE_KINDS
from dissensus.plan.sparsity import effective_dimensionality, sparsity_curves
from dissensus.plan.tradeoff import FIGURE_1, Preferences, preference_map
from dissensus.plan.utilities import UTILITIES
from dissensus.train.child_processes import cores

GRID = "grid.json"
BETAS = (0.1, 1.0, 10.0)  # of the maps; figure 1 has them without numbers
CURVE_BETAS = (0.1, 0.3, 1.0)
FEW, SMALL_END, LARGE_END = (6, 15), (9, 27), 72  # sizes of the band, and the two ends of what grows
_LAPTOP: dict[str, Any] = {
    "sizes": list(range(3, 91, 3)),
    "dimensions": [5, 25, 125],
    "seeds": 1,
    "corners": [[12, 30], [30, 30], [90, 30]],
    "kept": [1, 2, 3, 5, 8, 12, 16, 20, 25, 30],
    "scenes": 3,
}
SIZES: dict[Scale, dict[str, Any]] = {
    "quick": {
        "sizes": [6, 12, 18, 27, 72],
        "dimensions": [5, 25],
        "seeds": 1,
        "corners": [[12, 20], [30, 20]],
        "kept": [1, 2, 5, 10, 20],
        "scenes": 1,
    },
    "laptop": _LAPTOP,
    "overnight": _LAPTOP,
    "full": _LAPTOP | {"seeds": 3, "scenes": 5},
}


def config_of(scale: Scale) -> GridConfig:
    size = SIZES[scale]
    return GridConfig(tuple(size["sizes"]), tuple(size["sizes"]), tuple(size["dimensions"]), size["seeds"])


def recoveries(scale: Scale, folder: Path, needs: Mapping[str, Path], tell: Tell) -> dict[str, Any]:
    """rho in every cell; the file of cells stays in the folder, so that a run that was killed goes on."""
    grid = simulate_grid(folder / GRID, config_of(scale), workers=cores(), quiet=True)
    return read_off(grid)


def read_off(grid: Grid) -> dict[str, Any]:
    """Rank correlations of rho with the information ratio, by dimension and seed; mean rho in each cell."""
    sizes = np.array(grid.config.items)
    items, classes = np.meshgrid(sizes, np.array(grid.config.classes), indexing="ij")
    ratio = {
        "hard": information_ratio(hard_constraints(items, classes), items, classes),
        "soft": information_ratio(soft_constraints(items, classes), items, classes),
    }
    runs, maps = {}, {}
    for plane, d in enumerate(grid.config.dimensions):
        for seed in range(grid.config.seeds):
            rho = {kind: grid.rho[place, plane, :, :, seed] for place, kind in enumerate(WHOLE_KINDS)}
            both = np.concatenate([rho[kind].ravel() for kind in WHOLE_KINDS])
            runs[f"d {d} · seed {seed}"] = {
                "rank correlation": float(spearmanr(both, np.concatenate([ratio[k].ravel() for k in WHOLE_KINDS]))[0]),
                "within": {kind: float(spearmanr(rho[kind].ravel(), ratio[kind].ravel())[0]) for kind in WHOLE_KINDS},
            }
        maps[str(d)] = {kind: np.round(grid.mean(kind, d), 4).tolist() for kind in WHOLE_KINDS}
    return {"sizes": sizes.tolist(), "runs": runs, "maps": maps}


def preferences(scale: Scale, folder: Path, needs: Mapping[str, Path], tell: Tell) -> dict[str, Any]:
    """By how much soft labels are preferred in each cell, for each utility and weight of cost; figure 1, bottom."""
    grid = load_grid(needs["simulations"] / GRID, config_of(scale))
    sizes = grid.config.items
    maps = {}
    for d in grid.config.dimensions:
        for utility in UTILITIES:
            for beta in BETAS:
                wanted = Preferences(utility=utility, beta=beta, reference=FIGURE_1, estimate=by_simulation(grid, d))
                worth = preference_map(sizes, grid.config.classes, wanted)
                maps[f"{utility} · beta {beta:g} · d {d}"] = np.round(worth, 4).tolist()
    return {"sizes": list(sizes), "maps": maps}


def fewer_numbers(scale: Scale, folder: Path, needs: Mapping[str, Path], tell: Tell) -> dict[str, Any]:
    """Effective dimensionality in every cell, rho over the numbers kept, and losses over them."""
    config = config_of(scale)
    grid = load_grid(needs["simulations"] / GRID, config)
    size = SIZES[scale]
    effective = {str(d): _effective(grid, d) for d in config.dimensions if d >= max(config.dimensions) / 5}
    tell(0.3)
    curves = {}
    work = [(n, k, seed) for n, k in size["corners"] for seed in range(size["scenes"])]
    for place, (n, k, seed) in enumerate(work):
        scene = cell_scene(config, seed, n, k, 25)
        found = sparsity_curves(scene, size["kept"], np.random.default_rng(seed), starts=2)
        rho = {name: getattr(found, name).tolist() for name in ("pca", "sparse", "top_class")}
        curves[f"n {n} · k {k} · scene {seed}"] = {
            "n": n,
            "k": k,
            "kept": list(size["kept"]),
            **rho,
            "soft": found.soft,
            "hard": found.hard,
        }
        tell(0.3 + 0.7 * (place + 1) / len(work))
    return {"effective": effective, "curves": curves, "losses": {name: _losses(c) for name, c in curves.items()}}


def _effective(grid: Grid, d: int) -> dict[str, Any]:
    """Of the first scene of each cell."""
    plane, soft = grid.config.dimensions.index(d), WHOLE_KINDS.index("soft")
    needed = [
        [
            effective_dimensionality(cell_scene(grid.config, 0, n, k, d), grid.rho[soft, plane, i, j, 0])
            for j, k in enumerate(grid.config.classes)
        ]
        for i, n in enumerate(grid.config.items)
    ]
    return {"map": np.array(needed).tolist()}


def _losses(curve: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """beta cost - u(rho) over the numbers kept, where soft labels for all items cost 1; figure 6."""
    n, k, kept = curve["n"], curve["k"], np.array(curve["kept"])
    losses = {}
    for utility in UTILITIES:
        for beta in CURVE_BETAS:
            wanted = Preferences(utility=utility, beta=beta, reference=float(n * k))
            loss = {
                name: wanted.trade_off(n * kept, np.clip(curve[name], 0, 1), n, k) for name in ("sparse", "top_class")
            }
            losses[f"{utility} · beta {beta:g}"] = {
                "sparse": loss["sparse"].tolist(),
                "top_class": loss["top_class"].tolist(),
                "soft": float(wanted.trade_off(n * k, max(curve["soft"], 0.0), n, k)),
                "hard": float(wanted.trade_off(n, max(curve["hard"], 0.0), n, k)),
            }
    return losses
