"""Simulated recovery as the estimate of rho, where a grid of simulations is at hand."""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from dissensus.plan.grid import Grid
from dissensus.plan.tradeoff import Estimate, Kind, by_information


def by_simulation(grid: Grid, d: int) -> Estimate:
    """Spearman's rho of simulated items in d dimensions instead of the information ratio, for `Preferences`.

        rho(kind) = rho(hard) + [rho(soft) - rho(hard)] [IR(kind) - IR(hard)] / [IR(soft) - IR(hard)]

    Hard and soft labels are read off the grid, linear between its cells; labels between them in fullness are put
    between them in proportion to their information ratio, which is a guess. Below 0 counts as 0. Only for n and k
    within the grid, and not for pairwise similarities, which it does not hold.
    """

    def estimate(kind: Kind, n: ArrayLike, k: ArrayLike, k_hat: ArrayLike = 1) -> np.ndarray:
        if kind == "pairwise":
            raise ValueError("the grid has no pairwise similarities; estimate them by their information ratio")
        hard, soft = _rho(grid, "hard", n, k, d), _rho(grid, "soft", n, k, d)
        least, most = by_information("hard", n, k), by_information("soft", n, k)
        further = by_information(kind, n, k, k_hat) - least
        place = np.divide(further, most - least, out=np.zeros_like(further), where=most > least)
        return np.asarray(hard + (soft - hard) * place)

    return estimate


def _rho(grid: Grid, kind: Literal["hard", "soft"], n: ArrayLike, k: ArrayLike, d: int) -> np.ndarray:
    items, classes = np.broadcast_arrays(np.asarray(n), np.asarray(k))
    found = [grid.at(kind, int(i), int(c), d) for i, c in zip(items.flat, classes.flat, strict=True)]
    return np.maximum(np.array(found), 0.0).reshape(items.shape)
