"""Heads in files: safetensors with a card, never a pickle."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from dissensus.train.cards import HEAD
from dissensus.train.heads.config import Layer
from dissensus.train.heads.head import Head
from dissensus.train.model_files import read_model, write_model, wrong_content


def save_head(head: Head, path: Path) -> None:
    """Write x.safetensors, with the card in its header and in x.safetensors.json for readers."""
    from safetensors.numpy import save

    tensors: dict[str, np.ndarray] = {}
    for place, (weight, bias) in enumerate(head.layers):
        tensors |= {f"layer{place}.weight": weight, f"layer{place}.bias": bias}
    card = {"format": HEAD, "classes": list(head.classes), **head.card}
    write_model(path, card, lambda metadata: save(tensors, metadata=metadata))


def load_head(path: Path) -> Head:
    """Load a head that `save_head` wrote; the card inside the file counts, not the copy."""
    card, tensors = read_model(path, HEAD, "numpy")
    try:
        classes = tuple(card.pop("classes"))
        layers = tuple(
            Layer(tensors[f"layer{place}.weight"], tensors[f"layer{place}.bias"]) for place in range(len(tensors) // 2)
        )
    except (KeyError, TypeError) as problem:
        raise wrong_content(path, HEAD, repr(problem)) from None
    return Head(layers, classes, card)
