"""Lanczos' method for a symmetric matrix given by its products, with full reorthogonalisation."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
import torch

_ROOM = 16  # vectors at first
_ROUNDED = 256  # units in the last place of the largest eigenvalue


@dataclass(frozen=True)
class Krylov:
    """The Krylov space of some products with a matrix.

    basis   (m, size) orthonormal vectors
    ritz    (m,) eigenvalues of the matrix as seen within the basis, rising
    shape   (m, m) their vectors within the basis, one a column
    rest    norm of what the last product has outside the basis
    noise   what rounding may do to the values: as much as it puts where an exact symmetric product has zeros, and at
            least the deviation of single from double precision that was seen on trained networks
    """

    basis: torch.Tensor
    ritz: np.ndarray
    shape: np.ndarray
    rest: float
    noise: float

    @property
    def residuals(self) -> np.ndarray:
        """|H x - r x| of each Ritz pair.  (m,)"""
        return self.rest * np.abs(self.shape[-1])

    @property
    def errors(self) -> np.ndarray:
        """Within this of each Ritz value there is an eigenvalue: the residual, and rounding.  (m,)

        The value itself is mostly much nearer, by residual / gap; but the gap to the next eigenvalue is not known as
        long as two that are close look like one.
        """
        return self.residuals + self.noise

    def vectors(self, which: np.ndarray) -> torch.Tensor:
        """Ritz vectors, of norm 1.  (w,) places -> (w, size)"""
        return torch.from_numpy(self.shape[:, which].T.copy()).to(self.basis) @ self.basis


def lanczos(
    product: Callable[[torch.Tensor], torch.Tensor], start: torch.Tensor, steps: int, rng: np.random.Generator
) -> Iterator[Krylov]:
    """Yield the Krylov space after each of at most `steps` products; stop early if the basis spans the whole space.

    Every new vector is made orthogonal to all others, twice: otherwise converged eigenvalues appear again (Parlett
    1980, The symmetric eigenvalue problem, ch. 13). Where a product stays inside the basis, a random vector continues
    it.
    """
    size = start.numel()
    most = min(steps, size)
    basis = start.new_empty((min(most, _ROOM), size))
    basis[0] = start / start.norm()
    diagonal: list[float] = []
    beside: list[float] = []
    noise = 0.0
    for m in range(1, most + 1):
        have = basis[:m]
        after = product(basis[m - 1])
        inside = have @ after
        diagonal.append(float(inside[-1]))
        if m > 2:
            noise = max(noise, float(inside[: m - 2].abs().max()))
        after = after - inside @ have
        after = after - (have @ after) @ have
        rest = float(after.norm())
        scale = float(inside.abs().max()) + rest
        if rest <= 10 * m * torch.finfo(start.dtype).eps * scale:
            rest = 0.0
        ritz, shape = np.linalg.eigh(np.diag(diagonal) + np.diag(beside, 1) + np.diag(beside, -1))
        rounding = _ROUNDED * torch.finfo(start.dtype).eps * float(np.abs(ritz).max())
        yield Krylov(have, ritz, shape, rest, max(noise, rounding))
        if m == most:
            return
        if m == len(basis):  # twice the room; all of it at once could be more than the memory there is
            basis = torch.cat([basis, basis.new_empty((min(m, most - m), size))])
        if rest == 0.0:
            after = torch.from_numpy(rng.standard_normal(size)).to(start)
            for _ in range(2):
                after = after - (have @ after) @ have
        basis[m] = after / after.norm()
        beside.append(rest)
