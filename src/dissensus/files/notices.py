"""Functions that receive notices: guesses, and whatever is left out or cannot be kept."""

from __future__ import annotations

import sys
from collections.abc import Callable

from dissensus.labels.refusals import Front, Way

Say = Callable[[str], None]


class Notice(str):
    """A notice with something to do about it: the text is worded for Python, `word` words it for another front."""

    problem: str
    way: Way

    def __new__(cls, problem: str, way: Way) -> Notice:
        notice = super().__new__(cls, f"{problem}: {way}")
        notice.problem, notice.way = problem, way
        return notice

    def at(self, place: str) -> Notice:
        """Return the notice with its place, such as a file, in front."""
        return Notice(f"{place}: {self.problem}", self.way)

    def removeprefix(self, place: str, /) -> Notice:
        """Return the notice without its place in front."""
        return Notice(self.problem.removeprefix(place), self.way)

    def word(self, front: Front) -> str:
        """Return the notice with settings as this front writes them, without advice that does not exist there."""
        way = front.word(self.way)
        return self.problem if way is None else f"{self.problem}: {way}"


def to_stderr(notice: str) -> None:
    print(notice, file=sys.stderr)


def to_nobody(notice: str) -> None:
    """Discard a notice."""
