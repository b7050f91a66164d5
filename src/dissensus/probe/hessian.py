"""The Hessian of the mean cross-entropy by the weights of a module, as products with vectors."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from threading import RLock
from typing import Any

import numpy as np
import torch
from torch import nn
from torch.autograd.graph import saved_tensors_hooks
from torch.nn.attention import SDPBackend, sdpa_kernel

from dissensus.labels.refusals import PythonWay, Refusal
from dissensus.probe.convolutions import FastSecondDerivatives
from dissensus.probe.inputs import Batches, still, tensors_of
from dissensus.train.loss import soft_cross_entropy
from dissensus.train.memory import keep_freed_memory
from dissensus.train.network import Network

MEMORY = 2 << 30  # bytes of graphs that are kept from one product to the next
_SAME = 1e-4  # by which the loss of a batch may differ when it is computed again: accelerators add in any order
_attention = RLock()  # which attention torch takes is one setting for all threads


class Hessian:
    """H v = sum over items of the second derivatives of -sum_c p_c ln q_c by the weights, times v, divided by items.

    By reverse mode twice. The graph of the gradient of a batch is kept for further products while there is room; what
    is kept changes the time, not the numbers. Weights are those that require a gradient, in the order of the module.

    size   number of weights
    items  number of items
    loss   mean cross-entropy
    """

    def __init__(self, module: nn.Module, batches: Batches, memory: int = MEMORY) -> None:
        self.module, self.batches, self.room = module, batches, memory
        self.weights = [weight for weight in module.parameters() if weight.requires_grad]
        if not self.weights:
            raise ValueError("no weight of the module requires a gradient, so the loss does not depend on any")
        if any(weight.is_inference() for weight in self.weights):
            raise ValueError(
                "the weights of the model were made in torch.inference_mode, so torch gives no gradient by them: make "
                "or load the model outside of it"
            )
        self.sizes = [weight.numel() for weight in self.weights]
        self.size = sum(self.sizes)
        self.first = self.weights[0]
        self.items, self.loss = check_same(module, batches)
        self.products = 0
        self._kept: list[list[torch.Tensor]] = []
        self._all_kept = False
        self._bytes_per_item = 0  # of a graph; not known yet
        if self.first.device.type == "cpu":
            keep_freed_memory()

    def product(self, vector: torch.Tensor) -> torch.Tensor:
        """(size,) -> (size,)"""
        parts = [part.view(weight.shape) for part, weight in zip(vector.split(self.sizes), self.weights, strict=True)]
        total = torch.zeros_like(vector)
        for gradient, last_use in self._gradients():
            pairs = [(g, v) for g, v in zip(gradient, parts, strict=True) if g.requires_grad]
            if not pairs:  # a loss that is linear in the weights
                continue
            outputs, along = zip(*pairs, strict=True)
            products = torch.autograd.grad(
                outputs, self.weights, along, retain_graph=not last_use, allow_unused=True, materialize_grads=True
            )
            total += torch.cat([product.reshape(-1) for product in products])
        self.products += 1
        if not torch.isfinite(total).all():
            raise ValueError(
                "a second derivative of the loss is not a number or infinite, though the loss is finite: look for a "
                "step without one, such as the root of 0, or train in higher precision"
            )
        return total / self.items

    def draw(self, rng: np.random.Generator, signs: bool = False) -> torch.Tensor:
        """A random vector, of standard normal numbers or of signs.  (size,)"""
        numbers = rng.choice([-1.0, 1.0], self.size) if signs else rng.standard_normal(self.size)
        return torch.from_numpy(numbers).to(self.first)

    def _gradients(self) -> Iterator[tuple[list[torch.Tensor], bool]]:
        """The gradient of the summed loss of each batch with its graph, and whether it is not needed again."""
        for gradient in self._kept:
            yield gradient, False
        if self._all_kept:
            return
        for place, (inputs, targets) in enumerate(tensors_of(self.module, self.batches)):
            if place < len(self._kept):
                continue
            gradient = self._gradient(inputs, targets)
            taken = self._bytes_per_item * len(targets)
            keep = place == len(self._kept) and taken <= self.room
            yield gradient, not keep
            if keep:
                self._kept.append(gradient)
                self.room -= taken
        self._all_kept = len(self._kept) == place + 1

    def _gradient(self, inputs: Any, targets: Any) -> list[torch.Tensor]:
        """The gradient of the summed loss of a batch, with its graph; that of the first batch is weighed."""
        sizes: dict[int, int] = {}

        def count_memory(saved: torch.Tensor) -> torch.Tensor:
            memory = saved.untyped_storage()
            sizes[memory.data_ptr()] = memory.nbytes()
            return saved.detach()

        weighed = self._bytes_per_item > 0
        with torch.enable_grad(), nullcontext() if weighed else saved_tensors_hooks(count_memory, lambda saved: saved):
            loss = sum_loss(self.module, inputs, targets, fold=True)
            gradient = list(
                torch.autograd.grad(loss, self.weights, create_graph=True, allow_unused=True, materialize_grads=True)
            )
        if not weighed:
            self._bytes_per_item = max(1, -(-sum(sizes.values()) // len(targets)))
        return gradient


@contextmanager
def hessian_of(model: nn.Module | Network, batches: Batches, memory: int = MEMORY) -> Iterator[Hessian]:
    """The Hessian of a model that stays unchanged meanwhile; its graphs are freed afterwards.

    It is in the precision of the weights, also where the caller has asked for autocast.
    """
    with still(model) as module, torch.inference_mode(False), _no_autocast(module):
        hessian = Hessian(module, batches, memory)
        try:
            yield hessian
        finally:
            hessian._kept.clear()


def _no_autocast(module: nn.Module) -> AbstractContextManager[Any]:
    kinds = {weight.device.type for weight in module.parameters()}
    asked = [kind for kind in kinds if torch.amp.is_autocast_available(kind) and torch.is_autocast_enabled(kind)]
    return torch.autocast(asked[0], enabled=False) if asked else nullcontext()


def sum_loss(module: nn.Module, inputs: Any, targets: Any, fold: bool = False) -> torch.Tensor:
    """Sum over a batch of the cross-entropy to its targets, differentiable twice in little time."""
    with FastSecondDerivatives(fold), _attention, sdpa_kernel(SDPBackend.MATH):  # others have no second derivatives
        logits = module(inputs)
    return soft_cross_entropy(logits, targets, reduction="sum")


def check_same(module: nn.Module, batches: Batches) -> tuple[int, float]:
    """Refuse a loss that changes between passes; return the number of items and their mean loss.

    Everything is gone through twice, forwards only, which takes less than one product.
    """
    losses: list[float] = []
    items = 0
    for inputs, targets in tensors_of(module, batches):
        losses.append(loss_value(module, inputs, targets))
        items += len(targets)
        if not np.isfinite(losses[-1]):
            raise ValueError(
                f"the loss of batch {len(losses) - 1} is {losses[-1]}; expected a number: weights, inputs or targets "
                "are not all finite"
            )
    if not losses:
        raise ValueError("no batches given; expected one or more pairs (inputs, targets)")
    again = 0
    for place, (inputs, targets) in enumerate(tensors_of(module, batches)):
        again += 1
        if place >= len(losses):
            break
        loss = loss_value(module, inputs, targets)
        if not differ(loss, losses[place]):
            continue
        if differ(loss_value(module, inputs, targets), loss):
            raise Refusal(
                f"the loss of batch {place} differs each time it is computed ({losses[place]:.6g}, {loss:.6g}): the "
                "model draws at random, as dropout does; expected a function",
                ways=[PythonWay("call model.eval()"), PythonWay("switch the randomness off")],
            )
        raise ValueError(
            f"batch {place} differs in the second pass (its loss was {losses[place]:.6g}, "
            f"now {loss:.6g}): do not shuffle or augment, or pass a list of batches"
        )
    if again != len(losses):
        raise ValueError(
            f"the first pass had {len(losses)} batches, then {again if again < len(losses) else 'more'}; "
            "expected the same number in every pass: pass a list, not an iterator"
        )
    return items, sum(losses) / items


def loss_value(module: nn.Module, inputs: torch.Tensor, targets: torch.Tensor) -> float:
    """The summed loss of a batch."""
    with torch.no_grad():
        return float(sum_loss(module, inputs, targets))


def differ(loss: float, other: float, rounding: float = _SAME) -> bool:
    """Whether two losses differ by more than rounding."""
    return abs(loss - other) > max(_SAME, rounding) * max(abs(loss), abs(other))


def format_estimate(value: float, error: float | None = None) -> str:
    """Write an estimate and its error as they are now, for a progress bar."""
    return f"{value:.5g}" + (f" ± {error:.2g}" if error is not None else "")
