"""What probes look into: a module that computes the same whenever it is called, and batches of inputs and targets."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import nn

from dissensus.labels.display import shapes
from dissensus.labels.row_numbers import are_named
from dissensus.train.augment import Pictures
from dissensus.train.images import ImageTable, as_images
from dissensus.train.network import Network, check_channels, evaluating
from dissensus.train.targets import as_delivery, target_rows

BATCH = 250  # images at once; nothing but memory and speed depends on it
_DROPOUTS = (nn.modules.dropout._DropoutNd, nn.RReLU)


@contextmanager
def still(model: nn.Module | Network) -> Iterator[nn.Module]:
    """The module of a model, which computes the same whenever it is called; afterwards it is as it was.

    A Network is in eval mode meanwhile. A module of your own has to be: in train mode, dropout draws and batch norm
    looks at the other items of the batch, and whether that is meant is for its owner to say.
    """
    if isinstance(model, Network):
        with evaluating(model.module):
            yield model.module
        return
    if not isinstance(model, nn.Module):
        raise ValueError(f"a {type(model).__name__} cannot be probed; expected a Network or a torch module")
    moving = [(name, part) for name, part in model.named_modules() if part.training and _moves(part)]
    if moving:
        name, part = moving[0]
        raise ValueError(
            f"{type(part).__name__} ({name or 'the module itself'}) is in train mode, so the model is not the same "
            f"function each time it is called; {len(moving)} such layers: call model.eval() first"
        )
    yield model


def _moves(part: nn.Module) -> bool:
    """Whether a layer draws or learns from its batch when it is in train mode."""
    if isinstance(part, nn.modules.batchnorm._NormBase):
        return isinstance(part, nn.modules.batchnorm._BatchNorm) or part.track_running_stats
    return isinstance(part, _DROPOUTS) and getattr(part, "p", 1) > 0


def soft_targets(labels: Any, classes: tuple[str, ...] | int | None) -> np.ndarray:
    """Labels of any kind as one row of probabilities for each item; one-hot rows for classes.  -> (n, k) float64"""
    return target_rows(as_delivery(labels, classes, "labels"))


@dataclass(frozen=True, eq=False)
class ImageBatches:
    """Images as a network takes them, with their targets: the same batches each time they are gone through.

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
        """How many batches there are."""
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
    """Images and labels of the same items, in the same order, as batches for any probe.

    images: n, as `as_images` takes them; labels: n, as `as_delivery` takes them, over the classes of the network
    """
    table = as_images(images)
    check_channels(table, network.channels)
    targets = soft_targets(labels, network.classes)
    if len(targets) != len(table):
        raise ValueError(
            f"there are {len(table)} images and {len(targets)} labels; expected as many, in the same order"
        )
    _check_names(table, labels)
    if batch < 1:
        raise ValueError(f"batch is {batch}; expected the number of images to take at once, 1 or more")
    return ImageBatches(network, table, targets, batch)


def _check_names(table: ImageTable, labels: Any) -> None:
    """Refuse images and labels that both have names, and not the same ones in the same order."""
    names = getattr(labels, "items", None)
    if not table.named or not isinstance(names, np.ndarray) or not are_named(names):
        return
    other = np.flatnonzero(table.items.astype(str) != names.astype(str))
    if other.size:
        place = int(other[0])
        raise ValueError(
            f"image {place} is {table.items[place]}, and label {place} is of {names[place]}; {other.size} of "
            f"{len(table)} differ: bring them into the same order first, as train.matching.match_items does"
        )
