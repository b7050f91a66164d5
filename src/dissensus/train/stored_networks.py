"""Networks in the data folder, found by a short name such as cifar10-swift16."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from dissensus.datasets.folder import store_folders
from dissensus.labels.refusals import Refusal, Way

ENDING = ".safetensors"


def find_network(source: str | Path) -> Path:
    """Find the file of a network: a path, or the name of a stored network, with or without the key of its settings.

    A file wins over a stored network of the same name.
    """
    path = Path(source)
    if path.exists() or path.suffix or len(path.parts) > 1:
        return path
    stored = list(stored_networks(path.name))
    if not stored:
        ways = [Way("pretrain one with `dissensus data pretrain cifar10-train`")]
        raise Refusal("no such file, and no stored network of that name", str(source), ways)
    if len(stored) > 1:
        names = ", ".join(file.stem for file in stored)
        raise Refusal(
            f"{len(stored)} networks of that name are stored, with different settings: {names}; the cards in "
            f"{stored[0].parent} have the settings",
            str(source),
            [Way("choose one by its whole name")],
        )
    return stored[0]


def stored_networks(name: str) -> Iterator[Path]:
    """Yield the stored networks of a name, each once; those of the data folder come first."""
    known = set()
    for folder in store_folders():
        for file in sorted(folder.glob(f"*{ENDING}")):
            if re.fullmatch(rf"{re.escape(name)}(-[0-9a-f]{{16}})?", file.stem) and file.stem not in known:
                known.add(file.stem)
                yield file
