"""Pieces of a part that takes long: what was done is not lost when the rest is cut short."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from dissensus.files.whole_files import write_text


def piece_of(path: Path, make: Callable[[], dict[str, Any]]) -> dict[str, Any]:
    """What was kept before, or is made now. Whatever decides it belongs into the name of the file."""
    if not path.is_file():
        write_text(json.dumps(make()), path)
    return dict(json.loads(path.read_text(encoding="utf-8")))
