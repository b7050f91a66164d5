"""Consoles for results and notices: wrapped to the terminal, unwrapped in a pipe or a file."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any, TextIO

from rich.console import Console, ConsoleDimensions

UNBROKEN = 100_000  # columns; a line longer than this is broken even in a file


class ResultConsole(Console):
    """Standard output: piped text is not wrapped, and a closed pipe ends the program."""

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
    """Standard error, one line per notice; if it cannot be written, the work continues without notices."""

    def __init__(self) -> None:
        super().__init__(stderr=True, highlight=False, soft_wrap=True, emoji=False)

    def __exit__(self, *raised: Any) -> None:  # the buffer is written here, also that of a status or a bar
        try:
            super().__exit__(*raised)
        except OSError:  # such as a full disk
            self.on_broken_pipe()

    def on_broken_pipe(self) -> None:
        self.quiet = True
        print_nowhere(sys.stderr)


def print_nowhere(stream: TextIO) -> None:
    """Drop everything printed to a stream from now on, so that Python does not complain at exit."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, stream.fileno())
    os.close(nowhere)


def open_closed_streams() -> None:
    """Drop what is printed to standard output or error if it is closed, as by `2>&-`.

    Python has None in its place, and the next opened file would get the number of the stream.
    """
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:
            setattr(sys, name, Path(os.devnull).open("w", encoding="utf-8"))  # noqa: SIM115  (until the process ends)
