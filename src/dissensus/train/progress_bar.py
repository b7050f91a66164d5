"""The progress of training on a terminal: epoch, steps, loss and soft NLL as they are now."""

from __future__ import annotations

from typing import Any

import torch

from dissensus.train.checkpoints import Progress
from dissensus.train.preparing import Run


class TrainingBar:
    """A bar over all steps of all epochs on standard error; nothing where that is no terminal."""

    def __init__(self, run: Run, quiet: bool) -> None:
        self.run, self.quiet = run, quiet
        self.bar: Any = None

    def __enter__(self) -> TrainingBar:
        from rich.console import Console
        from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

        console = Console(stderr=True)
        if not self.quiet and console.is_terminal:
            columns = (
                TextColumn("{task.description}"),
                BarColumn(),
                TextColumn("{task.fields[scores]}"),
                TimeRemainingColumn(),
            )
            self.bar = Progress(*columns, console=console, transient=True)
            self.task = self.bar.add_task("training", total=None, scores="")
            self.bar.start()
        return self

    def show(self, progress: Progress, steps: int) -> None:
        """How far training is; the loss is the mean over the steps of this epoch."""
        if self.bar is None:
            return
        epochs, losses = self.run.config.epochs, self.run.losses(progress)
        scores = f"loss {float(torch.mean(progress.losses[: progress.step])):.3f}"
        if losses:
            scores += f", soft NLL {losses[-1]:.3f} (best {min(losses):.3f})"
        self.bar.update(
            self.task,
            description=f"epoch {progress.epoch + 1}/{epochs}",
            scores=scores,
            total=epochs * steps,
            completed=progress.epoch * steps + progress.step,
        )

    def __exit__(self, *problem: object) -> None:
        if self.bar is not None:
            self.bar.stop()
