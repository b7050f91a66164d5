"""Learning rates and early stopping as functions of the validation losses so far, without state."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence

import numpy as np

from dissensus.train.train_config import TrainConfig

_PLATEAU_THRESHOLD = 1e-4  # a share of the loss, the default of torch.optim.lr_scheduler.ReduceLROnPlateau


def rate_of(config: TrainConfig, epoch: int, losses: Sequence[float], done: float = 0.0) -> float:
    """Return the learning rate of an epoch (the first is 0), given the validation losses before it.

    done  share of the epoch that is over, which only triangle goes by
    """
    if config.schedule == "triangle":
        return _triangle(config, (epoch + done) / config.epochs)
    if config.schedule == "cosine":
        return float(config.learning_rate * (1 + np.cos(np.pi * epoch / config.epochs)) / 2)
    if config.schedule == "steps":
        return config.learning_rate * config.factor ** bisect_right(sorted(config.milestones), epoch)
    if config.schedule == "plateau":
        return _after_plateaus(config, losses)
    return config.learning_rate


def is_over(config: TrainConfig, epochs: int, losses: Sequence[float]) -> bool:
    """Whether training ends now: all epochs are done, or patience has run out."""
    if epochs >= config.epochs:
        return True
    if config.patience is None:
        return False
    best, waited = np.inf, 0
    for loss in losses:
        best, waited = (loss, 0) if loss < best - config.min_delta else (best, waited + 1)
    return waited >= config.patience


def _triangle(config: TrainConfig, share: float) -> float:
    """Rise to the full rate and fall to 0, both in a line; share of all steps from 0 to 1."""
    rising = share / config.warmup if config.warmup else 1.0
    falling = (1 - share) / (1 - config.warmup) if config.warmup < 1 else 1.0
    return config.learning_rate * min(1.0, rising, falling)


def _after_plateaus(config: TrainConfig, losses: Sequence[float]) -> float:
    rate, best, waited = config.learning_rate, np.inf, 0
    for loss in losses:
        best, waited = (loss, 0) if loss < best * (1 - _PLATEAU_THRESHOLD) else (best, waited + 1)
        if waited > config.plateau_patience:
            rate, waited = rate * config.factor, 0
    return rate
