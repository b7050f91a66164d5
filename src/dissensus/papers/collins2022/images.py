"""The CIFAR-10 images that networks learn from, smaller where the scale says so."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from dissensus.datasets.contents import item_contents
from dissensus.train.images import ImageTable

SIDE = 32


@lru_cache(maxsize=1)
def images(side: int) -> ImageTable:
    """All test images as squares of that side, each pixel the mean of those it stands for."""
    contents = item_contents("cifar10-test")
    assert contents.pixels is not None
    return ImageTable(shrink_images(contents.pixels, side), contents.names)


def shrink_images(pixels: np.ndarray, side: int) -> np.ndarray:
    """Means over squares of pixels.  (n, h, h, c) uint8 -> (n, side, side, c) uint8"""
    n, height, _, channels = pixels.shape
    if height % side:
        raise ValueError(f"images of {height} pixels cannot be divided into {side}; expected a divisor of {height}")
    step = height // side
    squares = pixels.reshape(n, side, step, side, step, channels)
    return np.round(squares.mean(axis=(2, 4))).astype(np.uint8)
