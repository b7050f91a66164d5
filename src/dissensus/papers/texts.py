"""What readers see of a paper, in TOML files next to its code: statements, titles of figures, names, differences.

["table-1-{method}-{k}"]        # {names} in the key and in its texts are filled in by the code
source = "table 1, K = {k}"
claim = "With {k} votes per image, {delivery} has a lower soft NLL than soft labels"
"""

from __future__ import annotations

from collections.abc import Callable
from importlib.resources import files
from pathlib import Path
from typing import Any

from dissensus.files.toml import read_toml


def read_texts(paper: str, name: str) -> Callable[..., dict[str, Any]]:
    """Read a file such as "claims.toml"; return a function of a key and words, which fills in the texts of that key."""
    texts = read_tables(paper, name)

    def fill(key: str, words: dict[str, Any]) -> dict[str, Any]:
        return {"key": key.format(**words)} | {name: text.format(**words) for name, text in texts[key].items()}

    return fill


def read_differences(paper: str) -> tuple[list[tuple[str, str, str]], dict[str, str]]:
    """Read how runs at every scale differ from the paper, (aspect, in the paper, here), and sizes of the paper."""
    tables = read_tables(paper, "differences.toml")
    return [(aspect, *pair) for aspect, pair in tables.get("always", {}).items()], tables.get("paper", {})


def read_tables(paper: str, name: str) -> dict[str, Any]:
    tables, _ = read_toml(Path(str(files("dissensus.papers") / paper / name)))
    return tables
