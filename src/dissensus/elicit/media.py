"""Files of items under addresses that nobody can guess: whoever was not shown an item cannot ask for it."""

from __future__ import annotations

import hmac
from collections.abc import Mapping
from pathlib import Path

from dissensus.elicit.survey.items import Units


def media_address(secret: bytes, item: str, part: int) -> str:
    """Where a browser finds a part of an item: the same for as long as the survey has its key."""
    return f"media/{_key(secret, item, part)}"


def media_files(secret: bytes, units: Units) -> dict[str, str]:
    """The file of every picture and sound, relative to the survey's folder, by the last piece of its address."""
    return {
        _key(secret, item.name, i): part.content
        for item in units.items.values()
        for i, part in enumerate(item.parts)
        if part.medium != "text"
    }


def media_path(folder: Path, files: Mapping[str, str], key: str) -> Path | None:
    """The file that is asked for; None where there is none, or where it leads out of the folder by now."""
    if key not in files:
        return None
    path = folder / files[key]
    return path if path.resolve().is_relative_to(folder.resolve()) and path.is_file() else None


def _key(secret: bytes, item: str, part: int) -> str:
    # File names may hold bytes that are not text, which Python keeps as lone surrogates.
    name = f"media\0{part}\0{item}".encode("utf-8", "surrogatepass")
    return hmac.digest(secret, name, "sha256").hex()[:32]
