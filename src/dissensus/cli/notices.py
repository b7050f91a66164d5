"""What verbs tell while they work: remarks, warnings, and a bar."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from dissensus.cli.reading import errors, say
from dissensus.labels.progress import ProgressBar


def say_or_warn(notice: str) -> None:
    """A warning is meant to be seen; what was taken is a remark."""
    if notice.startswith("warning"):
        errors.print(notice, style="bold yellow", markup=False)
    else:
        say(notice)


@contextmanager
def progress_bar(title: str) -> Iterator[Callable[[int, int], None]]:
    """A bar that goes away at the end, and the function that moves it: how many are done, of how many.

    Without a terminal there is none.
    """
    with ProgressBar(title, console=errors) as bar:
        yield bar.show
