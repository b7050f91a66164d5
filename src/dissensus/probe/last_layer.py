"""Inputs of the last linear layer of a module, over batches of any inputs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sized
from typing import Any

import numpy as np
import torch
from torch import nn

from dissensus.labels.progress import Progress
from dissensus.probe.inputs import place_on_device, still
from dissensus.train.loss import soft_cross_entropy
from dissensus.train.network import Network, last_linear


def last_layer_inputs(
    model: nn.Module | Network, batches: Iterable[tuple[torch.Tensor, torch.Tensor]], progress: Progress | None = None
) -> tuple[np.ndarray, np.ndarray]:
    """Return the features behind the logits of a model, with their targets, of all items.

    For a Network and images, `network.features(images)` gives the same; this takes any module and any inputs.

    batches: (inputs, targets), targets (b,) classes or (b, k) probabilities -> (n, d) features, (n, k) targets
    """
    parts = [(features, targets) for features, targets, _ in layer_batches(model, batches, progress)]
    return np.concatenate([features for features, _ in parts]), np.concatenate([targets for _, targets in parts])


def layer_batches(
    model: nn.Module | Network, batches: Iterable[tuple[torch.Tensor, torch.Tensor]], progress: Progress | None = None
) -> Iterator[tuple[np.ndarray, np.ndarray, bool]]:
    """For each batch: features (b, d), targets (b, k), and whether the layer has a bias."""
    with still(model) as module:
        layer = last_linear(module)
        total = len(batches) if isinstance(batches, Sized) else 0
        done = 0
        for inputs, targets in batches:
            if not isinstance(inputs, torch.Tensor) or not isinstance(targets, torch.Tensor):
                raise ValueError(
                    f"batch {done} is a {type(inputs).__name__} and a {type(targets).__name__}; expected two tensors, "
                    "inputs and targets, such as `image_batches` gives"
                )
            features, logits = _call(module, layer, inputs)
            soft_cross_entropy(logits, targets.to(logits.device))  # refuses what is neither classes nor probabilities
            rows = nn.functional.one_hot(targets.long(), logits.shape[1]) if targets.ndim == 1 else targets
            yield _numbers(features, done), rows.double().cpu().numpy(), layer.bias is not None
            done += 1
            if progress is not None:
                progress(done, total)
        if not done:
            raise ValueError("no batches given; a generator can be iterated only once: pass a list of batches")


def _call(module: nn.Module, layer: nn.Linear, inputs: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    calls: list[tuple[torch.Tensor, torch.Tensor]] = []

    def note(_: nn.Module, given: Any, output: torch.Tensor) -> None:
        calls.append((given[0], output.clone()))  # what comes behind may work in place

    watch = layer.register_forward_hook(note)
    try:
        with torch.no_grad():
            logits = module(place_on_device(module, inputs))
    finally:
        watch.remove()
    if len(calls) != 1 or calls[0][0].ndim != 2 or len(calls[0][0]) != len(inputs):
        raise ValueError(
            f"the last nn.Linear of this {type(module).__name__} is called {len(calls)} times for a batch, and not "
            "once with one row for each item; expected a last nn.Linear that makes the logits"
        )
    features, output = calls[0]
    if not isinstance(logits, torch.Tensor) or logits.shape != output.shape or not _equal(logits, output):
        raise ValueError(
            f"the last nn.Linear of this {type(module).__name__} does not make its logits: what the module gives is "
            "not what that layer gives; expected a last nn.Linear with nothing behind it, and registered last"
        )
    return features, logits


def _equal(logits: torch.Tensor, output: torch.Tensor) -> bool:
    return torch.allclose(logits, output.to(logits.dtype), rtol=0, atol=0, equal_nan=True)


def _numbers(features: torch.Tensor, batch: int) -> np.ndarray:
    rows = features.double().cpu().numpy()
    bad = np.flatnonzero(~np.isfinite(rows).all(axis=1))
    if bad.size:
        raise ValueError(
            f"the features of item {bad[0]} of batch {batch} are not finite; {bad.size} of {len(rows)} items have "
            "such: are the inputs and the weights finite?"
        )
    return rows
