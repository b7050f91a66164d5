"""What a head is, how it is trained, and everything its seed decides."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

import numpy as np

KINDS = ("mlp", "linear")
SCHEDULERS = (None, "plateau")
KEPT = ("best", "last")


class Layer(NamedTuple):
    """One linear map, x -> x weight^T + bias.  weight: (out, in) float32; bias: (out,) float32"""

    weight: np.ndarray
    bias: np.ndarray


@dataclass(frozen=True, kw_only=True)
class HeadConfig:
    """A head on frozen features and how to train it; the defaults are those of PyTorch where it has any.

        mlp      logits = W2 dropout(GELU(W1 x + b1)) + b2,   GELU(z) = z (1 + erf(z / sqrt(2))) / 2
        linear   logits = W x + b   (hidden and dropout mean nothing here)

    The optimiser is Adam (betas 0.9 and 0.999, eps 1e-8), weight decay added to the gradient as torch.optim.Adam does.

    hidden            units of the MLP; Singh 2025 does not state his
    dropout           share of hidden units left out of a step; Singh 2025 does not state his
    batch             items per step; the last batch of an epoch may be smaller and its loss is the mean over fewer
    epochs            at most this many
    scheduler         None, or "plateau": torch.optim.lr_scheduler.ReduceLROnPlateau on the validation loss
    factor            what the plateau scheduler multiplies the learning rate by
    plateau_patience  epochs without an improvement of 0.01 % that the plateau scheduler forgives
    patience          stop after this many epochs in a row in which the validation loss did not fall by more than
                      `min_delta` below the best so far; None never stops early
    keep              "best": the weights of the epoch with the lowest validation loss; "last": those at the end
    targets           "soft": as given; "hard": the most probable class of each item, the first of equals; or the name
                      of one of several targets
    seed              decides initial weights, the order of items in every epoch, and dropout
    """

    kind: str = "mlp"
    hidden: int = 128
    dropout: float = 0.1
    learning_rate: float = 1e-3
    weight_decay: float = 0.0
    batch: int = 32
    epochs: int = 20
    scheduler: str | None = None
    factor: float = 0.5
    plateau_patience: int = 10
    patience: int | None = 5
    min_delta: float = 1e-4
    keep: str = "best"
    targets: str = "soft"
    seed: int = 0

    def __post_init__(self) -> None:
        for name, known in (("kind", KINDS), ("scheduler", SCHEDULERS), ("keep", KEPT)):
            if getattr(self, name) not in known:
                raise ValueError(f"{name} is {getattr(self, name)!r}; expected one of {', '.join(map(repr, known))}")
        least = {"hidden": 1, "batch": 1, "epochs": 1, "plateau_patience": 0, "seed": 0}
        if self.patience is not None:
            least["patience"] = 1
        for name, bound in least.items():
            number = getattr(self, name)
            if not isinstance(number, int | np.integer) or isinstance(number, bool) or number < bound:
                raise ValueError(f"{name} is {number!r}; expected a whole number of {bound} or more")
        for name, low, high in (
            ("dropout", 0.0, 1.0),
            ("learning_rate", 0.0, np.inf),
            ("weight_decay", 0.0, np.inf),
            ("factor", 0.0, 1.0),
            ("min_delta", 0.0, np.inf),
        ):
            number = getattr(self, name)
            if not low <= number < high:
                raise ValueError(f"{name} is {number!r}; expected {low:g} or more and below {high:g}")

    @property
    def path(self) -> tuple[object, ...]:
        """What two heads must share to have the same weights after every epoch, until a scheduler parts them."""
        shape = (self.kind, self.hidden, self.dropout) if self.kind == "mlp" else (self.kind,)
        return (*shape, self.learning_rate, self.weight_decay, self.batch, self.targets, self.seed)

    def sizes(self, d: int, k: int) -> tuple[int, ...]:
        """The width of every layer from d features to k classes."""
        return (d, self.hidden, k) if self.kind == "mlp" else (d, k)


def initial_layers(config: HeadConfig, d: int, k: int) -> tuple[Layer, ...]:
    """Where training starts: weights and biases uniform in +-1 / sqrt(in), as torch.nn.Linear begins."""
    rng = np.random.default_rng([config.seed, 0])
    layers = []
    sizes = config.sizes(d, k)
    for inputs, outputs in pairwise(sizes):
        bound = 1.0 / np.sqrt(inputs)
        weight = rng.uniform(-bound, bound, (outputs, inputs)).astype(np.float32)
        layers.append(Layer(weight, rng.uniform(-bound, bound, outputs).astype(np.float32)))
    return tuple(layers)


def epoch_order(seed: int, epoch: int, n: int) -> np.ndarray:
    """The order of items in one epoch; every batch size cuts the same order.  -> (n,) int64"""
    return np.random.default_rng([seed, 1, epoch]).permutation(n)


def dropout_key(seed: int, epoch: int) -> int:
    """The 32 bits that dropout of one epoch starts from."""
    return int(np.random.SeedSequence([seed, 2, epoch]).generate_state(1)[0])


def dropout_threshold(dropout: float) -> int:
    """A unit stays where its 32 random bits are at least this."""
    return min(round(dropout * 2**32), 2**32 - 1)


def kept_units(config: HeadConfig, epoch: int, items: np.ndarray) -> np.ndarray:
    """Which hidden units of which items dropout keeps in an epoch, whatever the batch and the order.

        h(w) = Wellons's lowbias32,   bits = h(h(key + item GOLDEN) + (unit + 1) GOLDEN),   kept where bits >= 2^32 p

    items: (r,) positions -> (r, hidden) bool
    """
    row = _hashed(np.uint32(dropout_key(config.seed, epoch)) + items.astype(np.uint32) * np.uint32(GOLDEN))  # (r,)
    unit = np.arange(1, config.hidden + 1, dtype=np.uint32) * np.uint32(GOLDEN)  # (hidden,)
    return _hashed(row[:, None] + unit) >= np.uint32(dropout_threshold(config.dropout))


GOLDEN = 0x9E3779B9
FIRST, SECOND = 0x7FEB352D, 0x846CA68B  # Wellons (2018), Prospecting for hash functions: lowbias32


def _hashed(words: np.ndarray) -> np.ndarray:
    words = (words ^ (words >> np.uint32(16))) * np.uint32(FIRST)
    words = (words ^ (words >> np.uint32(15))) * np.uint32(SECOND)
    return words ^ (words >> np.uint32(16))
