"""Standardised features, and heads that take the original ones."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from dissensus.train.heads.config import Layer


def scales(values: np.ndarray, standardise: bool) -> tuple[np.ndarray, np.ndarray]:
    """Mean and deviation of each feature; 0 and 1 if features stay unchanged.  (n, d) -> (d,), (d,) float32"""
    if not standardise:
        return np.zeros(values.shape[1], np.float32), np.ones(values.shape[1], np.float32)
    middle, spread = values.mean(axis=0, dtype=np.float64), values.std(axis=0, dtype=np.float64)
    return middle.astype(np.float32), np.where(spread > 0, spread, 1.0).astype(np.float32)


def undo_scaling(layers: Sequence[Layer], shift: np.ndarray, scale: np.ndarray) -> tuple[Layer, ...]:
    """Layers that take features as they are, from layers that take (features - shift) / scale."""
    weight, bias = layers[0]
    first = weight / scale
    return Layer(first, bias - (first @ shift).astype(bias.dtype)), *layers[1:]
