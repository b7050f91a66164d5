"""Batches: items that one person gets together, from a CSV file of the survey."""

from __future__ import annotations

import csv
from collections import Counter
from functools import cache
from pathlib import Path

from dissensus.elicit.survey.items import Units
from dissensus.elicit.survey.settings import Survey
from dissensus.labels.refusals import one_of


def answers_wanted(batches: dict[str, list[str]], per_item: int) -> dict[str, int]:
    """Return the answers wanted by item: `per_item` for each batch that contains it."""
    times = Counter(name for names in batches.values() for name in set(names))
    return {name: per_item * count for name, count in times.items()}


def check_batches(survey: Survey, units: Units) -> None:
    """Check that every batch contains only items of the survey, and at most `per_person`."""
    if survey.protocol.draw != "batches":
        return
    main = {names[0] for names in units.main if len(names) == 1}
    for batch, names in read_batches(survey.folder / survey.protocol.batches).items():
        if unknown := [name for name in names if name not in main]:
            one_of("item", unknown[0], [name for (name,) in units.main], place=f"batch {batch!r}")
        if len(set(names)) > survey.protocol.per_person:
            raise ValueError(
                f"batch {batch!r} has {len(set(names))} items, but protocol.per_person is "
                f"{survey.protocol.per_person}, and one person gets the whole batch; raise per_person, or make smaller "
                "batches"
            )


@cache
def read_batches(path: Path) -> dict[str, list[str]]:
    """Read the items of each batch from a CSV file with the columns batch and item."""
    if not path.is_file():
        raise ValueError(f"{path}: no such file; protocol.batches in survey.toml refers to it")
    batches: dict[str, list[str]] = {}
    with path.open(newline="", encoding="utf-8-sig") as file:
        table = csv.DictReader(file)
        if not {"batch", "item"} <= set(table.fieldnames or []):
            raise ValueError(f"{path}: columns {table.fieldnames}; expected batch and item")
        for row, cells in enumerate(table, start=2):
            if not cells["batch"] or not cells["item"]:
                raise ValueError(
                    f"{path} row {row}: batch is {cells['batch']!r}, item is {cells['item']!r}; fill in both"
                )
            batches.setdefault(cells["batch"], []).append(cells["item"])
    if not batches:
        raise ValueError(f"{path}: no rows")
    return batches
