"""The trace of the Hessian of the loss: the sum of its curvatures in all directions."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import torch
from torch import nn

from dissensus.probe.convolutions import FastSecondDerivatives
from dissensus.probe.estimate_bar import EstimateBar
from dissensus.probe.hessian import MEMORY, Batches, Hessian, hessian_of, summed_loss, tensors_of
from dissensus.probe.multilinear import not_linear_in_each
from dissensus.train.network import Network

METHODS = ("fisher", "grouped", "hutchinson")
_GROUP = 25  # items with random numbers of their own: fewer make less noise and take longer; measured on `small`


@dataclass(frozen=True)
class Trace:
    """The trace of a Hessian.

    value      the estimate
    error      its standard error, over the random draws
    draws      how many there were of the random numbers of each item
    method     "fisher", "grouped" or "hutchinson"
    why        why this method was taken
    converged  whether the error is within the tolerance
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
    """The trace of the Hessian of the mean soft cross-entropy by the weights; it stops at tolerance * |value|.

    hutchinson  mean of v' H v over vectors v of random signs, one for all items: as in Gheibi 2026 and PyHessian
    grouped     the same with a vector of its own for each group of 25 items, whose Hessians add up:

                    tr H = sum_g E[v_g' H_g v_g],   variance = sum_g 2 |off-diagonal of H_g|^2

                so that what differs between items is no longer multiplied. Always valid
    fisher      where the logits are linear, piece by piece, in each single tensor of weights, as they are in ReLU
                networks, they have no second derivative by the same weight, and

                    tr H = sum_i sum_c q_c |d ln q_c / d weights|^2 = E sum_g |d(u_g . logits_g) / d weights|^2,
                    u = sqrt(q) s - q (sqrt(q) . s),   s random signs, for each item anew

                which takes first derivatives alone. It does not depend on the targets, and neither does the trace.

    auto takes fisher where the graph of the logits shows that it is valid, and grouped where not.

    tolerance  standard error to reach, as a share of the value
    draws      at most; what is not within the tolerance by then says so in `converged`
    """
    if method != "auto" and method not in METHODS:
        raise ValueError(f"method is {method!r}; expected 'auto' or one of {', '.join(METHODS)}")
    if not tolerance > 0:
        raise ValueError(f"tolerance is {tolerance}; expected a number above 0, such as 0.01")
    if draws < 2:
        raise ValueError(f"draws is {draws}; expected 2 or more, for the error is that between draws")
    with hessian_of(model, batches, memory) as hessian, EstimateBar("trace", draws, quiet) as bar:
        chosen, why = _choose(hessian, method)
        sums = _Sums(hessian.items)
        for done in range(1, draws + 1):
            sums.add(list(_QUADRATIC_FORMS[chosen](hessian, rng)))
            bar.show(done, sums.mean, sums.error if done > 1 else None)
            # The error is itself estimated: of few sums, only after some draws.
            if done >= 2 and (done - 1) * sums.groups >= 10 and sums.error <= tolerance * abs(sums.mean):
                break
    converged = sums.error <= tolerance * abs(sums.mean)
    return Trace(sums.mean, sums.error, done, chosen, why, converged, hessian.loss, hessian.items)


def _choose(hessian: Hessian, method: str) -> tuple[str, str]:
    if method in ("grouped", "hutchinson"):
        return method, "asked for"
    inputs, _ = next(tensors_of(hessian.module, hessian.batches))
    with torch.enable_grad():
        problem = not_linear_in_each(hessian.module(inputs[:1]))
    if problem is None:
        return "fisher", "the logits are linear in each tensor of weights, piece by piece"
    if method == "fisher":
        raise ValueError(
            "method is 'fisher', which needs logits that are linear, piece by piece, in each tensor of weights, and "
            f"{problem}: 'auto' or 'grouped' take any module"
        )
    return "grouped", problem


def _hutchinson(hessian: Hessian, rng: np.random.Generator) -> Iterator[float]:
    vector = hessian.draw(rng, signs=True)
    yield float(vector.double() @ hessian.product(vector).double()) * hessian.items


def _grouped(hessian: Hessian, rng: np.random.Generator) -> Iterator[float]:
    for inputs, targets in _groups(hessian):
        with torch.enable_grad():
            loss = summed_loss(hessian.module, inputs, targets)
            gradient = torch.autograd.grad(
                loss, hessian.weights, create_graph=True, allow_unused=True, materialize_grads=True
            )
            signs = [part.view(weight.shape) for part, weight in
                     zip(hessian.draw(rng, signs=True).split(hessian.sizes), hessian.weights, strict=True)]  # fmt: skip
            pairs = [(g, v) for g, v in zip(gradient, signs, strict=True) if g.requires_grad]
            products = torch.autograd.grad(
                [g for g, _ in pairs], hessian.weights, [v for _, v in pairs], allow_unused=True,
                materialize_grads=True,
            ) if pairs else []  # fmt: skip
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
    "fisher": _fisher, "grouped": _grouped, "hutchinson": _hutchinson,
}  # fmt: skip


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
