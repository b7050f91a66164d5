"""The figures of docs/plan_simulation.md, from the shipped grid and from simulations of the same scenes.

python benchmarks/plan_figures.py          about two minutes; writes docs/figures/plan_*.svg and
                                           benchmarks/results/sparsity.json
"""

from __future__ import annotations

import json
import re
from collections import defaultdict
from pathlib import Path

import numpy as np
from scipy.stats import pearsonr

from dissensus.plan.grid import Grid, cell_scene, figure_1_grid
from dissensus.plan.information import hard_constraints, information_ratio, soft_constraints
from dissensus.plan.label_kinds import WHOLE_KINDS
from dissensus.plan.sparsity import effective_dimensionality, sparsity_curves
from dissensus.report.charts import Line, line_chart, scatter
from dissensus.report.maps import grid_map
from dissensus.report.svg import as_file

ROOT = Path(__file__).parent.parent
FIGURES = ROOT / "docs" / "figures"
CORNERS = ((12, 30), (30, 30), (90, 30))
KEPT = (1, 2, 3, 5, 8, 12, 16, 20, 25, 30)
LEVELS = 40  # shades of a map: cells of one shade become one path, a quarter of the size


def main() -> None:
    FIGURES.mkdir(exist_ok=True)
    grid = figure_1_grid()
    maps(grid)
    lines(grid)
    record = {"effective dimensionality": effective(grid), "curves, d = 25": curves(grid)}
    (ROOT / "benchmarks" / "results" / "sparsity.json").write_text(json.dumps(record, indent=1) + "\n")
    print(json.dumps(record["effective dimensionality"], indent=1))


def maps(grid: Grid) -> None:
    for kind in WHOLE_KINDS:
        for d in grid.config.dimensions:
            shown = np.round(grid.mean(kind, d) * LEVELS) / LEVELS
            title = f"{kind} labels, d = {d}"
            drawn = grid_map(
                shown, grid.config.classes, grid.config.items, "classes k", "items n", title, low=0.0, high=1.0
            )
            save(f"plan_map_{kind}_{d}", merge_cells(drawn))


def lines(grid: Grid) -> None:
    """rho beside the information ratio along three lines through the maps, d = 25."""
    sizes = np.array(grid.config.items)
    nine = grid.config.items.index(9)
    for kind, count in (("soft", soft_constraints), ("hard", hard_constraints)):
        rho = grid.mean(kind, 25)
        cuts = {
            "one-shot: n = k": (np.diag(rho), sizes, sizes),
            "many: k = 9, n grows": (rho[:, nine], sizes, np.full(sizes.size, 9)),
            "less: n = 9, k grows": (rho[nine], np.full(sizes.size, 9), sizes),
        }
        found = [Line(name, sizes, values) for name, (values, _, _) in cuts.items()]
        save(f"plan_phases_{kind}", line_chart(found, "size that grows", "rho", y_range=(-0.1, 1.0), marks=False))
        theory = [Line(name, sizes, information_ratio(count(n, k), n, k)) for name, (_, n, k) in cuts.items()]
        chart = line_chart(theory, "size that grows", "information ratio", y_range=(0.0, 0.45), marks=False)
        save(f"plan_ratio_{kind}", chart)


def effective(grid: Grid) -> dict[str, object]:
    """Effective dimensionality of soft labels in every cell, and its correlation with the information ratio."""
    items, classes = np.meshgrid(grid.config.items, grid.config.classes, indexing="ij")
    ratio = information_ratio(soft_constraints(items, classes), items, classes)
    found: dict[str, object] = {"paper": "r = 0.734, p < 1e-15"}
    for d in (25, 125):
        plane = grid.config.dimensions.index(d)
        needed = np.array(
            [
                [
                    effective_dimensionality(cell_scene(grid.config, 0, n, k, d), grid.rho[1, plane, i, j, 0])
                    for j, k in enumerate(grid.config.classes)
                ]
                for i, n in enumerate(grid.config.items)
            ]
        )
        r, p = pearsonr(ratio.ravel(), needed.ravel())
        found[f"d = {d}"] = {
            "Pearson r with the information ratio": round(float(r), 3),
            "p": float(f"{p:.1e}"),
            "mean": round(float(needed.mean()), 1),
            "most": int(needed.max()),
            "share of cells where it is below k": round(float((needed < classes).mean()), 3),
        }
        if d == 25:
            shown = np.round(needed / d * LEVELS) / LEVELS * d
            drawn = grid_map(
                shown,
                grid.config.classes,
                grid.config.items,
                "classes k",
                "items n",
                "effective dimensionality, d = 25",
                low=0,
                high=d,
            )
            save("plan_effective", merge_cells(drawn))
            few = np.random.default_rng(0).choice(ratio.size, 200, replace=False)
            names = [f"n={n}, k={k}" for n, k in zip(items.ravel()[few], classes.ravel()[few], strict=True)]
            dots = scatter(
                ratio.ravel()[few], needed.ravel()[few].astype(float), names, "information ratio", "components"
            )
            save("plan_effective_ratio", dots)
    return found


def curves(grid: Grid) -> dict[str, object]:
    found: dict[str, object] = {"k_hat": KEPT}
    for n, k in CORNERS:
        runs = [
            sparsity_curves(cell_scene(grid.config, seed, n, k, 25), KEPT, np.random.default_rng(seed), starts=2)
            for seed in range(3)
        ]
        silent = [
            sparsity_curves(
                cell_scene(grid.config, seed, n, k, 25),
                KEPT,
                np.random.default_rng(seed),
                starts=2,
                unasked_as_zero=False,
            ).top_class
            for seed in range(3)
        ]
        mean = {name: np.mean([getattr(run, name) for run in runs], axis=0) for name in ("pca", "sparse", "top_class")}
        mean["top_class, unasked unknown"] = np.mean(silent, axis=0)
        level = {name: np.full(len(KEPT), np.mean([getattr(run, name) for run in runs])) for name in ("soft", "hard")}
        names = {"pca": "principal components", "sparse": "sparse labels", "top_class": "top-class labels"}
        names["top_class, unasked unknown"] = "top-class, unknown"
        shown = [Line(names.get(name, name), np.array(KEPT), values) for name, values in (mean | level).items()]
        save(f"plan_sparsity_{n}_{k}", line_chart(shown, "numbers kept per label", "rho", y_range=(-0.1, 1.0)))
        found[f"n = {n}, k = {k}"] = {name: np.round(values, 3).tolist() for name, values in (mean | level).items()}
    return found


def merge_cells(drawn: str) -> str:
    """Cells of the same shade as one path."""
    pattern = r'<rect x="([\d.]+)" y="([\d.]+)" width="([\d.]+)" height="([\d.]+)" fill="(#[0-9a-f]{6})"/>'
    cells = re.findall(pattern, drawn)
    paths = defaultdict(list)
    for x, y, wide, tall, fill in cells:
        paths[fill].append(f"M{float(x):g} {float(y):g}h{float(wide):g}v{float(tall):g}h-{float(wide):g}z")
    together = "".join(
        f'<path shape-rendering="crispEdges" fill="{fill}" d="{"".join(parts)}"/>' for fill, parts in paths.items()
    )
    return re.sub(pattern, "", drawn).replace("</text>", f"</text>{together}", 1)


def save(name: str, drawn: str) -> None:
    (FIGURES / f"{name}.svg").write_text(as_file(drawn))


if __name__ == "__main__":
    main()
