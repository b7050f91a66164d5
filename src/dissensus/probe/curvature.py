"""Curvature of the loss: the largest eigenvalues of the Hessian, and the density of all of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import torch
from torch import nn

from dissensus.labels.display import shapes
from dissensus.labels.progress import ProgressBar
from dissensus.labels.refusals import Refusal, Way, one_of
from dissensus.labels.streams import check_generator
from dissensus.probe.hessian import MEMORY, Hessian, format_estimate, hessian_of
from dissensus.probe.inputs import Batches
from dissensus.probe.lanczos import lanczos
from dissensus.train.network import Network

Which = Literal["LA", "LM", "SA"]
_NOISE = 1e-3  # of the largest eigenvalue: with more noise than this, no digit is reliable
_ORDER = {"LA": lambda values: -values, "LM": lambda values: -np.abs(values), "SA": lambda values: values}


@dataclass(frozen=True, eq=False)
class Eigenvalues:
    """Some eigenvalues of a Hessian.

    value      (k,) the first is the one most asked for
    error      (k,) there is an eigenvalue within this of each: |H x - value x| of its vector x, and rounding
    vectors    (k, weights) of norm 1, in the order of the module's weights
    products   Hessian-vector products that it took
    converged  whether every error is within the tolerance, or as small as rounding
               allows, which does not count in half precision
    loss       mean cross-entropy of the items
    items      number of items
    """

    value: np.ndarray
    error: np.ndarray
    vectors: torch.Tensor
    products: int
    converged: bool
    loss: float
    items: int

    __repr__ = shapes

    def as_json(self) -> dict[str, Any]:
        return {
            "value": self.value.tolist(),
            "error": self.error.tolist(),
            "products": self.products,
            "converged": self.converged,
            "loss": self.loss,
            "items": self.items,
        }


@dataclass(frozen=True, eq=False)
class Density:
    """The density of the eigenvalues of a Hessian.

    at        (points,) eigenvalues
    value     (points,) share of all eigenvalues per unit, smoothed with a normal curve of deviation `width`
    error     (points,) its standard error over the random vectors
    nodes     (draws, steps) Ritz values, and
    weights   (draws, steps) the share of the spectrum that each stands for
    """

    at: np.ndarray
    value: np.ndarray
    error: np.ndarray
    nodes: np.ndarray
    weights: np.ndarray
    width: float
    products: int

    __repr__ = shapes


def top_eigenvalues(
    model: nn.Module | Network,
    batches: Batches,
    k: int,
    rng: np.random.Generator,
    *,
    method: Literal["lanczos", "power"] = "lanczos",
    which: Which = "LA",
    tolerance: float = 1e-3,
    steps: int = 200,
    memory: int = MEMORY,
    quiet: bool = False,
) -> Eigenvalues:
    """Compute the k largest eigenvalues of the Hessian of the mean soft cross-entropy by the weights.

    Lanczos' method stops when each error is within tolerance * |value|. It mostly needs fewer products than power
    iteration, which Gheibi 2026 (sec. 4.1) uses. Power iteration goes by magnitude, stops when a value changes by less
    than the tolerance, and deflates to find the next value. Equal eigenvalues may be listed only once.

    Parameters
    ----------
    model : a Network, or a module that takes the inputs and returns logits
    batches : the same (inputs, targets) in every pass; targets (b,) classes or (b, k) probabilities
    k : number of eigenvalues
    rng : draws the first vector
    method : "lanczos" or "power"
    which : "LA" largest, "LM" largest magnitude, "SA" smallest, as SciPy and hessian-eigenthings name them
    tolerance : relative error to reach
    steps : maximum number of products; `converged` is False if the tolerance is not reached by then
    memory : bytes of graphs to keep between products
    quiet : show no progress bar

    Returns
    -------
    Eigenvalues, with value and error (k,)

    Examples
    --------
    >>> import torch
    >>> model = torch.nn.Linear(2, 2)
    >>> batches = [(torch.tensor([[1.0, 0.0], [0.0, 1.0]]), torch.tensor([[0.5, 0.5], [0.0, 1.0]]))]
    >>> top_eigenvalues(model, batches, 1, np.random.default_rng(0), quiet=True).value.shape
    (1,)
    """
    one_of("end of the spectrum", which, _ORDER)
    one_of("method", method, ("lanczos", "power"))
    if method == "power" and which != "LM":
        which = _only_magnitude(which)
    check_generator(rng)
    if not tolerance > 0:
        raise ValueError(f"tolerance is {tolerance}; expected a number above 0, such as 0.001")
    with hessian_of(model, batches, memory) as hessian, ProgressBar("largest eigenvalue", steps, quiet=quiet) as bar:
        if not 1 <= k <= min(hessian.size, steps):
            raise ValueError(
                f"k is {k}; expected 1 or more eigenvalues, at most {hessian.size:,} (weights) and {steps} (steps)"
            )
        find = _by_lanczos if method == "lanczos" else _by_power
        return find(hessian, k, rng, which, tolerance, steps, bar)


def _only_magnitude(which: Which) -> Which:
    if which == "SA":
        raise Refusal(
            "power iteration finds the largest magnitude, not the smallest eigenvalues",
            ways=[Way("choose {method}", method="lanczos")],
        )
    return "LM"


def _by_lanczos(
    hessian: Hessian, k: int, rng: np.random.Generator, which: Which, tolerance: float, steps: int, bar: ProgressBar
) -> Eigenvalues:
    for krylov in lanczos(hessian.product, hessian.draw(rng), steps, rng):
        first = np.argsort(_ORDER[which](krylov.ritz), kind="stable")[:k]
        value, error = krylov.ritz[first], krylov.errors[first]
        bar.show(hessian.products, now=format_estimate(value[0], error[0]))
        # Rounding errors remain, however many products there are. It is within the tolerance of the
        # largest eigenvalue, except in half precision.
        floor = 2 * krylov.noise if krylov.noise <= max(tolerance, _NOISE) * np.abs(krylov.ritz).max() else 0.0
        fine = len(first) == k and bool((error <= np.maximum(tolerance * np.abs(value), floor)).all())
        if fine:
            break
    return Eigenvalues(value, error, krylov.vectors(first), hessian.products, fine, hessian.loss, hessian.items)


def _by_power(
    hessian: Hessian, k: int, rng: np.random.Generator, which: Which, tolerance: float, steps: int, bar: ProgressBar
) -> Eigenvalues:
    found = hessian.draw(rng).new_empty((0, hessian.size))
    values: list[float] = []
    residuals: list[float] = []
    converged = True
    for _ in range(k):
        vector, value = hessian.draw(rng), np.inf
        vector -= (found @ vector) @ found
        vector /= vector.norm()
        for step in range(steps):
            whole = hessian.product(vector)
            after = whole - (found @ whole) @ found
            before, value = value, float(after @ vector)
            residual = float((whole - value * vector).norm())
            bar.show(step + 1, now=format_estimate(value, residual))
            done = abs(value - before) <= tolerance * abs(value) or not after.any()
            if done:
                break
            vector = after / after.norm()
        converged &= done
        values.append(value)
        residuals.append(residual)
        found = torch.cat([found, vector[None]])
    return Eigenvalues(
        np.array(values), np.array(residuals), found, hessian.products, converged, hessian.loss, hessian.items
    )


def spectral_density(
    model: nn.Module | Network,
    batches: Batches,
    rng: np.random.Generator,
    *,
    draws: int = 4,
    steps: int = 40,
    points: int = 400,
    width: float | None = None,
    memory: int = MEMORY,
    quiet: bool = False,
) -> Density:
    """Estimate the density of all eigenvalues of the Hessian by stochastic Lanczos quadrature.

        density(t) = mean over random vectors of sum_j weight_j N(t; ritz_j, width^2)

    with weight_j the squared first entry of a Ritz vector: exact for polynomials up to degree 2 steps - 1 of each
    vector, so the outer eigenvalues are sharp and the bulk near zero is a shape. Ghorbani, Krishnan and Xiao (2019), An
    investigation into neural net optimization via Hessian eigenvalue density; Yao et al. (2020), PyHessian.

    Parameters
    ----------
    model, batches, memory, quiet : as for `top_eigenvalues`
    rng : draws the vectors
    draws : random vectors, 2 or more, so that the density has a standard error
    steps : Lanczos steps per vector
    points : points at which the density is evaluated
    width : standard deviation of the curve for each eigenvalue; None: a hundredth of the range

    Returns
    -------
    Density, with at, value and error (points,)

    Examples
    --------
    >>> import torch
    >>> model = torch.nn.Linear(2, 2)
    >>> batches = [(torch.tensor([[1.0, 0.0], [0.0, 1.0]]), torch.tensor([[0.5, 0.5], [0.0, 1.0]]))]
    >>> spectral_density(model, batches, np.random.default_rng(0), draws=2, steps=3, points=5, quiet=True).at.shape
    (5,)
    """
    check_generator(rng)
    if draws < 2 or steps < 2 or points < 2:
        raise ValueError(f"draws is {draws}, steps {steps}, points {points}; expected 2 or more of each")
    if width is not None and not 0 < width < np.inf:
        raise ValueError(f"width is {width}; expected a number above 0, or None for a hundredth of the range")
    nodes, weights = [], []
    with hessian_of(model, batches, memory) as hessian, ProgressBar("spectrum", draws * steps, quiet=quiet) as bar:
        for _ in range(draws):
            for krylov in lanczos(hessian.product, hessian.draw(rng), steps, rng):
                bar.show(hessian.products, now=format_estimate(krylov.ritz[-1]))
            nodes.append(krylov.ritz)
            weights.append(krylov.shape[0] ** 2)
        products = hessian.products
    low, high = min(map(np.min, nodes)), max(map(np.max, nodes))
    width = float(max((high - low) / 100, 1e-12) if width is None else width)
    at = np.linspace(low - 4 * width, high + 4 * width, points)
    curves = np.stack(
        [
            np.exp(-0.5 * ((at[:, None] - node) / width) ** 2) @ weight
            for node, weight in zip(nodes, weights, strict=True)
        ]
    ) / (width * np.sqrt(2 * np.pi))
    error = curves.std(axis=0, ddof=1) / np.sqrt(draws)
    return Density(at, curves.mean(axis=0), error, np.stack(nodes), np.stack(weights), width, products)
