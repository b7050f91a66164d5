"""Cards: the facts about a file of features or a model, as JSON next to it under the whole name of the file."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

FEATURES = "dissensus features 1"
HEAD = "dissensus head 1"
NETWORK = "dissensus network 1"
MODELS = (HEAD, NETWORK)
Source = str | Path | Mapping[str, str] | None


def card_of(path: Path) -> Path:
    """Return the path of the card of a file: x.npy.json for x.npy, x.safetensors.json for x.safetensors."""
    return path.with_name(f"{path.name}.json")


def describe_labels(source: Source) -> dict[str, str] | None:
    """The file or the data set that labels were read from, as a card has it."""
    if source is None or isinstance(source, Mapping):
        return None if source is None else dict(source)
    return {"path" if Path(source).exists() else "data set": str(source)}


def read_feature_card(path: Path) -> dict[str, Any] | None:
    """Read the card of a feature file, ours or a user's own {"items": [...]}; None if there is none.

    Other JSON in its place is refused, and so are names in x.json if x.npy has no card, since they would not be read.
    """
    place = card_of(path)
    if place.is_file():
        card = _content(place)
        if card is None or _kind(card) != FEATURES:
            raise ValueError(
                f'{place}: not a card of features; expected JSON such as {{"items": ["a", "b"]}}, the names of the '
                "rows: repair it, or move it away"
            )
        return card
    other = path.with_suffix(".json")
    card = _content(other) if other.is_file() else None
    if card is not None and isinstance(card.get("items"), list):
        raise ValueError(
            f"{path}: {other.name} beside it lists items, but names of rows are read from {place.name} alone: rename "
            f"{other.name} to {place.name} if these are the names of the rows, else move it away"
        )
    return None


def check_card_place(path: Path, *kinds: str) -> None:
    """Refuse to write a card over another kind of file, before any work is done."""
    place = card_of(path)
    if not place.exists():
        return
    card = _content(place) if place.is_file() else None
    if card is None or _kind(card) not in kinds:
        raise ValueError(
            f"{place}: exists and is not the card of {'features' if FEATURES in kinds else 'a model'}, so it would be "
            f"lost when the card of {path.name} is written: move it away, or choose another name than {path.name}"
        )


def _content(place: Path) -> dict[str, Any] | None:
    try:
        card = json.loads(place.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return None
    return card if isinstance(card, dict) else None


def _kind(card: dict[str, Any]) -> str | None:
    if "format" in card:
        return str(card["format"])
    return FEATURES if isinstance(card.get("items"), list) else None
