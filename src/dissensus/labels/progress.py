"""A progress bar on standard error, the same for everything that takes long."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any, Self

Progress = Callable[[int, int], None]  # steps done, and of how many; 0 if that is not known


class ProgressBar:
    """A bar that disappears at the end; nothing is shown without a terminal, or if `quiet`.

    Parameters
    ----------
    title
        What is being done.
    total
        Number of steps, if known.
    quiet
        Show nothing.
    patience
        Seconds of work before the bar appears.
    console
        A rich console; standard error by default.
    unit
        "steps", or "bytes" for a transfer with its speed.

    Examples
    --------
    >>> with ProgressBar("reading", 3, quiet=True) as bar:
    ...     for done in range(3):
    ...         bar.show(done + 1)
    """

    def __init__(
        self,
        title: str,
        total: int | None = None,
        *,
        quiet: bool = False,
        patience: float = 0.0,
        console: Any = None,
        unit: str = "steps",
    ) -> None:
        self.title, self.total, self.quiet, self.patience = title, total, quiet, patience
        self.console, self.unit = console, unit
        self.done = 0
        self.started = time.monotonic()
        self._bar: Any = None

    def __enter__(self) -> Self:
        self._appear()
        return self

    def show(self, done: int, total: int | None = None, *, title: str | None = None, now: str = "") -> None:
        """Move the bar: steps done, of how many, under which title, and a value as it is now."""
        self.done, self.total = done, self.total if total is None else total
        self.title = self.title if title is None else title
        if self._bar is None and not self.quiet:
            self._appear()
        if self._bar is not None:
            self._bar.update(self._task, completed=done, total=self.total, description=self.title, now=now)

    def advance(self, steps: int = 1) -> None:
        """Move the bar by some steps."""
        self.show(self.done + steps)

    def __exit__(self, *problem: object) -> None:
        if self._bar is not None:
            self._bar.stop()

    def _appear(self) -> None:
        if self.quiet or time.monotonic() - self.started < self.patience:
            return
        from rich import progress
        from rich.console import Console

        console = Console(stderr=True) if self.console is None else self.console
        if not console.is_terminal:  # where rich would leave an empty line
            self.quiet = True
            return
        counts = [progress.MofNCompleteColumn(), progress.TextColumn("{task.fields[now]}", markup=False)]
        if self.unit == "bytes":
            counts = [progress.DownloadColumn(), progress.TransferSpeedColumn()]
        self._bar = progress.Progress(
            progress.TextColumn("{task.description}", markup=False),
            progress.BarColumn(),
            *counts,
            progress.TimeRemainingColumn(),
            console=console,
            transient=True,
        )
        self._task = self._bar.add_task(self.title, total=self.total, now="")
        self._bar.start()
