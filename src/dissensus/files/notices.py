"""Functions that receive notices: guesses, and whatever is left out or cannot be kept."""

from __future__ import annotations

import sys
from collections.abc import Callable

Say = Callable[[str], None]


def to_stderr(notice: str) -> None:
    print(notice, file=sys.stderr)


def to_nobody(notice: str) -> None:
    """For questions whose answer is not acted upon."""
