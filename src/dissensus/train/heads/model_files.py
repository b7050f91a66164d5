"""Trained heads in files: safetensors with a readable card inside and beside, never a pickle."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from dissensus.files.whole_files import whole_or_not, write_text
from dissensus.labels.distributions import Distributions
from dissensus.train.heads.config import Layer
from dissensus.train.heads.features import FeatureTable
from dissensus.train.heads.logistic import log_softmax
from dissensus.train.heads.training import gelu

FORMAT = "dissensus head 1"


@dataclass(frozen=True, eq=False)
class Head:
    """A trained head: features in, one distribution over the classes out.

        logits = W x + b,   or   W2 GELU(W1 x + b1) + b2 with GELU(z) = z (1 + erf(z / sqrt(2))) / 2

    layers   one for a linear head, two for an MLP
    classes  k names
    card     what a reader should know: what it was trained on, how, and how well it did
    """

    layers: tuple[Layer, ...]
    classes: tuple[str, ...]
    card: dict[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for place, (weight, bias) in enumerate(self.layers):
            wide = self.layers[place + 1].weight.shape[1] if place + 1 < len(self.layers) else len(self.classes)
            if weight.ndim != 2 or bias.shape != weight.shape[:1] or weight.shape[0] != wide:
                raise ValueError(
                    f"layer {place} has weights of shape {weight.shape} and {bias.size} biases; expected {wide} outputs"
                )
            if not (np.isfinite(weight).all() and np.isfinite(bias).all()):
                raise ValueError(
                    f"layer {place} holds numbers that are not finite; train again with a lower learning rate"
                )

    @property
    def n_features(self) -> int:
        return int(self.layers[0].weight.shape[1])

    def probs(self, values: np.ndarray) -> np.ndarray:
        """Probabilities of the classes.  (n, d) -> (n, k), rows sum to 1"""
        if values.ndim != 2 or values.shape[1] != self.n_features:
            raise ValueError(
                f"features have shape {values.shape}, but this head was trained on {self.n_features} features an item; "
                "expected the same encoder"
            )
        return np.exp(log_softmax(logits_of(self.layers, values)))

    def predict(self, features: FeatureTable) -> Distributions:
        """One distribution for each item; features that say they come from other weights are refused."""
        mine, theirs = ((source or {}).get("weights") for source in (self.card.get("features from"), features.source))
        if mine and theirs and mine != theirs:
            raise ValueError(
                f"this head was trained on features of the weights {mine}, and these are of {theirs}; encode the items "
                "with the same encoder"
            )
        return Distributions(self.probs(features.values), features.items, self.classes)


def logits_of(layers: Sequence[Layer], values: np.ndarray) -> np.ndarray:
    """What the softmax is taken of, in double precision.  (n, d) -> (n, k)"""
    x = values.astype(np.float64)
    for place, (weight, bias) in enumerate(layers):
        x = gelu(x) if place else x
        x = x @ weight.T.astype(np.float64) + bias
    return x


def save_head(head: Head, path: Path) -> None:
    """Write MODEL.safetensors, with the card in its header and again beside it as MODEL.json for readers."""
    from safetensors.numpy import save

    if path.suffix != ".safetensors":
        raise ValueError(f"{path}: models are written as .safetensors; choose a name with this ending")
    card = json.dumps({"format": FORMAT, "classes": list(head.classes), **head.card}, indent=1, ensure_ascii=False)
    tensors: dict[str, np.ndarray] = {}
    for place, (weight, bias) in enumerate(head.layers):
        tensors |= {
            f"layer{place}.weight": np.ascontiguousarray(weight),
            f"layer{place}.bias": np.ascontiguousarray(bias),
        }
    content = save(tensors, metadata={"card": card})
    whole_or_not(path, lambda out: _write(out, content))
    write_text(card + "\n", path.with_suffix(".json"))


def load_head(path: Path) -> Head:
    """A head that `save_head` wrote; the card inside the file counts, not the copy beside it."""
    from safetensors import SafetensorError, safe_open

    if not path.is_file():
        raise ValueError(f"{path}: there is {'a folder, not a file' if path.is_dir() else 'no such file'}")
    try:
        with safe_open(path, framework="numpy") as content:
            metadata = content.metadata() or {}
            tensors = {name: content.get_tensor(name) for name in content.keys()}  # noqa: SIM118 (no mapping)
    except (SafetensorError, OSError) as problem:
        raise ValueError(f"{path}: not a readable safetensors file, or cut short ({problem})") from None
    try:
        card = json.loads(metadata["card"])
        classes = card.pop("classes")
        if card.pop("format") != FORMAT:
            raise KeyError("format")
        layers = tuple(
            Layer(tensors[f"layer{place}.weight"], tensors[f"layer{place}.bias"]) for place in range(len(tensors) // 2)
        )
    except (KeyError, ValueError, TypeError) as problem:
        raise ValueError(f"{path}: no head of dissensus ({problem!r}); expected a file of `dissensus fit`") from None
    return Head(layers, tuple(classes), card)


def _write(out: Any, content: bytes) -> None:
    out.write(content)
