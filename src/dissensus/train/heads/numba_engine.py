"""Heads trained by compiled kernels, one branch per thread."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass

import numpy as np

from dissensus.train.heads.branches import Branch, Finished, Layers, Start
from dissensus.train.heads.config import Layer, dropout_key, dropout_threshold, epoch_order
from dissensus.train.heads.epoch import held_out_loss, train_epoch
from dissensus.train.heads.examples import Examples
from dissensus.train.heads.kernels import CELL, PANEL
from dissensus.train.heads.stopping import end_if_stopped

NO_PROBS = np.empty((0, 0), dtype=np.float32)
NO_CLASSES = np.empty(0, dtype=np.int64)
LINE = 64  # bytes of a cache line, on which every row of a panel begins


class NumbaEngine:
    """Train each branch in a thread of its own; branches that fork wait for a free thread."""

    def __init__(self, threads: int) -> None:
        if threads < 1:
            raise ValueError(f"threads is {threads}; expected 1 or more")
        self.threads = threads

    def __call__(
        self, branches: list[Branch], start: Start, training: Examples, validation: Examples | None
    ) -> Iterator[Finished]:
        kinds = {branch.config.kind for branch in branches}
        feed, held_out = Feed(training, kinds), None if validation is None else Feed(validation, kinds)
        with ThreadPoolExecutor(self.threads) as pool:
            waiting: set[Future[tuple[list[Finished], list[HeadInTraining]]]] = {
                pool.submit(_to_its_end, branch, start, None, feed, held_out) for branch in branches
            }
            try:
                while waiting:
                    end_if_stopped()
                    done, waiting = wait(waiting, return_when=FIRST_COMPLETED)
                    for future in done:
                        ended, parted = future.result()
                        yield from ended
                        waiting |= {pool.submit(_to_its_end, h.branch, start, h, feed, held_out) for h in parted}
            finally:
                for future in waiting:
                    future.cancel()


class Feed:
    """Features padded for the kernels."""

    def __init__(self, examples: Examples, kinds: set[str]) -> None:
        self.examples = examples
        widths = {feature_width(kind, examples.features.shape[1]) for kind in kinds}
        self._padded = {width: pad(examples.features, width) for width in widths}

    def of_epoch(self, name: str, epoch: int, width: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Features (n * width,), probabilities and classes, of which one is empty."""
        features, targets = self.examples.of_epoch(name, epoch)
        flat = self._padded[width] if features is self.examples.features else pad(features, width)
        return (flat, targets, NO_CLASSES) if targets.ndim == 2 else (flat, NO_PROBS, targets)


@dataclass
class HeadInTraining:
    """A branch with the weights and moments it has now."""

    branch: Branch
    d: int
    k: int
    first: np.ndarray
    last: np.ndarray
    steps: int = 0

    @classmethod
    def begin(cls, branch: Branch, layers: Layers) -> HeadInTraining:
        d, k = layers[0].weight.shape[1], layers[-1].bias.size
        *before, last = layers
        width = _round_up(before[0].bias.size + 1 if before else d + 1, PANEL)
        first = pack(before[0], transposed=True, width=feature_width("mlp", d)) if before else align(0)
        return cls(branch, d, k, first, pack(last, transposed=False, width=width))

    def copy(self, branch: Branch) -> HeadInTraining:
        first, last = align(self.first.size), align(self.last.size)
        first[:], last[:] = self.first, self.last
        return HeadInTraining(branch, self.d, self.k, first, last, self.steps)

    @property
    def hidden(self) -> int:
        return self.branch.config.hidden if self.first.size else 0

    @property
    def width(self) -> int:
        return feature_width(self.branch.config.kind, self.d)

    def layers(self) -> Layers:
        if not self.hidden:
            return (unpack(self.last, self.k, self.d, transposed=False),)
        first = unpack(self.first, self.hidden, self.d, transposed=True)
        return first, unpack(self.last, self.k, self.hidden, transposed=False)

    def train(self, feed: Feed) -> None:
        config, epoch = self.branch.config, self.branch.epochs
        features, probs, classes = feed.of_epoch(config.targets, epoch, self.width)
        order = epoch_order(config.seed, epoch, feed.examples.n)
        self.steps = train_epoch(
            self.first,
            self.last,
            self.hidden,
            self.k,
            features,
            self.width,
            order,
            probs,
            classes,
            feed.examples.weights,
            min(config.batch, feed.examples.n),
            np.uint32(dropout_key(config.seed, epoch)),
            np.uint32(dropout_threshold(config.dropout)),
            np.float32(1 / (1 - config.dropout)),
            float(self.branch.learning_rate),
            np.float32(config.weight_decay),
            self.steps,
        )

    def loss(self, feed: Feed) -> float:
        features, probs, classes = feed.of_epoch(self.branch.config.targets, 0, self.width)
        n = feed.examples.n
        return float(held_out_loss(self.first, self.last, self.hidden, self.k, features, self.width, probs, classes, n))


def _to_its_end(
    branch: Branch, start: Start, head: HeadInTraining | None, feed: Feed, held_out: Feed | None
) -> tuple[list[Finished], list[HeadInTraining]]:
    """Train until the branch ends: the heads that finished on the way, and those that left it."""
    head = HeadInTraining.begin(branch, start(branch)) if head is None else head
    finished: list[Finished] = []
    parted: list[HeadInTraining] = []
    while True:
        head.train(feed)
        ended, going = head.branch.after(None if held_out is None else head.loss(held_out), head.layers)
        finished += ended
        if not going:
            return finished, parted
        parted += [head.copy(other) for other in going[1:]]
        head.branch = going[0]


def pack(layer: Layer, *, transposed: bool, width: int) -> np.ndarray:
    """Lay a layer out as heads/kernels.py does, with moments of zero.

    transposed: rows are inputs (`width` of them with the one that is always 1), columns outputs; otherwise rows are
    outputs, columns inputs (`width` of them)
    """
    whole = np.concatenate([layer.weight, layer.bias[:, None]], axis=1)  # (out, in + 1)
    table = whole.T if transposed else whole
    rows = width if transposed else _round_up(table.shape[0], 4)
    columns = _round_up(table.shape[1], PANEL) if transposed else width
    full = np.zeros((rows, columns), dtype=np.float32)
    full[: table.shape[0], : table.shape[1]] = table
    flat = align(columns // PANEL * rows * CELL)
    panels = flat.reshape(columns // PANEL, rows, 3, PANEL)
    panels[:, :, 0, :] = full.reshape(rows, -1, PANEL).swapaxes(0, 1)
    return flat


def unpack(flat: np.ndarray, outputs: int, inputs: int, *, transposed: bool) -> Layer:
    """Copy the layer to the layout of torch.nn.Linear."""
    columns = _round_up(outputs if transposed else inputs + 1, PANEL)
    panels = flat.reshape(columns // PANEL, -1, 3, PANEL)[:, :, 0, :]  # (panels, rows, 16)
    table = panels.swapaxes(0, 1).reshape(-1, columns)
    whole = table.T if transposed else table
    return Layer(whole[:outputs, :inputs].copy(), whole[:outputs, inputs].copy())


def feature_width(kind: str, d: int) -> int:
    """Columns of padded features: they are rows of an MLP's first layer, but columns of a linear head's."""
    return _round_up(d + 1, 4 if kind == "mlp" else PANEL)


def pad(features: np.ndarray, width: int) -> np.ndarray:
    """Pad rows of features with 1, then zeros.  (n, d) -> (n * width,)"""
    n, d = features.shape
    full = np.zeros((n, width), dtype=np.float32)
    full[:, :d] = features
    full[:, d] = 1.0
    return full.reshape(-1)


def align(size: int) -> np.ndarray:
    """Allocate zeros that begin on a cache line.  -> (size,) float32"""
    raw = np.zeros(size + LINE // 4, dtype=np.float32)
    offset = -raw.ctypes.data % LINE // 4
    return raw[offset : offset + size]


def _round_up(count: int, multiple: int) -> int:
    return -(-count // multiple) * multiple
