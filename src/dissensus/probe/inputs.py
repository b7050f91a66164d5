"""Inputs of probes: a module that computes the same at every call, and batches of inputs and targets."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import chain
from typing import Any

import numpy as np
import torch
from torch import nn
from torch.nn.parameter import is_lazy
from torch.nn.utils.parametrizations import _SpectralNorm
from torch.nn.utils.spectral_norm import SpectralNorm

from dissensus.labels.display import shapes
from dissensus.labels.matching import check_same_order
from dissensus.labels.refusals import PythonWay, Refusal
from dissensus.labels.row_numbers import row_numbers
from dissensus.train.augment import Pictures
from dissensus.train.images import ImageTable, as_images
from dissensus.train.network import Network, check_channels, eval_mode
from dissensus.train.targets import as_delivery, target_rows

Batches = Iterable[tuple[Any, Any]]
BATCH = 250  # images at once; nothing but memory and speed depends on it
_DROPOUTS = (nn.modules.dropout._DropoutNd, nn.RReLU)


@contextmanager
def still(model: nn.Module | Network) -> Iterator[nn.Module]:
    """Return the module of a model so that it computes the same at every call; afterwards it is as before.

    A Network is in eval mode meanwhile. A module of your own must be in eval mode already: in train mode, dropout
    is random and batch norm depends on the other items of the batch, which may or may not be intended.
    """
    if isinstance(model, Network):
        with eval_mode(model.module):
            yield _not_compiled(model.module)
        return
    if not isinstance(model, nn.Module):
        raise ValueError(f"a {type(model).__name__} cannot be probed; expected a Network or a torch module")
    unmade = [name for name, weight in chain(model.named_parameters(), model.named_buffers()) if is_lazy(weight)]
    if unmade:
        raise ValueError(
            f"{unmade[0]} has no shape yet, for the module is lazy; {len(unmade)} such weights: call the module once "
            "on some inputs first"
        )
    moving = [(name, part) for name, part in model.named_modules() if part.training and _moves(part)]
    if moving:
        name, part = moving[0]
        raise Refusal(
            f"{type(part).__name__} ({name or 'the module itself'}) is in train mode, so the model is not the same "
            f"function each time it is called; {len(moving)} such layers",
            ways=[PythonWay("call model.eval() first")],
        )
    yield _not_compiled(model)


def _not_compiled(module: nn.Module) -> nn.Module:
    """Return the module before torch.compile, whose code calls no hooks and has no second derivatives."""
    inner = getattr(module, "_orig_mod", None)
    return inner if isinstance(inner, nn.Module) else module


def _moves(part: nn.Module) -> bool:
    """Whether a layer draws or learns from its batch when it is in train mode."""
    if isinstance(part, nn.modules.batchnorm._NormBase):
        return isinstance(part, nn.modules.batchnorm._BatchNorm) or part.track_running_stats
    if isinstance(part, nn.RNNBase | nn.MultiheadAttention):
        return part.dropout > 0
    if isinstance(part, _SpectralNorm) or any(isinstance(h, SpectralNorm) for h in part._forward_pre_hooks.values()):
        return True  # a step of power iteration each time
    return isinstance(part, _DROPOUTS) and getattr(part, "p", 1) > 0


def tensors_of(module: nn.Module, batches: Batches) -> Iterator[tuple[torch.Tensor, torch.Tensor]]:
    """Return inputs as `place_on_device` does, with their targets."""
    for place, pair in enumerate(batches):
        if not isinstance(pair, tuple | list) or len(pair) != 2:
            raise ValueError(
                f"batch {place} is a {type(pair).__name__}; expected a pair, (inputs, targets): image_batches makes "
                "such of images and labels"
            )
        inputs = place_on_device(module, pair[0])
        yield inputs, _tensor(pair[1]).to(inputs.device, copy=True)


def place_on_device(module: nn.Module, inputs: Any) -> torch.Tensor:
    """Copy inputs to the device and the precision of a module's weights; the module may change the copy."""
    given = _tensor(inputs)
    weight = next(module.parameters(), given)
    return given.to(weight.device, weight.dtype if given.is_floating_point() else given.dtype, copy=True)


def _tensor(part: Any) -> torch.Tensor:
    return part.detach() if isinstance(part, torch.Tensor) else torch.as_tensor(part)


def soft_targets(labels: Any, classes: tuple[str, ...] | int | None) -> np.ndarray:
    """Convert labels to one row of probabilities per item; one-hot rows for classes.  -> (n, k) float64"""
    return target_rows(as_delivery(labels, classes, "labels"))


@dataclass(frozen=True, eq=False)
class ImageBatches:
    """Normalised images with their targets: the same batches in every pass.

    network  whose normalisation is applied, and on whose device the batches are
    images   n of them
    targets  (n, k) probabilities
    batch    images at once
    """

    network: Network
    images: ImageTable
    targets: np.ndarray
    batch: int = BATCH

    __repr__ = shapes

    def __len__(self) -> int:
        """Return the number of batches."""
        return -(-len(self.images) // self.batch)

    def __iter__(self) -> Iterator[tuple[torch.Tensor, torch.Tensor]]:
        """Inputs (b, c, h, w) and targets (b, k), as floats."""
        device = self.network.device
        for start in range(0, len(self.images), self.batch):
            pixels = self.images.pixels[start : start + self.batch]
            pictures = Pictures(pixels, self.network.mean, self.network.std, device)
            targets = torch.tensor(self.targets[start : start + self.batch], dtype=torch.float32, device=device)
            yield pictures.batch(torch.arange(len(pixels), device=device)), targets


def image_batches(network: Network, images: Any, labels: Any, *, batch: int = BATCH) -> ImageBatches:
    """Make batches for any probe from images and labels of the same items, in the same order.

    Parameters
    ----------
    network : whose normalisation the batches have
    images : n, as `as_images` takes them
    labels : n, as `as_delivery` takes them, over the classes of the network
    batch : images at once

    Returns
    -------
    ImageBatches, which can be iterated again and again

    Examples
    --------
    >>> import torch
    >>> from dissensus.train import Network
    >>> module = torch.nn.Sequential(torch.nn.Flatten(), torch.nn.Linear(4, 2))
    >>> network = Network(module, ("cat", "dog"), (0.5,), (0.5,))
    >>> pixels = np.full((3, 2, 2, 1), 128, dtype=np.uint8)
    >>> len(image_batches(network, pixels, [[2, 1], [0, 3], [1, 1]], batch=2))
    2
    """
    table = as_images(images)
    check_channels(table, network.channels)
    targets = soft_targets(labels, network.classes)
    names = getattr(labels, "items", None)
    items = names if isinstance(names, np.ndarray) else row_numbers(len(targets))
    check_same_order(table.items, items, ("images", "labels"))
    if batch < 1:
        raise ValueError(f"batch is {batch}; expected the number of images to take at once, 1 or more")
    return ImageBatches(network, table, targets, batch)
