"""Jackknife pseudo-values: runs for a statistic of a whole table, such as a correlation."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from scipy.stats import spearmanr


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
