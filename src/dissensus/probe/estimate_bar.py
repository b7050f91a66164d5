"""A progress bar with an estimate and its error as they are now."""

from __future__ import annotations

from dissensus.labels.progress import ProgressBar


class EstimateBar:
    """Shows how many steps are done of those needed at most, and the estimate so far."""

    def __init__(self, title: str, total: int, quiet: bool) -> None:
        self.total = total
        self.bar = ProgressBar(title, total, quiet=quiet)

    def __enter__(self) -> EstimateBar:
        self.bar.__enter__()
        return self

    def show(self, done: int, value: float | None = None, error: float | None = None) -> None:
        """Move the bar and show the estimate."""
        now = "" if value is None else f"{value:.5g}" + (f" ± {error:.2g}" if error is not None else "")
        self.bar.show(done, now=now)

    def __exit__(self, *problem: object) -> None:
        self.bar.__exit__(*problem)
