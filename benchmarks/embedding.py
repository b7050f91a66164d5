"""Embedding soft labels: seconds and objective beside cblearn's GNMDS and a semidefinite solver, in one run.

All minimise sum of max(0, 1 + d(a, b)^2 - d(a, c)^2) + tr(G) over the same comparisons, from simulated soft labels of
n items, k classes, d = 25. cblearn gets them listed and works in d dimensions, ours gets the label matrix. "Matched"
is the cheapest of our settings that ends at or below cblearn's objective in as many dimensions. SCS solves the convex
problem; ours must come within 0.05% of it. Kernels are compiled beforehand, one thread each. cblearn has
its usual 2,000 iterations.

    OMP_NUM_THREADS=1 python benchmarks/embedding.py --cblearn PYTHON [--cases 30 90] [--iterations 2000 2000]

PYTHON is an interpreter that has cblearn (it needs NumPy below 2); the SCS part needs cvxpy.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

from dissensus.plan.constraints import label_triplets
from dissensus.plan.gnmds.embedding import Embedding, embed_labels, embed_triplets, triplet_error
from dissensus.plan.simulation import recovery, simulate_scene

DIMENSIONS = 25
SETTINGS = (
    ((0.3,), 1e-1), ((0.3,), 1e-2), ((0.3, 0.03), 1e-2), ((0.3, 0.03), 1e-3), ((0.3, 0.03), 1e-4),
    ((0.3, 0.03, 0.003), 1e-5), ((1.0, 0.1, 0.01, 0.001), 1e-7),
)  # fmt: skip
PEER = """
import sys, time, numpy as np
from cblearn.embedding import GNMDS
given = np.load(sys.argv[1])
wall, cpu = time.perf_counter(), time.process_time()
fit = GNMDS(n_components=int(sys.argv[3]), lambd=1.0, random_state=0, max_iter=int(sys.argv[4])).fit(given["triplets"])
np.savez(sys.argv[2], points=fit.embedding_, stress=fit.stress_, iterations=fit.n_iter_,
         wall=time.perf_counter() - wall, cpu=time.process_time() - cpu)
"""


def measure_seconds(work: Any) -> tuple[Embedding, float, float]:
    wall, cpu = time.perf_counter(), time.process_time()
    found = work()
    return found, time.perf_counter() - wall, time.process_time() - cpu


def against_cblearn(python: str, size: int, iterations: int) -> dict[str, Any]:
    scene = simulate_scene(size, size, DIMENSIONS, np.random.default_rng(0))
    triplets = label_triplets(scene.soft)
    with tempfile.TemporaryDirectory() as folder:
        given, back = Path(folder) / "given.npz", Path(folder) / "back.npz"
        np.savez(given, triplets=triplets)
        subprocess.run([python, "-c", PEER, str(given), str(back), str(DIMENSIONS), str(iterations)], check=True)
        with np.load(back) as kept:
            peer = {name: kept[name] for name in kept.files}
    target = float(peer["stress"])
    rows = {
        "cblearn": describe_embedding(peer["points"], target, float(peer["wall"]), float(peer["cpu"]), scene, triplets)
    }
    for name, rank in (("same dimensions", DIMENSIONS), ("rank min(n, k) + 1", None)):
        for widths, tolerance in SETTINGS:

            def work(rank: int | None = rank, widths: Any = widths, tolerance: float = tolerance) -> Embedding:
                rng = np.random.default_rng(0)
                return embed_labels(scene.soft, rng, rank=rank, widths=widths, tolerance=tolerance)

            found, wall, cpu = measure_seconds(work)
            if found.objective <= target:
                rows[f"matched, {name}"] = describe_embedding(found.points, found.objective, wall, cpu, scene, triplets)
                break
    full, wall, cpu = measure_seconds(lambda: embed_labels(scene.soft, np.random.default_rng(0)))
    rows["converged, rank min(n, k) + 1"] = describe_embedding(full.points, full.objective, wall, cpu, scene, triplets)
    listed, wall, cpu = measure_seconds(lambda: embed_triplets(triplets, np.random.default_rng(0), rank=DIMENSIONS))
    rows["converged, listed triplets, same dimensions"] = describe_embedding(
        listed.points, listed.objective, wall, cpu, scene, triplets
    )
    for row in rows.values():
        row["times as fast, wall"] = round(rows["cblearn"]["wall seconds"] / row["wall seconds"], 1)
        row["times as fast, processor"] = round(rows["cblearn"]["processor seconds"] / row["processor seconds"], 1)
    return {"triplets": len(triplets), "iterations of cblearn": int(peer["iterations"])} | rows


def against_scs(size: int) -> dict[str, Any]:
    import cvxpy as cp
    import scipy.sparse as sp

    scene = simulate_scene(size, size, DIMENSIONS, np.random.default_rng(0))
    triplets = label_triplets(scene.soft)
    a, b, c = triplets.T
    points, rows = 2 * size, np.arange(len(triplets))
    values = np.repeat([1.0, -1.0, -2.0, 2.0], rows.size)
    places = np.concatenate([b * points + b, c * points + c, a * points + b, a * points + c])
    gaps = sp.csr_matrix((values, (np.tile(rows, 4), places)), shape=(rows.size, points**2))
    gram = cp.Variable((points, points), PSD=True)
    problem = cp.Problem(cp.Minimize(cp.sum(cp.pos(1 + gaps @ cp.vec(gram, order="C"))) + cp.trace(gram)))
    wall, cpu = time.perf_counter(), time.process_time()
    problem.solve(solver=cp.SCS)
    wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
    solved = float(problem.solver_stats.solve_time)
    values, vectors = np.linalg.eigh(gram.value)
    factor = vectors * np.sqrt(np.maximum(values, 0))
    squared = ((factor[:, None] - factor) ** 2).sum(axis=2)
    optimum = float(np.maximum(0, 1 + squared[a, b] - squared[a, c]).sum() + (factor**2).sum())
    ours, our_wall, our_cpu = measure_seconds(lambda: embed_labels(scene.soft, np.random.default_rng(0)))
    return {
        "SCS": describe_embedding(factor, optimum, wall, cpu, scene, triplets)
        | {"of it in the solver": round(solved, 3)},
        "ours": describe_embedding(ours.points, ours.objective, our_wall, our_cpu, scene, triplets),
        "ours above the optimum": f"{ours.objective / optimum - 1:.4%}",
        "times as fast, wall": round(wall / our_wall, 1),
        "times as fast, processor": round(cpu / our_cpu, 1),
        "times as fast as the solver alone": round(solved / our_wall, 1),
    }


def describe_embedding(
    points: np.ndarray, objective: float, wall: float, cpu: float, scene: Any, triplets: np.ndarray
) -> dict[str, Any]:
    return {
        "objective": round(objective, 2),
        "rho": round(recovery(points @ points.T, scene.similarity), 4),
        "contradicted triplets": round(triplet_error(points, triplets), 4),
        "wall seconds": round(wall, 4),
        "processor seconds": round(cpu, 4),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--cblearn", required=True, help="interpreter that has cblearn")
    parser.add_argument("--cases", type=int, nargs="+", default=[30, 90])
    parser.add_argument("--iterations", type=int, nargs="+", default=[2000, 2000], help="maximum for cblearn, by case")
    chosen = parser.parse_args()
    small = simulate_scene(4, 4, 3, np.random.default_rng(0)).soft
    embed_labels(small, np.random.default_rng(0))  # compiles the kernels
    embed_triplets(label_triplets(small), np.random.default_rng(0))
    record: dict[str, Any] = {"semidefinite optimum, n = k = 30": against_scs(30)}
    for size, iterations in zip(chosen.cases, chosen.iterations, strict=True):
        record[f"cblearn, n = k = {size}"] = against_cblearn(chosen.cblearn, size, iterations)
        print(json.dumps(record, indent=1), flush=True)
    results = Path(__file__).parent / "results"
    results.mkdir(exist_ok=True)
    (results / "embedding.json").write_text(json.dumps(record, indent=1) + "\n")


if __name__ == "__main__":
    main()
