"""Trained heads in files: safetensors with a readable card inside and beside, never a pickle."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np

from dissensus.files.whole_files import whole_or_not, write_text
from dissensus.train.heads.cards import HEAD, card_of, check_card_place
from dissensus.train.heads.config import Layer
from dissensus.train.heads.head import Head


def save_head(head: Head, path: Path) -> None:
    """Write x.safetensors, with the card in its header and again beside it as x.safetensors.json for readers."""
    from safetensors.numpy import save

    check_model_place(path)
    card = json.dumps({"format": HEAD, "classes": list(head.classes), **head.card}, indent=1, ensure_ascii=False)
    tensors: dict[str, np.ndarray] = {}
    for place, (weight, bias) in enumerate(head.layers):
        tensors |= {f"layer{place}.weight": weight, f"layer{place}.bias": bias}
    content = save(tensors, metadata={"card": card})
    whole_or_not(path, lambda out: _write(out, content))
    write_text(card + "\n", card_of(path))


def check_model_place(path: Path) -> None:
    """Refuse a place where the model or its card cannot be written, before it is trained in vain."""
    if path.suffix != ".safetensors":
        raise ValueError(f"{path}: models are written as .safetensors; choose a name with this ending")
    if not path.parent.is_dir():
        raise ValueError(f"{path}: the folder {path.parent} does not exist; make it first")
    check_card_place(path, HEAD)


def load_head(path: Path) -> Head:
    """A head that `save_head` wrote; the card inside the file counts, not the copy beside it."""
    from safetensors import SafetensorError, safe_open

    if not path.is_file():
        raise ValueError(f"{path}: {'is a folder, not a file' if path.is_dir() else 'no such file'}")
    try:
        with safe_open(path, framework="numpy") as content:
            metadata = content.metadata() or {}
            tensors = {name: content.get_tensor(name) for name in content.keys()}  # noqa: SIM118 (no mapping)
    except (SafetensorError, OSError) as problem:
        raise ValueError(f"{path}: not a readable safetensors file, or cut short ({problem})") from None
    try:
        card = json.loads(metadata["card"])
        classes = card.pop("classes")
        if card.pop("format") != HEAD:
            raise KeyError("format")
        layers = tuple(
            Layer(tensors[f"layer{place}.weight"], tensors[f"layer{place}.bias"]) for place in range(len(tensors) // 2)
        )
    except (KeyError, ValueError, TypeError) as problem:
        raise ValueError(f"{path}: not a head of dissensus ({problem!r}); expected a file of `dissensus fit`") from None
    return Head(layers, tuple(classes), card)


def _write(out: Any, content: bytes) -> None:
    out.write(content)
