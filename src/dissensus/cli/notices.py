"""What verbs tell while they work: remarks, warnings, and a bar."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from dissensus.cli.reading import errors, say


def say_or_warn(notice: str) -> None:
    """A warning is meant to be seen; what was taken is a remark."""
    if notice.startswith("warning"):
        errors.print(notice, style="bold yellow", markup=False)
    else:
        say(notice)


@contextmanager
def progress_bar(title: str) -> Iterator[Callable[[int, int], None]]:
    """A bar that goes away at the end, and the function that moves it: how many are done, of how many.

    Without a terminal there is none, and not the empty line that rich would leave of it either.
    """
    if not errors.is_terminal:
        yield lambda done, total: None
        return
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}", markup=False), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=errors, transient=True) as bar:
        task = bar.add_task(title, total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)
