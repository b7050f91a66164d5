"""The trace of the Hessian of the loss: the sum of its curvatures in all directions."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import torch
from torch import nn
from torch.nn.modules.batchnorm import _BatchNorm

from dissensus.labels.progress import ProgressBar
from dissensus.labels.refusals import one_of
from dissensus.labels.streams import check_generator
from dissensus.probe.convolutions import FastSecondDerivatives
from dissensus.probe.hessian import (
    MEMORY,
    Hessian,
    differ,
    format_estimate,
    hessian_of,
    loss_value,
    sum_loss,
)
from dissensus.probe.inputs import Batches, tensors_of
from dissensus.probe.multilinear import not_linear_in_each
from dissensus.train.network import Network

METHODS = ("fisher", "grouped", "hutchinson")
_GROUP = 25  # items with random numbers of their own: fewer make less noise and take longer; measured on `small`
_EVERY = 1_500  # items times classes up to which going through every one of them is faster than drawing
# Least number of draws, since the error is itself estimated from their differences. Squares of first derivatives are
# skewed: of those that stopped after 10, 85% were within 1.96 errors, after 50 it is 92 to 94%.
_LEAST = {"fisher": 50, "grouped": 10, "hutchinson": 10}


@dataclass(frozen=True)
class Trace:
    """The trace of a Hessian.

    value      the estimate
    error      its standard error, over the random draws; 0 where nothing had to be drawn
    draws      how many there were of the random numbers of each item
    method     "fisher", "grouped" or "hutchinson"
    why        why this method was taken
    converged  whether the error is within the tolerance, and based on enough draws to be reliable
    loss       mean cross-entropy of the items
    items      how many there are
    """

    value: float
    error: float
    draws: int
    method: str
    why: str
    converged: bool
    loss: float
    items: int

    def as_json(self) -> dict[str, Any]:
        return vars(self).copy()


def trace(
    model: nn.Module | Network,
    batches: Batches,
    rng: np.random.Generator,
    *,
    method: Literal["auto", "fisher", "grouped", "hutchinson"] = "auto",
    tolerance: float = 0.01,
    draws: int = 1000,
    memory: int = MEMORY,
    quiet: bool = False,
) -> Trace:
    """Estimate the trace of the Hessian of the mean soft cross-entropy by the weights.

        hutchinson  mean of v' H v over vectors v of random signs, one for all items: as in Gheibi 2026 and PyHessian
        grouped     the same with a vector of its own for each group of 25 items, whose Hessians add up:

                        tr H = sum_g E[v_g' H_g v_g],   variance = sum_g 2 |off-diagonal of H_g|^2

                    so that differences between items are not multiplied. Valid if no item of a batch changes the logits
                    of another
        fisher      if the logits are piecewise linear in each single tensor of weights, as in ReLU networks, they have
                    no second derivative by the same weight, and

                        tr H = sum_i sum_c q_c |d ln q_c / d weights|^2 = E sum_g |d(u_g . logits_g) / d weights|^2,
                        u = sqrt(q) s - q (sqrt(q) . s),   s random signs, for each item anew

                    which needs first derivatives alone and does not depend on the targets. With few items the first sum
                    is computed as it is, and is exact

    Method "auto" is fisher if the graph of the logits shows that it is valid, else grouped; it is hutchinson if items
    depend on their batch, as with batch norm that keeps no statistics.

    Parameters
    ----------
    model, batches, memory, quiet : as for `top_eigenvalues`
    rng : draws the vectors
    method : "auto", "fisher", "grouped" or "hutchinson"
    tolerance : standard error to reach, as a share of the value
    draws : maximum number of draws; `converged` is False if the tolerance is not reached by then

    Returns
    -------
    Trace, with value and error

    Examples
    --------
    >>> import torch
    >>> model = torch.nn.Linear(2, 2)
    >>> batches = [(torch.tensor([[1.0, 0.0], [0.0, 1.0]]), torch.tensor([[0.5, 0.5], [0.0, 1.0]]))]
    >>> trace(model, batches, np.random.default_rng(0), quiet=True).value > 0
    True
    """
    one_of("method", method, ("auto", *METHODS))
    check_generator(rng)
    if not tolerance > 0:
        raise ValueError(f"tolerance is {tolerance}; expected a number above 0, such as 0.01")
    if draws < 2:
        raise ValueError(f"draws is {draws}; expected 2 or more, for the error is that between draws")
    with hessian_of(model, batches, memory) as hessian, ProgressBar("trace", draws, quiet=quiet) as bar:
        chosen, why, classes = _choose(hessian, method)
        if chosen == "fisher" and hessian.items * classes <= _EVERY:
            return Trace(_every_class(hessian, bar), 0.0, 0, chosen, why, True, hessian.loss, hessian.items)
        sums = _Sums(hessian.items)
        for done in range(1, draws + 1):
            sums.add(list(_QUADRATIC_FORMS[chosen](hessian, rng)))
            bar.show(done, now=format_estimate(sums.mean, sums.error if done > 1 else None))
            converged = (done - 1) * sums.groups >= _LEAST[chosen] and sums.error <= tolerance * abs(sums.mean)
            if converged:
                break
    return Trace(sums.mean, sums.error, done, chosen, why, converged, hessian.loss, hessian.items)


def _choose(hessian: Hessian, method: str) -> tuple[str, str, int]:
    """The method, why, and how many classes there are, where that matters."""
    if method == "hutchinson":
        return method, "asked for", 0
    inputs, targets = next(tensors_of(hessian.module, hessian.batches))
    if _mixes_items(hessian.module, inputs, targets):
        if method != "auto":
            raise ValueError(
                f"method is {method!r}, which takes a batch {_GROUP} items at a time, and here the loss of an item "
                "depends on the others of its batch: 'auto' or 'hutchinson' take any module"
            )
        return "hutchinson", "the loss of an item depends on the others of its batch", 0
    if method == "grouped":
        return method, "asked for", 0
    with torch.enable_grad():
        logits = hessian.module(inputs[:1])
    problem = not_linear_in_each(logits)
    if problem is None:
        return "fisher", "the logits are linear in each tensor of weights, piece by piece", logits.shape[1]
    if method == "fisher":
        raise ValueError(
            "method is 'fisher', which needs logits that are linear, piece by piece, in each tensor of weights, and "
            f"{problem}: 'auto' or 'grouped' take any module"
        )
    return "grouped", problem, 0


def _every_class(hessian: Hessian, bar: ProgressBar) -> float:
    """The mean over items of sum_c q_c |d ln q_c / d weights|^2."""
    total, done = 0.0, 0
    for inputs, _ in tensors_of(hessian.module, hessian.batches):
        for item in inputs.split(1):
            with torch.enable_grad(), FastSecondDerivatives():
                logits = hessian.module(item)
            chance = logits.detach().softmax(dim=1)  # (1, k)
            steps = torch.eye(chance.shape[1]).to(chance) - chance  # row c: d ln q_c / d logits
            for share, step in zip(chance[0].tolist(), steps, strict=True):
                gradient = torch.autograd.grad(
                    logits, hessian.weights, step[None], retain_graph=True, allow_unused=True, materialize_grads=True
                )
                total += share * sum(float(part.square().sum(dtype=torch.float64)) for part in gradient)
            done += 1
            bar.show(done, hessian.items)
    return total / hessian.items


def _mixes_items(module: nn.Module, inputs: torch.Tensor, targets: torch.Tensor) -> bool:
    """Whether a batch has another loss than its groups have together."""
    if any(isinstance(part, _BatchNorm) and part.running_mean is None for part in module.modules()):
        return True
    if len(inputs) != len(targets):  # items along another dimension, as recurrent layers take them by default
        return True
    if len(targets) <= _GROUP:
        return False
    groups = zip(inputs.split(_GROUP), targets.split(_GROUP), strict=True)
    apart = sum(loss_value(module, *group) for group in groups)
    rounding = 4 * torch.finfo(next(module.parameters()).dtype).eps  # the relevant difference in half precision
    return differ(apart, loss_value(module, inputs, targets), rounding)


def _hutchinson(hessian: Hessian, rng: np.random.Generator) -> Iterator[float]:
    vector = hessian.draw(rng, signs=True)
    yield float(vector.double() @ hessian.product(vector).double()) * hessian.items


def _group_batches(hessian: Hessian, rng: np.random.Generator) -> Iterator[float]:
    for inputs, targets in _groups(hessian):
        with torch.enable_grad():
            loss = sum_loss(hessian.module, inputs, targets)
            gradient = torch.autograd.grad(
                loss, hessian.weights, create_graph=True, allow_unused=True, materialize_grads=True
            )
            signs = [
                part.view(weight.shape)
                for part, weight in zip(
                    hessian.draw(rng, signs=True).split(hessian.sizes), hessian.weights, strict=True
                )
            ]
            pairs = [(g, v) for g, v in zip(gradient, signs, strict=True) if g.requires_grad]
            products = (
                torch.autograd.grad(
                    [g for g, _ in pairs],
                    hessian.weights,
                    [v for _, v in pairs],
                    allow_unused=True,
                    materialize_grads=True,
                )
                if pairs
                else []
            )
        yield sum(float((v * h).sum(dtype=torch.float64)) for v, h in zip(signs, products, strict=False))


def _fisher(hessian: Hessian, rng: np.random.Generator) -> Iterator[float]:
    for inputs, _ in _groups(hessian):
        with torch.enable_grad(), FastSecondDerivatives():
            logits = hessian.module(inputs)
        chance = logits.detach().softmax(dim=1)
        signed = chance.sqrt() * torch.from_numpy(rng.choice([-1.0, 1.0], tuple(chance.shape))).to(chance)
        along = signed - chance * signed.sum(dim=1, keepdim=True)
        gradient = torch.autograd.grad(logits, hessian.weights, along, allow_unused=True, materialize_grads=True)
        yield sum(float(part.square().sum(dtype=torch.float64)) for part in gradient)


_QUADRATIC_FORMS: dict[str, Callable[[Hessian, np.random.Generator], Iterator[float]]] = {
    "fisher": _fisher,
    "grouped": _group_batches,
    "hutchinson": _hutchinson,
}


def _groups(hessian: Hessian) -> Iterator[tuple[torch.Tensor, torch.Tensor]]:
    for inputs, targets in tensors_of(hessian.module, hessian.batches):
        yield from zip(inputs.split(_GROUP), targets.split(_GROUP), strict=True)


class _Sums:
    """Mean over draws of sums over groups, and its standard error from how each group's numbers differ."""

    def __init__(self, items: int) -> None:
        self.items, self.draws = items, 0

    def add(self, numbers: list[float]) -> None:
        """The numbers of one draw, one for each group (Welford's running mean and sum of squares)."""
        values = np.array(numbers) / self.items
        if self.draws == 0:
            self.means, self.squares, self.groups = np.zeros(values.size), np.zeros(values.size), values.size
        self.draws += 1
        before = values - self.means
        self.means = self.means + before / self.draws
        self.squares = self.squares + before * (values - self.means)

    @property
    def mean(self) -> float:
        return float(self.means.sum())

    @property
    def error(self) -> float:
        if self.draws < 2:
            return float("inf")
        return float(np.sqrt(self.squares.sum() / (self.draws - 1) / self.draws))
