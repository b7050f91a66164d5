"""Heads in files: safetensors with a card, never a pickle."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from dissensus.train.cards import HEAD
from dissensus.train.heads.config import Layer
from dissensus.train.heads.head import Head
from dissensus.train.model_files import read_model, write_model, wrong_content


def save_head(head: Head, path: str | Path) -> None:
    """Write a head to x.safetensors, with its card in the header and in x.safetensors.json for readers.

    Parameters
    ----------
    head : the head to write
    path : file to write, with the ending .safetensors

    Returns
    -------
    None

    Examples
    --------
    >>> save_head(Head([(np.eye(2), np.zeros(2))], ("cat", "dog")), "head.safetensors")
    >>> load_head("head.safetensors").classes
    ('cat', 'dog')
    """
    from safetensors.numpy import save

    tensors: dict[str, np.ndarray] = {}
    for place, (weight, bias) in enumerate(head.layers):
        tensors |= {f"layer{place}.weight": weight, f"layer{place}.bias": bias}
    card = {"format": HEAD, "classes": list(head.classes), **head.card}
    write_model(Path(path), card, lambda metadata: save(tensors, metadata=metadata))


def load_head(path: str | Path) -> Head:
    """Load a head that `save_head` wrote, with the card inside the file, not its copy.

    Parameters
    ----------
    path : file to read

    Returns
    -------
    Head

    Examples
    --------
    >>> save_head(Head([(np.eye(2), np.zeros(2))], ("cat", "dog")), "head.safetensors")
    >>> load_head("head.safetensors")
    <Head: 2 features, linear, 2 classes>
    """
    path = Path(path)
    card, tensors = read_model(path, HEAD, "numpy")
    try:
        classes = tuple(card.pop("classes"))
        layers = tuple(
            Layer(tensors[f"layer{place}.weight"], tensors[f"layer{place}.bias"]) for place in range(len(tensors) // 2)
        )
    except (KeyError, TypeError) as problem:
        raise wrong_content(path, HEAD, repr(problem)) from None
    return Head(layers, classes, card)
