"""The contents of items for encoders: texts, pairs of texts, or images."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from dissensus.datasets.catalogue import images, load, lookup
from dissensus.datasets.simulated_digits import ambiguous_digits
from dissensus.labels.display import shapes
from dissensus.labels.refusals import Refusal

_TEST_IMAGES = ("cifar10h", "cifar10s")  # their items are images of the CIFAR-10 test set, named by position
_TRAIN_IMAGES = ("cifar10n",)


class NoContentsError(Refusal):
    """The data set has labels, but neither texts nor images."""


@dataclass(frozen=True)
class ItemContents:
    """Names and contents of items; either texts or pixels are given.

    names   n names
    texts   n texts, or the first of each pair
    second  the second text of each pair, or None
    pixels  (n, h, w, 3) uint8
    """

    names: list[Any]
    texts: list[str] | None = None
    second: list[str] | None = None
    pixels: np.ndarray | None = None

    __repr__ = shapes


def item_contents(name: str, *, quiet: bool = True) -> ItemContents:
    """Load the texts or images that the labels of a data set are about, or the images of a set of images.

    quiet  show no progress bar
    """
    dataset = lookup(name)
    if dataset.kind == "images":
        family, _, split = name.rpartition("-")
        pixels = images(family, split, quiet=quiet).pixels
        return ItemContents(list(range(len(pixels))), pixels=pixels)
    if dataset.kind != "labels":
        raise Refusal(f"the data set contains {dataset.kind}; expected items with texts or images", name)
    table = load(name).items
    names = table["item"].to_pylist()
    if name == "digits":
        return ItemContents(names, pixels=ambiguous_digits().pixels)
    for families, split in ((_TEST_IMAGES, "test"), (_TRAIN_IMAGES, "train")):
        if name.startswith(families):
            return ItemContents(names, pixels=images("cifar10", split, quiet=quiet).pixels[names])
    if {"premise", "hypothesis"} <= set(table.column_names):
        return ItemContents(names, table["premise"].to_pylist(), table["hypothesis"].to_pylist())
    if "text" not in table.column_names:
        columns = ", ".join(table.column_names)
        raise NoContentsError(f"the data set has neither texts nor images; its columns are {columns}", name)
    return ItemContents(names, table["text"].to_pylist())
