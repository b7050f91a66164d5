"""The output of `dissensus study check`: the size of a study, existing cells, and the time that the others take."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from dissensus.cli.printing import print_line


def axes_of(cells: list[Any]) -> dict[str, list[Any]]:
    """The values of each axis that has more than one; a setting is one where cells of the same model differ by it."""
    from dissensus.study.grid import list_varying
    from dissensus.study.spec import AXES

    arms = [cell.arm for cell in cells]
    by_model = [[arm for arm in arms if arm["model"] == name] for name in dict.fromkeys(arm["model"] for arm in arms)]
    settings = dict.fromkeys(key for same in by_model for key in list_varying(same) if key not in AXES)
    keys = [*(key for key in list_varying(arms) if key in AXES), *settings]
    axes = {key: list({repr(arm[key]): arm[key] for arm in arms if key in arm}.values()) for key in keys}
    folds = sorted({cell.fold for cell in cells if cell.fold is not None})
    return axes | {"seed": list(dict.fromkeys(cell.seed for cell in cells))} | ({"fold": folds} if folds else {})


def print_check(facts: dict[str, Any], folder: Path | None) -> None:
    for name, items in facts["data"].items():
        print_line(f"{name}: {items['items']:,} items, {items['classes']} classes")
    for key, values in facts["axes"].items():
        in_a_row = key in ("seed", "fold") and len(values) > 2 and values == list(range(values[0], values[-1] + 1))
        shown = (
            f"{values[0]} to {values[-1]}"
            if in_a_row
            else ", ".join("none" if value is None else str(value) for value in values)
        )
        print_line(f"{key:<16}{len(values):>4}  {shown}")
    print_line(f"{format_count(facts['arms'], 'arm')}, {format_count(facts['cells'], 'cell')}")
    if facts["power"]:
        print_line(facts["power"])
    if folder is not None:
        failed = f", {facts['failed']:,} failed" if facts["failed"] else ""
        print_line(f"{folder}: {facts['there']:,} cells done{failed}, {facts['left']:,} left")
    if "estimate" in facts:
        guess = facts["estimate"]
        by = "" if guess["workers"] == 1 else f" in {guess['workers']} processes"
        some = f"{guess['timed']} of {guess['models']}" if guess["timed"] < guess["models"] else str(guess["models"])
        timed = "cells" if guess["models"] == 1 else f"cells of {some} models"
        size = _size(guess["size"])
        print_line(f"about {span(guess['seconds'])}{by}, estimated from {timed}; about {size} on disk")


def span(seconds: float) -> str:
    """Format a time for people: "40 s", "3 min"."""
    if seconds < 1:
        return "a second"
    for unit, length, below in (("s", 1, 100), ("min", 60, 100), ("h", 3600, 48)):
        if seconds / length < below:
            return f"{seconds / length:.{1 if unit == 'h' else 0}f} {unit}"
    return f"{seconds / 86400:.1f} days"


def _size(size: float) -> str:
    for unit in ("kB", "MB", "GB"):
        size /= 1000
        if size < 1000:
            return f"{size:.3g} {unit}" if size >= 1 else f"{size:.1f} {unit}"
    return f"{size / 1000:,.1f} TB"


def format_count(count: int, thing: str) -> str:
    return f"{count:,} {thing}{'' if count == 1 else 's'}"
