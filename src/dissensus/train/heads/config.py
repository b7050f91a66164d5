"""Settings of a head and its training, and the random numbers of its seed."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from dissensus.labels.settings import LARGEST_SEED, check_settings, document_settings, setting
from dissensus.labels.streams import Stream, stream, stream_word

KINDS = ("mlp", "linear")
SCHEDULERS = ("plateau",)
KEPT = ("best", "last")


class Layer(NamedTuple):
    """One linear map, x -> x weight^T + bias.  weight: (out, in) float32; bias: (out,) float32"""

    weight: np.ndarray
    bias: np.ndarray


@document_settings
@dataclass(frozen=True, kw_only=True)
class HeadConfig:
    """A head on frozen features and how to train it; the defaults are those of PyTorch where it has any.

        mlp      logits = W2 dropout(GELU(W1 x + b1)) + b2,   GELU(z) = z (1 + erf(z / sqrt(2))) / 2
        linear   logits = W x + b   (hidden and dropout are not used)

    The optimiser is Adam (betas 0.9 and 0.999, eps 1e-8); weight decay is added to the gradient, as torch does.
    The scheduler plateau is torch.optim.lr_scheduler.ReduceLROnPlateau on the validation loss.

    Examples
    --------
    >>> HeadConfig(kind="linear").sizes(d=64, k=10)
    (64, 10)
    """

    kind: str = setting("mlp", "Head to train", among=KINDS)
    hidden: int = setting(128, "Hidden units of the MLP", low=1)
    dropout: float = setting(0.1, "Share of hidden units of the MLP left out of a step", low=0, below=1)
    learning_rate: float = setting(1e-3, "Learning rate of Adam", low=0)
    weight_decay: float = setting(0.0, "Weight decay of Adam", low=0)
    batch: int = setting(32, "Items per step", low=1)
    epochs: int = setting(20, "Maximum number of epochs", low=1)
    scheduler: str | None = setting(None, "Schedule of the learning rate; constant unless given", among=SCHEDULERS)
    factor: float = setting(0.5, "Factor by which plateau multiplies the learning rate", low=0, below=1)
    plateau_patience: int = setting(10, "Epochs without an improvement of 0.01% that plateau tolerates", low=0)
    patience: int | None = setting(
        5, "Stop after this many epochs in a row without a validation loss min_delta below the best", low=1
    )
    min_delta: float = setting(1e-4, "Smallest decrease of the validation loss that counts for patience", low=0)
    keep: str = setting("best", "Weights to keep; best: those of the epoch with the lowest validation loss", among=KEPT)
    targets: str = setting(
        "soft", "Targets: soft as given, hard for the most probable class, or one of several by name"
    )
    seed: int = setting(0, "Random seed for weights, order of items and dropout", low=0, high=LARGEST_SEED)

    def __post_init__(self) -> None:
        check_settings(self)

    @property
    def path(self) -> tuple[object, ...]:
        """Settings that two heads must share to have the same weights until a scheduler separates them."""
        shape = (self.kind, self.hidden, self.dropout) if self.kind == "mlp" else (self.kind,)
        return (*shape, self.learning_rate, self.weight_decay, self.batch, self.targets, self.seed)

    def sizes(self, d: int, k: int) -> tuple[int, ...]:
        """The width of every layer from d features to k classes."""
        return (d, self.hidden, k) if self.kind == "mlp" else (d, k)


def initial_layers(config: HeadConfig, d: int, k: int) -> tuple[Layer, ...]:
    """The initial layers: weights and biases uniform in +-1 / sqrt(in), as torch.nn.Linear begins."""
    rng = stream(config.seed, Stream.WEIGHTS)
    layers = []
    sizes = config.sizes(d, k)
    for inputs, outputs in pairwise(sizes):
        bound = 1.0 / np.sqrt(inputs)
        weight = rng.uniform(-bound, bound, (outputs, inputs)).astype(np.float32)
        layers.append(Layer(weight, rng.uniform(-bound, bound, outputs).astype(np.float32)))
    return tuple(layers)


def epoch_order(seed: int, epoch: int, n: int) -> np.ndarray:
    """The order of items in one epoch; every batch size cuts the same order.  -> (n,) int64"""
    return stream(seed, Stream.ORDER, epoch).permutation(n)


def dropout_key(seed: int, epoch: int) -> int:
    """The 32 bits that dropout of one epoch starts from."""
    return stream_word(seed, Stream.DROPOUT, epoch, dtype=np.uint32)


def dropout_threshold(dropout: float) -> int:
    """A unit stays where its 32 random bits are at least this."""
    return min(round(dropout * 2**32), 2**32 - 1)


def draw_kept_units(config: HeadConfig, epoch: int, items: np.ndarray) -> np.ndarray:
    """Which hidden units of which items dropout keeps in an epoch, whatever the batch and the order.

        h(w) = Wellons's lowbias32,   bits = h(h(key + item GOLDEN) + (unit + 1) GOLDEN),   kept where bits >= 2^32 p

    items: (r,) positions -> (r, hidden) bool
    """
    row = _hash_words(np.uint32(dropout_key(config.seed, epoch)) + items.astype(np.uint32) * np.uint32(GOLDEN))  # (r,)
    unit = np.arange(1, config.hidden + 1, dtype=np.uint32) * np.uint32(GOLDEN)  # (hidden,)
    return _hash_words(row[:, None] + unit) >= np.uint32(dropout_threshold(config.dropout))


GOLDEN = 0x9E3779B9
FIRST, SECOND = 0x7FEB352D, 0x846CA68B  # Wellons (2018), Prospecting for hash functions: lowbias32


def _hash_words(words: np.ndarray) -> np.ndarray:
    words = (words ^ (words >> np.uint32(16))) * np.uint32(FIRST)
    words = (words ^ (words >> np.uint32(15))) * np.uint32(SECOND)
    return words ^ (words >> np.uint32(16))
