"""The progress of training on a terminal: epoch, steps, loss and soft NLL."""

from __future__ import annotations

import torch

from dissensus.labels.progress import ProgressBar
from dissensus.train.checkpoints import TrainingProgress
from dissensus.train.preparing import Run


class TrainingBar:
    """A bar over all steps of all epochs."""

    def __init__(self, run: Run, quiet: bool) -> None:
        self.run, self.bar = run, ProgressBar("training", quiet=quiet)

    def __enter__(self) -> TrainingBar:
        self.bar.__enter__()
        return self

    def show(self, progress: TrainingProgress, steps: int) -> None:
        """Show how far training is; the loss is the mean over the steps of this epoch."""
        if self.bar.quiet:  # reading the loss would wait for the device
            return
        epochs, losses = self.run.config.epochs, self.run.losses(progress)
        scores = f"loss {float(torch.mean(progress.losses[: progress.step])):.3f}"
        if losses:
            scores += f", soft NLL {losses[-1]:.3f} (best {min(losses):.3f})"
        title = f"epoch {progress.epoch + 1}/{epochs}"
        self.bar.show(progress.epoch * steps + progress.step, epochs * steps, title=title, now=scores)

    def __exit__(self, *problem: object) -> None:
        self.bar.__exit__(*problem)
