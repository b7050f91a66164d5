"""How the three values show themselves: sizes as text, and in a notebook a card that the package has drawn elsewhere.

Figures are drawn by `dissensus.report`, which knows labels; labels do not know it. So the package hands the drawing in.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

SHOWN_CLASSES = 12
_drawn_by: Callable[[Any], str] | None = None


def draw_cards_with(card: Callable[[Any], str]) -> None:
    """From now on, notebooks show a value as the HTML that `card` makes of it."""
    global _drawn_by
    _drawn_by = card


def notebook_card(value: Any) -> str | None:
    """The HTML of a value, or None: a notebook then shows its text."""
    return None if _drawn_by is None else _drawn_by(value)


def sizes(value: Any, counted: Sequence[tuple[int | None, str]]) -> str:
    """Two lines: what it is and how much of it, and the classes."""
    parts = " · ".join(f"{count:,} {_counted(noun, count)}" for count, noun in counted if count is not None)
    return f"{type(value).__name__}: {parts}\n  classes: {listed_classes(value.classes)}"


def _counted(plural: str, count: int) -> str:
    return plural if count != 1 else "class" if plural == "classes" else plural.removesuffix("s")


def listed_classes(names: Sequence[str]) -> str:
    """Class names in a line, those in the middle left out where there are many."""
    return ", ".join(names if len(names) <= SHOWN_CLASSES else (*names[: SHOWN_CLASSES - 1], "…", names[-1]))
