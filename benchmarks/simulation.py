"""The grid of Sucholutsky 2023, figure 1, computed from scratch: seconds, and results compared with the paper.

Each seed is timed; the results after it are written to results/simulation.json and shipped with the package.
Interrupted runs resume from the file.

    python benchmarks/simulation.py GRID.json [--seeds 3] [--workers 2]
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import time
from pathlib import Path

import numpy as np

from dissensus.plan.grid import Grid, GridConfig, grid_record, load_grid, simulate_grid
from dissensus.plan.information import hard_constraints, information_ratio, soft_constraints
from dissensus.plan.label_kinds import WHOLE_KINDS
from dissensus.plan.simulation import simulate_recovery

RESULTS = Path(__file__).parent / "results"
SHIPPED = Path(__file__).parent.parent / "src" / "dissensus" / "plan" / "figure_1_grid.json"


def time_grid(path: Path, seeds: int, workers: int) -> tuple[Grid, dict[str, object]]:
    """The grid, and how long the cells took that the file did not have yet."""
    config = GridConfig(seeds=seeds)
    missing = int(np.isnan(load_grid(path, config).rho).sum()) if path.exists() else 5400 * seeds
    wall, cpu = time.perf_counter(), time.process_time()
    grid = simulate_grid(path, config, workers=workers)
    took = {"wall seconds": time.perf_counter() - wall, "processor seconds": time.process_time() - cpu}
    load = round(os.getloadavg()[0], 1)
    return grid, {"cells": missing, "threads": workers, "load of the machine": load} | {
        name: round(value, 1) for name, value in took.items()
    }


def mean_recovery(grid: Grid) -> dict[str, object]:
    """Mean rho along three lines through the maps, and its correlation with the information ratio."""
    from scipy.stats import spearmanr

    items, classes = np.meshgrid(grid.config.items, grid.config.classes, indexing="ij")
    ratio = {
        "hard": information_ratio(hard_constraints(items, classes), items, classes),
        "soft": information_ratio(soft_constraints(items, classes), items, classes),
    }
    found: dict[str, object] = {}
    sizes = (3, 9, 18, 30, 45, 60, 90)
    place = [grid.config.items.index(size) for size in sizes]
    for kind in WHOLE_KINDS:
        for d in grid.config.dimensions:
            rho = grid.mean(kind, d)
            found[f"{kind} d={d}"] = {
                "sizes": sizes,
                "one-shot, n = k": [round(float(rho[i, i]), 3) for i in place],
                "many-shot, k = 9": [round(float(rho[i, 2]), 3) for i in place],
                "less-than-one-shot, n = 9": [round(float(rho[2, i]), 3) for i in place],
                "from sizes 9 to 27 to sizes 72 to 90": bands(rho, np.array(grid.config.items)),
                "rank correlation with IR": round(float(spearmanr(rho.ravel(), ratio[kind].ravel())[0]), 3),
            }
    every = {d: np.concatenate([grid.mean(kind, d).ravel() for kind in WHOLE_KINDS]) for d in grid.config.dimensions}
    both = np.concatenate([ratio[kind].ravel() for kind in WHOLE_KINDS])
    found["rank correlation with IR, hard and soft together"] = {
        f"d={d}": round(float(spearmanr(rho, both)[0]), 3) for d, rho in every.items()
    }
    return found


def bands(rho: np.ndarray, sizes: np.ndarray) -> dict[str, list[float]]:
    """Mean rho where the size that grows is small, and where it is large; the other one is between 6 and 15."""
    few, ends = (sizes >= 6) & (sizes <= 15), [(sizes >= 9) & (sizes <= 27), sizes >= 72]
    return {
        "one-shot, n = k": [round(float(np.diag(rho)[end].mean()), 3) for end in ends],
        "many-shot, n grows": [round(float(rho[np.ix_(end, few)].mean()), 3) for end in ends],
        "less-than-one-shot, k grows": [round(float(rho[np.ix_(few, end)].mean()), 3) for end in ends],
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("file", type=Path)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--workers", type=int, default=2)
    chosen = parser.parse_args()
    place = RESULTS / "simulation.json"
    record = json.loads(place.read_text()) if place.exists() else {}
    simulate_recovery("soft", 3, 3, 2, np.random.default_rng(0))  # compiles the kernels
    for seeds in range(1, chosen.seeds + 1):
        grid, took = time_grid(chosen.file, seeds, chosen.workers)
        if took["cells"]:
            record[f"seed {seeds - 1}"] = took
        record |= {"machine": platform.machine(), "seeds": seeds, "shown": mean_recovery(grid)}
        RESULTS.mkdir(exist_ok=True)
        place.write_text(json.dumps(record, indent=1) + "\n")
        SHIPPED.write_text(grid_record(grid))
    print(json.dumps(record, indent=1))


if __name__ == "__main__":
    main()
