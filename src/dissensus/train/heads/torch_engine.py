"""Heads as one stack of matrices in PyTorch: every step moves all of them, on any device."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import torch
from torch.optim.adam import adam

from dissensus.train.heads.branches import Branch, Finished, Layers, Start
from dissensus.train.heads.config import Layer, draw_kept_units, epoch_order
from dissensus.train.heads.examples import Examples

INVERSE_SQRT_2PI = 0.3989422804014327


class TorchEngine:
    """Trains all heads of the same shape and batch size in lockstep.

    Gradients are written out, since autograd over a stack of hundreds of small heads costs more than they do; where all
    heads see the same rows, the first layers of all of them are one matrix.
    """

    def __init__(self, device: str) -> None:
        self.device = torch.device(device)

    def __call__(
        self, branches: list[Branch], start: Start, training: Examples, validation: Examples | None
    ) -> Iterator[Finished]:
        stacks: dict[tuple[Any, ...], list[Branch]] = {}
        for branch in branches:
            config = branch.config
            shape = (config.kind, config.batch) + ((config.hidden, config.dropout) if config.kind == "mlp" else ())
            stacks.setdefault(shape, []).append(branch)
        for stack in stacks.values():
            yield from self._train_stack(stack, start, training, validation)

    @torch.no_grad()
    def _train_stack(
        self, branches: list[Branch], start: Start, training: Examples, validation: Examples | None
    ) -> Iterator[Finished]:
        branches = _by_settings(branches)
        stack = _Stack.of([start(branch) for branch in branches], self.device)
        rows = torch.tensor(training.features, device=self.device)
        held_out = None if validation is None else _Validation(validation, self.device)
        epoch = 0
        while branches:
            _one_epoch(stack, branches, training, rows, epoch)
            losses = [None] * len(branches) if held_out is None else held_out.losses(stack, branches)
            going: list[tuple[int, Branch]] = []
            for row, (branch, loss) in enumerate(zip(branches, losses, strict=True)):
                ended, parted = branch.after(loss, partial(stack.layers, row))
                yield from ended
                going += [(row, after) for after in parted]
            going.sort(key=lambda pair: _settings(pair[1]))
            kept = [row for row, _ in going]
            if kept != list(range(len(branches))):
                stack = stack.select_rows(kept)
            branches = [branch for _, branch in going]
            epoch += 1


class _Stack:
    """Weights (h, out, in) and biases (h, 1, out) of h heads, layer by layer, with their gradients and moments."""

    def __init__(self, parameters: list[torch.Tensor], means: list[torch.Tensor], squares: list[torch.Tensor]) -> None:
        self.parameters, self.means, self.squares = parameters, means, squares
        self.gradients = [torch.zeros_like(part) for part in parameters]
        self.steps = 0
        self._groups: list[tuple[Branch, list[list[torch.Tensor]]]] = []

    @classmethod
    def of(cls, heads: list[Layers], device: torch.device) -> _Stack:
        parameters = []
        for layers in zip(*heads, strict=True):
            parameters.append(torch.tensor(np.stack([layer.weight for layer in layers]), device=device))
            parameters.append(torch.tensor(np.stack([layer.bias[None] for layer in layers]), device=device))
        return cls(parameters, *([torch.zeros_like(part) for part in parameters] for _ in range(2)))

    def select_rows(self, rows: list[int]) -> _Stack:
        """The heads of some rows, in this order; a row named twice is copied."""
        index = torch.tensor(rows, dtype=torch.int64, device=self.parameters[0].device)
        stack = _Stack(*([part[index] for part in parts] for parts in (self.parameters, self.means, self.squares)))
        stack.steps = self.steps
        return stack

    def layers(self, row: int) -> Layers:
        pairs = zip(self.parameters[::2], self.parameters[1::2], strict=True)
        return tuple(Layer(w[row].cpu().numpy().copy(), b[row, 0].cpu().numpy().copy()) for w, b in pairs)

    def group(self, branches: list[Branch]) -> None:
        """Make ready for an epoch: neighbours of the same learning rate and weight decay take Adam's step together."""
        self._groups = []
        first = 0
        for last in range(1, len(branches) + 1):
            if last < len(branches) and _settings(branches[last]) == _settings(branches[first]):
                continue
            kinds = (self.parameters, self.gradients, self.means, self.squares)
            parts = [[part[first:last] for part in kind] for kind in kinds]
            steps = [torch.tensor(float(self.steps), device=part.device) for part in self.parameters]
            self._groups.append((branches[first], [*parts, steps]))
            first = last

    def step(self) -> None:
        for branch, (parameters, gradients, means, squares, steps) in self._groups:
            adam(
                parameters,
                gradients,
                means,
                squares,
                [],
                steps,  # each counts one up
                foreach=False,
                fused=parameters[0].device.type in ("cpu", "cuda"),
                amsgrad=False,
                beta1=0.9,
                beta2=0.999,
                lr=branch.learning_rate,
                weight_decay=branch.config.weight_decay,
                eps=1e-8,
                maximize=False,
            )
        self.steps += 1


class _Validation:
    """The validation items, and their targets as probabilities, by name."""

    def __init__(self, examples: Examples, device: torch.device) -> None:
        self.features = torch.tensor(examples.features, device=device)
        self.targets = {
            name: _probabilities(examples.of_epoch(name, 0)[1], examples.k, device) for name in examples.deliveries
        }

    def losses(self, stack: _Stack, branches: list[Branch]) -> list[float]:
        """Mean cross-entropy of each head."""
        logits = _multiply(self.features, *stack.parameters[:2])  # (h, n, hidden or k)
        if len(stack.parameters) == 4:
            weight, bias = stack.parameters[2:]
            logits = torch.baddbmm(bias, torch.nn.functional.gelu(logits), weight.transpose(1, 2))
        log_probs = torch.log_softmax(logits, dim=2)
        wanted = torch.stack([self.targets[branch.config.targets] for branch in branches])
        return [float(loss) for loss in -(log_probs * wanted).sum(dim=2, dtype=torch.float64).mean(dim=1)]


def _one_epoch(stack: _Stack, branches: list[Branch], training: Examples, unmixed: torch.Tensor, epoch: int) -> None:
    """Every step of one epoch; the items of all heads in a step are selected by one index each."""
    device, config = unmixed.device, branches[0].config
    names = sorted({branch.config.targets for branch in branches})
    seeds = sorted({branch.config.seed for branch in branches})
    fed = [training.of_epoch(name, epoch) for name in names]
    alike = all(features is training.features for features, _ in fed)
    features = unmixed[None] if alike else torch.tensor(np.stack([rows for rows, _ in fed]), device=device)  # (f, n, d)
    wanted = torch.stack([_probabilities(targets, training.k, device) for _, targets in fed])  # (names, n, k)
    orders = np.stack([epoch_order(seed, epoch, training.n) for seed in seeds])  # (seeds, n)
    name = torch.tensor([names.index(branch.config.targets) for branch in branches], device=device)
    seed = torch.tensor([seeds.index(branch.config.seed) for branch in branches], device=device)
    order = torch.from_numpy(orders).to(device)[seed]  # (h, n)
    weights = torch.from_numpy(training.weights).to(device)
    scales = None
    if config.kind == "mlp" and config.dropout > 0:
        kept = [draw_kept_units(replace(config, seed=s), epoch, row) for s, row in zip(seeds, orders, strict=True)]
        scales = torch.from_numpy(np.stack(kept)).to(device) / (1 - config.dropout)  # (seeds, n, hidden)
    stack.group(branches)
    for first in range(0, training.n, config.batch):
        batch = order[:, first : first + config.batch]  # (h, b)
        _gradients(
            stack,
            features[0][batch[0] if len(seeds) == 1 else batch] if alike else features[name[:, None], batch],
            wanted[name[:, None], batch],
            weights[batch] / batch.shape[1],
            None if scales is None else scales[:, first : first + config.batch][seed],
        )
        stack.step()


def _gradients(
    stack: _Stack, rows: torch.Tensor, targets: torch.Tensor, loss_weights: torch.Tensor, kept: torch.Tensor | None
) -> None:
    """The gradient of each head's loss.

    rows: (b, d) where all heads see the same, or (h, b, d); targets: (h, b, k); kept: (h, b, hidden) dropout scales
    """
    weights, biases = stack.parameters[::2], stack.parameters[1::2]
    inputs = logits = inner = _multiply(rows, weights[0], biases[0])
    if len(weights) == 2:
        below = torch.special.ndtr(inner)
        inputs = inner * below
        slope = below.addcmul_(inner, torch.exp(inner.square().mul_(-0.5)), value=INVERSE_SQRT_2PI)
        if kept is not None:
            inputs, slope = inputs * kept, slope * kept
        logits = torch.baddbmm(biases[1], inputs, weights[1].transpose(1, 2))
    error = (torch.softmax(logits, dim=2) - targets).mul_(loss_weights.unsqueeze(2))  # (h, b, k)
    if len(weights) == 2:
        torch.bmm(error.transpose(1, 2), inputs, out=stack.gradients[2])
        torch.sum(error, dim=1, keepdim=True, out=stack.gradients[3])
        error = torch.bmm(error, weights[1]).mul_(slope)  # (h, b, hidden)
    if rows.ndim == 2:
        flat = error.transpose(0, 1).reshape(rows.shape[0], -1)  # (b, h * out)
        torch.mm(flat.T, rows, out=stack.gradients[0].view(-1, rows.shape[1]))
    else:
        torch.bmm(error.transpose(1, 2), rows, out=stack.gradients[0])
    torch.sum(error, dim=1, keepdim=True, out=stack.gradients[1])


def _multiply(rows: torch.Tensor, weight: torch.Tensor, bias: torch.Tensor) -> torch.Tensor:
    """The first layer of every head: one product where all see the same rows.  -> (h, b, out)"""
    if rows.ndim == 3:
        return torch.baddbmm(bias, rows, weight.transpose(1, 2))
    h, out, d = weight.shape
    return torch.addmm(bias.reshape(-1), rows, weight.view(-1, d).T).view(-1, h, out).transpose(0, 1)


def _probabilities(targets: np.ndarray, k: int, device: torch.device) -> torch.Tensor:
    given = torch.from_numpy(targets).to(device)
    return torch.nn.functional.one_hot(given, k).float() if given.ndim == 1 else given


def _settings(branch: Branch) -> tuple[float, float]:
    return branch.learning_rate, branch.config.weight_decay


def _by_settings(branches: list[Branch]) -> list[Branch]:
    return sorted(branches, key=_settings)
