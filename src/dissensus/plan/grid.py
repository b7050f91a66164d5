"""The simulation over a whole grid of n, k and d, on all cores; an interrupted run can be resumed."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor, as_completed
from dataclasses import asdict, dataclass, field
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np

from dissensus.labels.answers import hold
from dissensus.labels.display import shapes
from dissensus.labels.progress import ProgressBar
from dissensus.labels.refusals import PythonWay, Refusal, Way
from dissensus.plan.label_kinds import WHOLE_KINDS, WholeKind
from dissensus.plan.simulation import TOLERANCE, TRACE_WEIGHT, WIDTHS, Scene, simulate_recovery, simulate_scene

SAVE_SECONDS = 5.0


@dataclass(frozen=True)
class GridConfig:
    """The cells to simulate. The default is figure 1 of Sucholutsky 2023: 30 x 30 cells for three d.

    seeds        scenes per cell
    hard_starts  embeddings of the hard labels of each scene, averaged, since they depend on the start
    spread       of the items around their centroids, which have 1
    """

    items: tuple[int, ...] = tuple(range(3, 91, 3))
    classes: tuple[int, ...] = tuple(range(3, 91, 3))
    dimensions: tuple[int, ...] = (5, 25, 125)
    seeds: int = 3
    hard_starts: int = 3
    spread: float = 1.0

    def __post_init__(self) -> None:
        for name in ("items", "classes", "dimensions"):
            values = tuple(int(value) for value in getattr(self, name))
            object.__setattr__(self, name, values)
            if not values or min(values) < 1 or list(values) != sorted(set(values)):
                raise ValueError(f"{name} are {list(values)}; expected rising whole numbers of 1 or more")
        if self.seeds < 1 or self.hard_starts < 1:
            raise ValueError(f"seeds is {self.seeds}, hard_starts {self.hard_starts}; expected 1 or more of each")


@dataclass(frozen=True, eq=False)
class Grid:
    """Spearman's rho in every cell, NaN if it is not simulated yet.

    rho  (2, D, N, K, seeds): kinds in the order of `WHOLE_KINDS`, dimensions, items, classes, seeds
    """

    config: GridConfig
    rho: np.ndarray = field(repr=False)

    __repr__ = shapes

    def __post_init__(self) -> None:
        hold(self, "rho", np.asarray(self.rho, dtype=np.float64))

    def mean(self, kind: WholeKind, d: int) -> np.ndarray:
        """Mean rho over seeds.  (N, K)"""
        return self.rho[WHOLE_KINDS.index(kind), self._plane(d)].mean(axis=-1)

    def at(self, kind: WholeKind, n: int, k: int, d: int) -> float:
        """Mean rho at any n and k within the grid, linear between its cells."""
        from scipy.interpolate import RegularGridInterpolator

        for name, value, axis in (("items", n, self.config.items), ("classes", k, self.config.classes)):
            if not axis[0] <= value <= axis[-1]:
                raise Refusal(
                    f"{name} is {value}; the grid has {axis[0]} to {axis[-1]}",
                    ways=[
                        Way("judge labels by their information ratio"),
                        PythonWay("simulate this cell with plan.simulation.simulate_recovery"),
                    ],
                )
        between = RegularGridInterpolator((self.config.items, self.config.classes), self.mean(kind, d))
        return float(between([[n, k]])[0])

    def _plane(self, d: int) -> int:
        if d not in self.config.dimensions:
            sizes = ", ".join(map(str, self.config.dimensions))
            raise Refusal(f"{{d}}: the grid has the dimensions {sizes}", d=d)
        return self.config.dimensions.index(d)


def simulate_grid(path: Path | str, config: GridConfig, *, workers: int | None = None, quiet: bool = False) -> Grid:
    """Simulate all cells of the grid and save them as they are done; rerun to resume.

    Every cell has its own random stream, from its seed, n, k and d. More seeds, other sizes or dimensions reuse the
    cells in the file. Kernels release Python's lock, so threads use all cores.

    path  a JSON file, replaced as a whole
    """
    from threadpoolctl import threadpool_limits

    place = Path(path)
    cells = _read_cells(place, config)
    wanted = [
        (seed, kind, d, n, k)
        for seed in range(config.seeds)
        for d in config.dimensions
        for kind in WHOLE_KINDS
        for n in config.items
        for k in config.classes
    ]
    missing = [cell for cell in wanted if _key(*cell) not in cells]
    saved = time.monotonic()
    # One thread of linear algebra in each worker: matrices are small.
    with (
        threadpool_limits(1),
        ThreadPoolExecutor(workers or os.cpu_count()) as pool,
        ProgressBar("cells", len(wanted), quiet=quiet) as bar,
    ):
        bar.show(len(wanted) - len(missing))
        # Large cells first, so that a small one finishes last; seed by seed, so that an interrupted run has maps.
        missing.sort(key=lambda cell: (cell[0], -cell[3] * cell[4] * (cell[3] + cell[4])))
        running: dict[Future[float], str] = {pool.submit(_cell, config, *cell): _key(*cell) for cell in missing}
        try:
            for done in as_completed(running):
                cells[running[done]] = round(done.result(), 5)
                bar.advance()
                if time.monotonic() - saved > SAVE_SECONDS:
                    _write_cells(place, config, cells)
                    saved = time.monotonic()
        finally:
            pool.shutdown(wait=False, cancel_futures=True)
            if missing:
                _write_cells(place, config, cells)
    return _as_grid(config, cells)


def cell_scene(config: GridConfig, seed: int, n: int, k: int, d: int) -> Scene:
    """Draw the points of a cell."""
    scene_rng, _ = np.random.default_rng([seed, n, k, d]).spawn(2)
    return simulate_scene(n, k, d, scene_rng, spread=config.spread)


def load_grid(path: Path | str, config: GridConfig) -> Grid:
    """Load the cells of a grid that a file has so far."""
    place = Path(path)
    if not place.is_file():
        raise FileNotFoundError(f"{place}: no such grid; simulate it first")
    return _as_grid(config, _read_cells(place, config))


def figure_1_grid() -> Grid:
    """Load the grid of Sucholutsky 2023, figure 1, simulated by this package and shipped with it."""
    record = json.loads(files("dissensus.plan").joinpath("figure_1_grid.json").read_text())
    config = GridConfig(**record["config"])
    shape = (len(WHOLE_KINDS), len(config.dimensions), len(config.items), len(config.classes), config.seeds)
    return Grid(config, np.array(record["rho"], dtype=np.float64).reshape(shape))


def grid_record(grid: Grid) -> str:
    """Write a grid as the JSON text that `figure_1_grid` reads."""
    if np.isnan(grid.rho).any():
        raise ValueError(f"{int(np.isnan(grid.rho).sum())} of {grid.rho.size} cells are missing")
    return json.dumps({"config": asdict(grid.config), "rho": [round(v, 3) for v in grid.rho.ravel().tolist()]}) + "\n"


def _cell(config: GridConfig, seed: int, kind: WholeKind, d: int, n: int, k: int) -> float:
    rng = np.random.default_rng([seed, n, k, d])
    starts = config.hard_starts if kind == "hard" else 1
    return simulate_recovery(kind, n, k, d, rng, starts=starts, spread=config.spread)


def _key(seed: int, kind: str, d: int, n: int, k: int) -> str:
    return f"{kind} d={d} n={n} k={k} seed={seed}"


def _settings(config: GridConfig) -> dict[str, Any]:
    """The settings that decide the number of a cell, besides its key."""
    return {
        "spread": config.spread,
        "hard_starts": config.hard_starts,
        "trace_weight": TRACE_WEIGHT,
        "widths": list(WIDTHS),
        "tolerance": TOLERANCE,
    }


def _read_cells(place: Path, config: GridConfig) -> dict[str, float]:
    if not place.is_file():
        return {}
    record = json.loads(place.read_text())
    if record.get("settings") != _settings(config):
        raise Refusal(
            f"its cells were simulated with {record.get('settings')}; expected {_settings(config)}",
            str(place),
            [Way("use another file"), Way("use the same settings")],
        )
    return dict(record["cells"])


def _write_cells(place: Path, config: GridConfig, cells: dict[str, float]) -> None:
    place.parent.mkdir(parents=True, exist_ok=True)
    unfinished = place.with_name(f".{place.name}.{os.getpid()}")
    unfinished.write_text(json.dumps({"settings": _settings(config), "cells": cells}))
    unfinished.replace(place)


def _as_grid(config: GridConfig, cells: dict[str, float]) -> Grid:
    def values(axis: Sequence[Any], *chosen: Any) -> list[Any]:
        return [cells.get(_key(seed, *chosen), float("nan")) for seed in axis]

    rho = [
        [
            [[values(range(config.seeds), kind, d, n, k) for k in config.classes] for n in config.items]
            for d in config.dimensions
        ]
        for kind in WHOLE_KINDS
    ]
    return Grid(config, np.array(rho))
