"""How far an estimate is, on a terminal: the number as it is now, and its error."""

from __future__ import annotations

from typing import Any


class EstimateBar:
    """A bar on standard error; nothing where that is no terminal, or where it should be quiet."""

    def __init__(self, title: str, total: int, quiet: bool) -> None:
        self.title, self.total, self.quiet = title, total, quiet
        self.bar: Any = None

    def __enter__(self) -> EstimateBar:
        from rich.console import Console
        from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

        console = Console(stderr=True)
        if not self.quiet and console.is_terminal:
            columns = (
                TextColumn("{task.description}"),
                BarColumn(),
                TextColumn("{task.fields[now]}"),
                TimeElapsedColumn(),
            )
            self.bar = Progress(*columns, console=console, transient=True)
            self.task = self.bar.add_task(self.title, total=self.total, now="")
            self.bar.start()
        return self

    def show(self, done: int, value: float | None = None, error: float | None = None) -> None:
        """How much is done of what may be needed at most, and the estimate."""
        if self.bar is not None:
            now = "" if value is None else f"{value:.5g}" + (f" ± {error:.2g}" if error is not None else "")
            self.bar.update(self.task, completed=done, now=now)

    def __exit__(self, *problem: object) -> None:
        if self.bar is not None:
            self.bar.stop()
