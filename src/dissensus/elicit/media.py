"""Media files of items under addresses that cannot be guessed, so that people load only the items shown to them."""

from __future__ import annotations

import hmac
from collections.abc import Mapping
from pathlib import Path

from dissensus.elicit.survey.items import Units


def media_address(secret: bytes, item: str, part: int) -> str:
    """Return the address of a part of an item. It changes only with the secret of the survey."""
    return f"media/{_key(secret, item, part)}"


def media_files(secret: bytes, units: Units) -> dict[str, str]:
    """Map the last part of each address to the file of the picture or sound, relative to the survey's folder."""
    return {
        _key(secret, item.name, i): part.content
        for item in units.items.values()
        for i, part in enumerate(item.parts)
        if part.medium != "text"
    }


def media_path(folder: Path, files: Mapping[str, str], key: str) -> Path | None:
    """Return the file of an address, or None if there is none or it is outside the folder."""
    if key not in files:
        return None
    path = folder / files[key]
    return path if path.resolve().is_relative_to(folder.resolve()) and path.is_file() else None


def _key(secret: bytes, item: str, part: int) -> str:
    # File names may contain bytes that are not valid text; Python keeps them as lone surrogates.
    name = f"media\0{part}\0{item}".encode("utf-8", "surrogatepass")
    return hmac.digest(secret, name, "sha256").hex()[:32]
