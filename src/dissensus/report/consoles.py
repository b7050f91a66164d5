"""Where results and notices are printed: as wide as the terminal, or, in a pipe or a file, as wide as they are."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any, TextIO

from rich.console import Console, ConsoleDimensions

UNBROKEN = 100_000  # columns; a line longer than this is broken even in a file


class ResultConsole(Console):
    """Standard output. What is piped does not depend on the width of a terminal; a reader who stops reading ends it."""

    def __init__(self) -> None:
        super().__init__(highlight=False, emoji=False)

    @property
    def size(self) -> ConsoleDimensions:
        return super().size if self.file.isatty() else ConsoleDimensions(UNBROKEN, 25)

    @size.setter
    def size(self, new_size: tuple[int, int]) -> None:
        raise AttributeError("the width is that of the terminal")

    def on_broken_pipe(self) -> None:
        raise BrokenPipeError


class NoticeConsole(Console):
    """Standard error, one line per notice. Where they cannot be written or nobody reads, the work goes on without."""

    def __init__(self) -> None:
        super().__init__(stderr=True, highlight=False, soft_wrap=True, emoji=False)

    def __exit__(self, *raised: Any) -> None:  # what was printed is written here, also by a status or a bar
        try:
            super().__exit__(*raised)
        except OSError:  # such as a full disk
            self.on_broken_pipe()

    def on_broken_pipe(self) -> None:
        self.quiet = True
        print_nowhere(sys.stderr)


def print_nowhere(stream: TextIO) -> None:
    """From now on what is printed there is dropped, since it cannot be written and Python would complain at its end."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, stream.fileno())
    os.close(nowhere)


def open_closed_streams() -> None:
    """Where standard output or error is closed, as by `2>&-`, what is printed there is dropped.

    Python has None in its place, and the next file that is opened would get the number of the stream.
    """
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:
            setattr(sys, name, Path(os.devnull).open("w", encoding="utf-8"))  # noqa: SIM115  (until the process ends)
