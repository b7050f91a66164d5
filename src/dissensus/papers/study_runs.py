"""Models of a study's cells, their scores by run, and differences of paired runs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from scipy.stats import spearmanr

from dissensus.evaluate.statistics import mean_interval
from dissensus.labels.intervals import Interval
from dissensus.study.description import StudyFolder
from dissensus.study.summary.cell_table import cell_rows
from dissensus.train.cards import HEAD
from dissensus.train.heads.model_files import load_head
from dissensus.train.model_files import model_kind

Runs = dict[str, float]


def runs_of(folder: StudyFolder, metric: str, *, by: Sequence[str] = ("seed",), **settings: Any) -> Runs:
    """Return a score of the cells with these settings, by run; cells of one run, such as folds, are averaged.

    by        what distinguishes runs: "seed", "fold", or settings such as "network"
    settings  of the arm, such as delivery="soft", votes=5; a list, tuple or set means any of its values
    """
    wanted = {
        key: value if isinstance(value, list | tuple | set | frozenset) else (value,) for key, value in settings.items()
    }
    together: dict[str, list[float]] = {}
    rows = cell_rows(folder)
    for key in (*wanted, *by, metric):
        if rows and key not in rows[0]:
            raise KeyError(f"cells have no {key!r}; they have {', '.join(rows[0])}")
    for row in rows:
        if row["status"] == "done" and all(row[key] in values for key, values in wanted.items()):
            run = " · ".join(f"{key} {row[key]}" for key in by)
            together.setdefault(run, []).append(np.nan if row[metric] is None else row[metric])
    if not together:
        raise KeyError(f"no cell has {settings}")
    return {run: float(np.mean(values)) for run, values in together.items()}


def load_model(path: Path) -> Any:
    if model_kind(path) == HEAD:
        return load_head(path)
    from dissensus.train.network_files import load_network  # torch is loaded where it is needed

    return load_network(path)


def gaps(first: Mapping[str, float], second: Mapping[str, float]) -> Runs:
    """Return first - second, run by run; both must have the same runs."""
    if set(first) != set(second):
        raise KeyError(f"runs differ: {', '.join(sorted(set(first) ^ set(second)))}")
    return {run: first[run] - second[run] for run in first}


def interval_of(runs: Mapping[str, float] | Iterable[float]) -> Interval:
    """Return the mean of the runs with Student's interval."""
    return mean_interval([float(value) for value in (runs.values() if isinstance(runs, Mapping) else runs)])


def pseudo_values(statistic: Callable[[np.ndarray], float], names: Sequence[str]) -> dict[str, float]:
    """Return m * theta - (m - 1) * theta without the group, for each group; `statistic` takes positions of groups.

    Their mean and Student's interval are the jackknife's. Tukey (1958), Bias and confidence in not quite large samples.
    """
    every = np.arange(len(names))
    whole = statistic(every)
    return {
        name: len(names) * whole - (len(names) - 1) * statistic(np.delete(every, place))
        for place, name in enumerate(names)
    }


def spearman(first: np.ndarray, second: np.ndarray, at: np.ndarray) -> float:
    """Rank correlation of the values at these positions; 0 if one of both is constant."""
    if np.ptp(first[at]) == 0 or np.ptp(second[at]) == 0:
        return 0.0
    return float(spearmanr(first[at], second[at])[0])
