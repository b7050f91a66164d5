"""Small pictures on which a small crowd disagrees, and a network small enough for tests."""

from __future__ import annotations

import numpy as np
import torch
from torch import nn

from dissensus import Distributions
from dissensus.train import ImageTable

CLASSES = ("red", "green", "blue")


def blobs(n=60, side=8, votes=6, noise=60, seed=0):
    """Noise in which one colour is brighter; people say which, and the less it is, the less they agree."""
    rng = np.random.default_rng(seed)
    colour, strength = rng.integers(0, 3, n), rng.uniform(0, 1, n)
    pixels = rng.normal(100, noise, (n, side, side, 3))
    pixels[np.arange(n), :, :, colour] += 100 * strength[:, None, None]
    probs = np.full((n, 3), 0.0)
    probs[np.arange(n), colour] = strength
    probs += ((1 - strength) / 3)[:, None]
    items = [f"p{row}" for row in range(n)]
    shares = Distributions.from_counts(rng.multinomial(votes, probs), items=items, classes=CLASSES)
    return ImageTable(np.clip(pixels, 0, 255).astype(np.uint8), items), shares


def tiny(norm=True, zero=False):
    """Two layers with batch norm and dropout."""
    layers = [
        nn.Conv2d(3, 6, 3, padding=1),
        nn.BatchNorm2d(6) if norm else nn.Identity(),
        nn.ReLU(),
        nn.AdaptiveAvgPool2d(2),
        nn.Flatten(),
        nn.Dropout(0.2),
        nn.Linear(24, 3),
    ]
    module = nn.Sequential(*layers)
    if zero:
        with torch.no_grad():
            for weight in module.parameters():
                weight.zero_()
    return module


def have_same_weights(first, second):
    """Whether two networks have the same weights and statistics, bit for bit."""
    weights = second.module.state_dict()
    return all(torch.equal(value, weights[name]) for name, value in first.module.state_dict().items())
