"""Branches of heads that share their weights until early stopping or the plateau scheduler separates them.

Heads that differ only in when they stop follow one path of weights; 10, 15 and 20 epochs are prefixes of it. A
scheduler changes nothing before it fires. So heads start as one branch, and the branch forks where learning rates do.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from dissensus.train.heads.config import HeadConfig, Layer

Layers = tuple[Layer, ...]


@dataclass(frozen=True)
class Stopping:
    """The state of early stopping: an epoch is good if its loss is below best - min_delta; `patience` bad ones stop."""

    patience: int | None
    min_delta: float
    best: float = math.inf
    bad: int = 0

    def after(self, loss: float) -> Stopping:
        if loss < self.best - self.min_delta:
            return replace(self, best=loss, bad=0)
        return replace(self, bad=self.bad + 1)

    @property
    def stopped(self) -> bool:
        return self.patience is not None and self.bad >= self.patience


@dataclass(frozen=True)
class Plateau:
    """The state of PyTorch's ReduceLROnPlateau with its defaults (relative threshold 1e-4, no cooldown, eps 1e-8)."""

    factor: float
    patience: int
    learning_rate: float
    best: float = math.inf
    bad: int = 0

    def after(self, loss: float) -> Plateau:
        if loss < self.best * (1 - 1e-4):
            return replace(self, best=loss, bad=0)
        if self.bad < self.patience:
            return replace(self, bad=self.bad + 1)
        lower = self.learning_rate * self.factor
        return replace(self, bad=0, learning_rate=lower if self.learning_rate - lower > 1e-8 else self.learning_rate)


@dataclass(frozen=True)
class Run:
    """One head in training: its place among the heads, and the state of its rules."""

    place: int
    config: HeadConfig
    stopping: Stopping
    plateau: Plateau | None

    @property
    def learning_rate(self) -> float:
        return self.config.learning_rate if self.plateau is None else self.plateau.learning_rate

    def after(self, loss: float) -> Run:
        plateau = None if self.plateau is None else self.plateau.after(loss)
        return replace(self, stopping=self.stopping.after(loss), plateau=plateau)


@dataclass(frozen=True)
class Finished:
    """A finished head: its weights, their epoch (the first is 1), and every validation loss."""

    run: Run
    layers: Layers
    epoch: int
    losses: tuple[float, ...]


@dataclass(frozen=True)
class Branch:
    """Heads with the same weights so far.

    runs           the heads still training, all with the same learning rate
    losses         validation loss after every epoch so far; empty if there is no validation
    best           the weights of the epoch with the lowest loss, None before the first epoch
    """

    runs: tuple[Run, ...]
    epochs: int = 0
    losses: tuple[float, ...] = ()
    best: Layers | None = field(default=None, repr=False)

    @property
    def config(self) -> HeadConfig:
        return self.runs[0].config

    @property
    def learning_rate(self) -> float:
        return self.runs[0].learning_rate

    def after(self, loss: float | None, weights: Callable[[], Layers]) -> tuple[list[Finished], list[Branch]]:
        """Return the heads that end with this epoch, and the branches that continue, each with its own learning rate.

        loss     validation loss of the epoch, None without validation
        weights  gives a copy of the weights as they are now
        """
        epochs = self.epochs + 1
        if loss is None:
            last = [Finished(run, weights(), epochs, ()) for run in self.runs if run.config.epochs == epochs]
            going = tuple(run for run in self.runs if run.config.epochs > epochs)
            return last, [replace(self, runs=going, epochs=epochs)] if going else []
        if math.isnan(loss):
            raise ValueError(
                f"the validation loss of {self.config} is nan after epoch {epochs}: the training diverged; "
                "scale the features or lower the learning rate"
            )
        losses = (*self.losses, loss)
        best = weights() if self.best is None or loss < min(self.losses) else self.best
        ended: list[Finished] = []
        parted: dict[float, list[Run]] = {}
        for run in (run.after(loss) for run in self.runs):
            if run.stopping.stopped or run.config.epochs == epochs:
                kept = (best, losses.index(min(losses)) + 1) if run.config.keep == "best" else (weights(), epochs)
                ended.append(Finished(run, *kept, losses))
            else:
                parted.setdefault(run.learning_rate, []).append(run)
        return ended, [Branch(tuple(runs), epochs, losses, best) for runs in parted.values()]


Start = Callable[[Branch], Layers]  # the weights a branch begins with


def first_branches(configs: Sequence[HeadConfig]) -> list[Branch]:
    """Make one branch for every path of weights, the longest first."""
    paths: dict[tuple[object, ...], list[Run]] = {}
    for place, config in enumerate(configs):
        plateau = None
        if config.scheduler == "plateau":
            plateau = Plateau(config.factor, config.plateau_patience, config.learning_rate)
        run = Run(place, config, Stopping(config.patience, config.min_delta), plateau)
        paths.setdefault(config.path, []).append(run)
    branches = [Branch(tuple(runs)) for runs in paths.values()]
    return sorted(branches, key=lambda branch: branch.config.batch)
