"""Representations of the three values: sizes as text, and a card in notebooks.

`dissensus.report` draws the card and imports this package, so it registers the function that draws.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import fields, is_dataclass
from typing import Any

SHOWN_CLASSES = 12
LONGEST = 40  # characters of a field
_drawn_by: Callable[[Any], str] | None = None


def draw_cards_with(card: Callable[[Any], str]) -> None:
    """Register the function that makes the HTML of a value for notebooks."""
    global _drawn_by
    _drawn_by = card


def notebook_card(value: Any) -> str | None:
    """The HTML of a value, or None: a notebook then shows its text."""
    return None if _drawn_by is None else _drawn_by(value)


def sizes(value: Any, counted: Sequence[tuple[int | None, str]]) -> str:
    """Two lines: the type with its sizes, and the classes."""
    parts = " · ".join(f"{count:,} {_count_words(noun, count)}" for count, noun in counted if count is not None)
    return f"{type(value).__name__}: {parts}\n  classes: {list_classes(value.classes)}"


def shapes(value: Any) -> str:
    """One line for a dataclass that has arrays: these by their shape, other fields as far as they are short."""
    return f"{type(value).__name__}({', '.join(f'{f.name}={_shape(getattr(value, f.name))}' for f in fields(value))})"


def _shape(value: Any) -> str:
    if hasattr(value, "shape"):
        return " x ".join(map(str, value.shape)) or "1"
    if isinstance(value, list | tuple | dict | set):
        return f"{type(value).__name__} of {len(value)}"
    text = type(value).__name__ if is_dataclass(value) or callable(value) else repr(value)
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}…"


def _count_words(plural: str, count: int) -> str:
    return plural if count != 1 else "class" if plural == "classes" else plural.removesuffix("s")


def list_classes(names: Sequence[str]) -> str:
    """Class names in a line, those in the middle left out if there are many."""
    return ", ".join(names if len(names) <= SHOWN_CLASSES else (*names[: SHOWN_CLASSES - 1], "…", names[-1]))
