"""The numbers of probes in records, flat and over seeds."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from dissensus.study.summary.arms import Arm
from dissensus.study.summary.units import Measured, Read, Record, Units, measure

SHORT = 5  # longer lists, such as densities, do not fit a table
COUNTS = ("items", "products", "draws", "seed")  # settings, not results


def probe_numbers(arms: Sequence[Arm], units: Units) -> dict[str, dict[str, Measured]]:
    """By arm and name of the number, such as "curvature.over.all.trace.value"; those that never vary and counts of work
    are left out."""
    flat = {record["cell"]: dict(leaves(record.get("probes", {}))) for arm in arms for record in arm.done}
    seen: dict[str, set[float | None]] = {}
    for numbers in flat.values():
        for name, value in numbers.items():
            seen.setdefault(name, set()).add(value)
    vary = [name for name, values in seen.items() if len(values) > 1 or len(flat) == 1]
    names = [name for name in vary if name.rpartition(".")[2] not in COUNTS]
    return {arm.name: {name: measure(arm.done, units, _number(name, flat)) for name in names} for arm in arms if names}


def leaves(value: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[str, float | None]]:
    """The numbers in nested values with their paths; a row of a list goes by its first text, or by its epsilon."""
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from leaves(inner, (*path, str(key)))
    elif isinstance(value, list):
        rows = value if len(value) <= SHORT or all(isinstance(row, dict) for row in value) else []
        for place, row in enumerate(rows, 1):
            yield from leaves(row, (*path, _row_name(row, place)))
    elif value is None or (isinstance(value, int | float) and not isinstance(value, bool)):
        yield ".".join(path), value


def _row_name(row: Any, place: int) -> str:
    if isinstance(row, dict):
        text = next((value for value in row.values() if isinstance(value, str)), None)
        if text is not None:
            return text
        if "epsilon" in row:
            return f"epsilon {row['epsilon']:g}"
    return str(place)


def _number(name: str, flat: dict[str, dict[str, float | None]]) -> Read:
    def read(record: Record) -> tuple[float | None, float] | None:
        numbers = flat[record["cell"]]
        return (numbers[name], record["items"]["judged on"]) if name in numbers else None

    return read
