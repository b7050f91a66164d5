"""Notices of verbs while they work: remarks, warnings, and a progress bar."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from dissensus.cli.reading import errors, say
from dissensus.labels.progress import ProgressBar


def say_or_warn(notice: str) -> None:
    """Print a notice; warnings stand out."""
    if notice.startswith("warning"):
        errors.print(notice, style="bold yellow", markup=False)
    else:
        say(notice)


@contextmanager
def progress_bar(title: str) -> Iterator[Callable[[int, int], None]]:
    """Show a bar on a terminal, and yield the function that moves it: how many are done, of how many."""
    with ProgressBar(title, console=errors) as bar:
        yield bar.show
