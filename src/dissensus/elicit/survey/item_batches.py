"""Batches: items that are given together to one person, listed in a file of the survey."""

from __future__ import annotations

import csv
from collections import Counter
from functools import cache
from pathlib import Path

from dissensus.elicit.survey.items import Units
from dissensus.elicit.survey.settings import Survey


def answers_wanted(listed: dict[str, list[str]], per_item: int) -> dict[str, int]:
    """How many answers each item is to get: `per_item` people take each batch that it is in."""
    times = Counter(name for names in listed.values() for name in set(names))
    return {name: per_item * count for name, count in times.items()}


def check_batches(survey: Survey, listed: Units) -> None:
    """Check that every batch names items of the survey, and not more than one person answers."""
    if survey.protocol.draw != "batches":
        return
    there = set(listed.main)
    for batch, names in read_batches(survey.folder / survey.protocol.batches).items():
        unknown = [name for name in names if (name,) not in there]
        if unknown:
            raise ValueError(f"batch {batch!r} names item {unknown[0]!r}, which is not among the items")
        if len(set(names)) > survey.protocol.per_person:
            raise ValueError(
                f"batch {batch!r} has {len(set(names))} items, but protocol.per_person is "
                f"{survey.protocol.per_person}: raise per_person, or make smaller batches, since each is given whole "
                f"to one person"
            )


@cache
def read_batches(path: Path) -> dict[str, list[str]]:
    """The items of each batch, from a CSV file with the columns batch and item."""
    if not path.is_file():
        raise ValueError(f"{path}: no such file, but survey.toml names it as protocol.batches")
    batches: dict[str, list[str]] = {}
    with path.open(newline="", encoding="utf-8-sig") as file:
        table = csv.DictReader(file)
        if not {"batch", "item"} <= set(table.fieldnames or []):
            raise ValueError(f"{path}: columns {table.fieldnames}; expected batch and item")
        for row, cells in enumerate(table, start=2):
            if not cells["batch"] or not cells["item"]:
                raise ValueError(f"{path} row {row}: batch {cells['batch']!r}, item {cells['item']!r}; both are needed")
            batches.setdefault(cells["batch"], []).append(cells["item"])
    if not batches:
        raise ValueError(f"{path}: no rows")
    return batches
