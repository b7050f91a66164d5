"""Heads as one stack of matrices in PyTorch: every step moves all of them, on any device."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np
import torch
from torch.optim.adam import adam

from dissensus.train.head_branches import Branch, Finished, Layers
from dissensus.train.head_config import Layer, epoch_order, kept_units
from dissensus.train.head_data import Examples

INVERSE_SQRT_2PI = 0.3989422804014327


class TorchEngine:
    """Trains all heads of the same shape and batch size in lockstep.

    Gradients are written out, since autograd over a stack of hundreds of small heads costs more than they do; they and
    Adam's moments lie in one row a head, so that the optimiser passes over them once.
    """

    def __init__(self, device: str) -> None:
        self.device = torch.device(device)

    def __call__(
        self,
        branches: list[Branch],
        start: Callable[[Branch], Layers],
        training: Examples,
        validation: Examples | None,
    ) -> Iterator[Finished]:
        stacks: dict[tuple[Any, ...], list[Branch]] = {}
        for branch in branches:
            config = branch.config
            shape = (config.kind, config.batch) + ((config.hidden, config.dropout) if config.kind == "mlp" else ())
            stacks.setdefault(shape, []).append(branch)
        with torch.no_grad():
            for stack in stacks.values():
                yield from self._trained(stack, start, training, validation)

    def _trained(
        self,
        branches: list[Branch],
        start: Callable[[Branch], Layers],
        training: Examples,
        validation: Examples | None,
    ) -> Iterator[Finished]:
        branches = _by_settings(branches)
        sizes = branches[0].config.sizes(training.features.shape[1], training.k)
        stack = _Stack.of([start(branch) for branch in branches], sizes, self.device)
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
            branches = [branch for _, branch in going]
            stack = stack.taken([row for row, _ in going])
            epoch += 1


class _Stack:
    """Weights, gradients and moments of h heads: (h, parameters) each, seen as matrices where they are multiplied."""

    def __init__(self, sizes: tuple[int, ...], rows: list[torch.Tensor], steps: int) -> None:
        self.sizes, self.steps = sizes, steps
        self.parameters, self.mean, self.square = rows
        self.gradient = torch.zeros_like(self.parameters)
        self.weights, self.biases = _views(self.parameters, sizes)
        self.weight_gradients, self.bias_gradients = _views(self.gradient, sizes)

    @classmethod
    def of(cls, heads: list[Layers], sizes: tuple[int, ...], device: torch.device) -> _Stack:
        flat = [np.concatenate([part for w, b in layers for part in (w.T.reshape(-1), b)]) for layers in heads]
        rows = torch.from_numpy(np.stack(flat)).to(device)
        return cls(sizes, [rows, torch.zeros_like(rows), torch.zeros_like(rows)], 0)

    def taken(self, rows: list[int]) -> _Stack:
        """The heads of some rows, in this order; a row named twice is copied."""
        if rows == list(range(self.parameters.shape[0])):
            return self
        index = torch.tensor(rows, dtype=torch.int64, device=self.parameters.device)
        return _Stack(self.sizes, [part[index] for part in (self.parameters, self.mean, self.square)], self.steps)

    def layers(self, row: int) -> Layers:
        pairs = zip(self.weights, self.biases, strict=True)
        return tuple(Layer(w[row].T.cpu().numpy().copy(), b[row, 0].cpu().numpy().copy()) for w, b in pairs)

    def step(self, branches: list[Branch]) -> None:
        """One step of Adam; neighbours with the same learning rate and weight decay go together."""
        first = 0
        for last in range(1, len(branches) + 1):
            if last < len(branches) and _settings(branches[last]) == _settings(branches[first]):
                continue
            rows = slice(first, last)
            adam(
                [self.parameters[rows]],
                [self.gradient[rows]],
                [self.mean[rows]],
                [self.square[rows]],
                [],
                [torch.tensor(float(self.steps), device=self.parameters.device)],
                foreach=False,
                fused=self.parameters.device.type in ("cpu", "cuda"),
                amsgrad=False,
                beta1=0.9,
                beta2=0.999,
                lr=branches[first].learning_rate,
                weight_decay=branches[first].config.weight_decay,
                eps=1e-8,
                maximize=False,
            )
            first = last
        self.steps += 1


class _Validation:
    """The items to stop by, and their targets as probabilities, by name."""

    def __init__(self, examples: Examples, device: torch.device) -> None:
        self.features = torch.tensor(examples.features, device=device)
        self.targets = {name: _probabilities(t, examples.k, device) for name, t in examples.targets.items()}

    def losses(self, stack: _Stack, branches: list[Branch]) -> list[float]:
        """Mean cross-entropy of each head."""
        rows = self.features.expand(len(branches), *self.features.shape)
        logits = torch.baddbmm(stack.biases[0], rows, stack.weights[0])  # (h, n, hidden or k)
        if len(stack.weights) == 2:
            logits = torch.baddbmm(stack.biases[1], torch.nn.functional.gelu(logits), stack.weights[1])
        log_probs = torch.log_softmax(logits, dim=2)
        wanted = torch.stack([self.targets[branch.config.targets] for branch in branches])
        return [float(loss) for loss in -(log_probs * wanted).sum(dim=2, dtype=torch.float64).mean(dim=1)]


def _one_epoch(stack: _Stack, branches: list[Branch], training: Examples, unmixed: torch.Tensor, epoch: int) -> None:
    """Every step of one epoch; what all heads take in a step is picked by one index each."""
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
        kept = [kept_units(replace(config, seed=s), epoch, row) for s, row in zip(seeds, orders, strict=True)]
        scales = torch.from_numpy(np.stack(kept)).to(device) / (1 - config.dropout)  # (seeds, n, hidden)
    for first in range(0, training.n, config.batch):
        batch = order[:, first : first + config.batch]  # (h, b)
        _gradients(
            stack,
            features[0][batch] if alike else features[name[:, None], batch],
            wanted[name[:, None], batch],
            weights[batch] / batch.shape[1],
            None if scales is None else scales[:, first : first + config.batch][seed],
        )
        stack.step(branches)


def _gradients(
    stack: _Stack, rows: torch.Tensor, targets: torch.Tensor, loss_weights: torch.Tensor, kept: torch.Tensor | None
) -> None:
    """The gradient of each head's loss.  rows: (h, b, d); targets: (h, b, k); kept: (h, b, hidden) dropout scales"""
    inner = torch.baddbmm(stack.biases[0], rows, stack.weights[0])
    inputs, logits = rows, inner
    if len(stack.weights) == 2:
        below = torch.special.ndtr(inner)
        inputs = inner * below
        slope = below.addcmul_(inner, torch.exp(inner.square().mul_(-0.5)), value=INVERSE_SQRT_2PI)
        if kept is not None:
            inputs, slope = inputs * kept, slope * kept
        logits = torch.baddbmm(stack.biases[1], inputs, stack.weights[1])
    error = (torch.softmax(logits, dim=2) - targets).mul_(loss_weights.unsqueeze(2))  # (h, b, k)
    torch.bmm(inputs.transpose(1, 2), error, out=stack.weight_gradients[-1])
    torch.sum(error, dim=1, keepdim=True, out=stack.bias_gradients[-1])
    if len(stack.weights) == 2:
        error = torch.bmm(error, stack.weights[1].transpose(1, 2)).mul_(slope)  # (h, b, hidden)
        torch.bmm(rows.transpose(1, 2), error, out=stack.weight_gradients[0])
        torch.sum(error, dim=1, keepdim=True, out=stack.bias_gradients[0])


def _views(flat: torch.Tensor, sizes: tuple[int, ...]) -> tuple[list[torch.Tensor], list[torch.Tensor]]:
    """Weights (h, in, out) and biases (h, 1, out) of each layer, as views of (h, parameters)."""
    weights, biases, at = [], [], 0
    for inputs, outputs in pairwise(sizes):
        weights.append(flat[:, at : at + inputs * outputs].view(-1, inputs, outputs))
        at += inputs * outputs
        biases.append(flat[:, None, at : at + outputs])
        at += outputs
    return weights, biases


def _probabilities(targets: np.ndarray, k: int, device: torch.device) -> torch.Tensor:
    given = torch.from_numpy(targets).to(device)
    return torch.nn.functional.one_hot(given, k).float() if given.ndim == 1 else given


def _settings(branch: Branch) -> tuple[float, float]:
    return branch.learning_rate, branch.config.weight_decay


def _by_settings(branches: list[Branch]) -> list[Branch]:
    return sorted(branches, key=_settings)
