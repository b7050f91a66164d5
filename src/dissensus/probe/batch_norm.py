"""Batch norm with changed weights: its mean and variance recomputed from data."""

from __future__ import annotations

from functools import partial
from typing import Any

import torch
from torch import nn
from torch.nn.modules.batchnorm import _BatchNorm

from dissensus.probe.inputs import Batches, place_on_device


def batch_norms(module: nn.Module) -> dict[str, _BatchNorm]:
    """The batch-norm layers that keep a running mean and variance, by name."""
    return {
        name: part
        for name, part in module.named_modules()
        if isinstance(part, _BatchNorm) and part.running_mean is not None
    }


def renew_statistics(module: nn.Module, batches: Batches) -> None:
    """Set the running means and variances of a module to those of a pass over data. It writes into the module.

        mean = sum_x x / N,   var = sum_x (x - mean)^2 / (N - 1)

    over all N values that reach a channel in the whole pass, whatever the sizes of the batches: exact for the first
    layer. Later layers see inputs that were normalised by the batch they are in, as in training, so batches should
    be large and mix the classes. With one batch this is PyTorch's running mean and (unbiased) variance at momentum 1.
    Every other layer, such as dropout, stays in the mode it is in.
    """
    norms = batch_norms(module)
    seen = {name: _Moments(name) for name in norms}
    modes = {name: norm.training for name, norm in norms.items()}
    watches = [norm.register_forward_pre_hook(partial(_watch, seen[name])) for name, norm in norms.items()]
    try:
        for norm in norms.values():
            norm.training = True
        with torch.no_grad():
            for inputs, _ in batches:
                module(place_on_device(module, inputs))
    finally:
        for watch in watches:
            watch.remove()
        for name, norm in norms.items():
            norm.training = modes[name]
    for name, norm in norms.items():
        seen[name].write(norm)


class _Moments:
    """Count, mean and sum of squared deviations of each channel, one batch added at a time (Chan et al. 1979)."""

    def __init__(self, name: str) -> None:
        self.name, self.count = name, 0
        self.mean = self.squares = torch.zeros((), device="cpu")  # whatever the default device is

    def add(self, values: torch.Tensor) -> None:
        count = values.numel() // values.shape[1]
        if count < 2:
            raise ValueError(
                f"batch norm {self.name} is given a single value of each channel by a batch of {values.shape[0]}, "
                "which has no variance: use batches of 2 items or more, or leave out the last one"
            )
        over = [0, *range(2, values.ndim)]
        variance, mean = (part.cpu().double() for part in torch.var_mean(values.float(), over, correction=0))  # (c,)
        total = self.count + count
        step = mean - self.mean
        self.squares = self.squares + variance * count + step**2 * (self.count * count / total)
        self.mean = self.mean + step * (count / total)
        self.count = total

    def write(self, norm: _BatchNorm) -> None:
        if self.count and norm.running_mean is not None and norm.running_var is not None:
            norm.running_mean.copy_(self.mean)
            norm.running_var.copy_(self.squares / (self.count - 1))


def _watch(moments: _Moments, _: nn.Module, inputs: tuple[Any, ...]) -> None:
    moments.add(inputs[0])
