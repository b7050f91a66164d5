"""How well similarities are recovered from each kind of label: by its information ratio, or by simulation."""

from __future__ import annotations

from typing import Protocol

import numpy as np
from numpy.typing import ArrayLike

from dissensus.labels.refusals import one_of
from dissensus.plan.grid import Grid, figure_1_grid
from dissensus.plan.information import constraints_of, information_ratio
from dissensus.plan.label_kinds import LabelKind, WholeKind


class Estimate(Protocol):
    """How well similarities are recovered from labels of a kind, 0 to 1."""

    def __call__(self, kind: LabelKind, n: ArrayLike, k: ArrayLike, k_hat: ArrayLike) -> np.ndarray: ...


def by_information(kind: LabelKind, n: ArrayLike, k: ArrayLike, k_hat: ArrayLike = 1) -> np.ndarray:
    """The information ratio as the estimate of rho, 0 to 1."""
    return np.minimum(information_ratio(constraints_of(kind, n, k, k_hat), n, k), 1.0)


def by_simulation(grid: Grid, d: int) -> Estimate:
    """Build an estimate for `Preferences` from simulations in d dimensions, instead of the information ratio.

        rho(kind) = rho(hard) + [rho(soft) - rho(hard)] [IR(kind) - IR(hard)] / [IR(soft) - IR(hard)]

    Hard and soft labels are read off the grid, linear between its cells. Sparse and top-class labels are placed
    between them in proportion to their information ratio, which is an assumption. Negative rho counts as 0. Only for n
    and k within the grid, and not for pairwise similarities.
    """

    def estimate(kind: LabelKind, n: ArrayLike, k: ArrayLike, k_hat: ArrayLike = 1) -> np.ndarray:
        if kind == "pairwise":
            raise ValueError("the grid has no pairwise similarities; estimate them by their information ratio")
        hard, soft = _rho(grid, "hard", n, k, d), _rho(grid, "soft", n, k, d)
        least, most = by_information("hard", n, k), by_information("soft", n, k)
        further = by_information(kind, n, k, k_hat) - least
        place = np.divide(further, most - least, out=np.zeros_like(further), where=most > least)
        return np.asarray(hard + (soft - hard) * place)

    return estimate


def find_estimate(name: str, d: int) -> Estimate:
    """Find an estimate by name: `information`, or `simulation` in d dimensions from the grid in the package."""
    if one_of("estimate", name, ("information", "simulation")) == "information":
        return by_information
    return by_simulation(figure_1_grid(), d)


def _rho(grid: Grid, kind: WholeKind, n: ArrayLike, k: ArrayLike, d: int) -> np.ndarray:
    items, classes = np.broadcast_arrays(np.asarray(n), np.asarray(k))
    rho = [grid.at(kind, int(i), int(c), d) for i, c in zip(items.flat, classes.flat, strict=True)]
    return np.maximum(np.array(rho), 0.0).reshape(items.shape)
