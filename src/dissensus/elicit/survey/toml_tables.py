"""Tables of a TOML file as frozen records: known keys only, each value of the type that the record says."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from typing import Any

TYPES: dict[str, Any] = {"str": str, "int": int, "bool": bool, "float": (int, float)}
EXPECTED = {"str": "a text", "int": "a whole number", "bool": "true or false", "float": "a number"}


def read_section(record: type, name: str, tables: dict[str, Any], *, within: str = "") -> Any:
    """The record of the table [name]; `within` is the path to `tables`, where it is a table itself."""
    table = tables.get(name, {})
    if not isinstance(table, dict):
        raise ValueError(f"[{within}{name}] is {table!r}; expected a table")
    return _read_record(record, f"[{within}{name}]", table)


def read_rows(record: type, name: str, tables: dict[str, Any]) -> list[Any]:
    """The records of the tables [[name]]."""
    rows = tables.get(name, [])
    if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        raise ValueError(f"{name} is {rows!r}; expected tables [[{name}]]")
    return [_read_record(record, f"[[{name}]] number {i + 1}", row) for i, row in enumerate(rows)]


def _read_record(record: type, where: str, table: dict[str, Any]) -> Any:
    """A frozen record from a table: known keys only, each of the type that its default or annotation has."""
    check_keys(where, table, {field.name for field in fields(record)})
    given: dict[str, Any] = {}
    for field in fields(record):
        if field.name not in table:
            if field.default is field.default_factory:  # both are MISSING
                raise ValueError(f"{where} has no {field.name}")
            continue
        value, wanted = table[field.name], str(field.type)
        if wanted.startswith("tuple"):
            if not isinstance(value, list) or not all(isinstance(part, str) for part in value):
                raise ValueError(f"{where}: {field.name} is {value!r}; expected a list of texts")
            value = tuple(value)
        if not isinstance(value, TYPES.get(wanted, object)) or (isinstance(value, bool) and wanted != "bool"):
            raise ValueError(f"{where}: {field.name} is {value!r}; expected {EXPECTED[wanted]}")
        given[field.name] = value
    return record(**given)


def check_keys(where: str, table: Mapping[str, Any], known: set[str]) -> None:
    unknown = sorted(set(table) - known)
    if unknown:
        raise ValueError(f"{where} has the unknown key {unknown[0]!r}; known are {', '.join(sorted(known))}")


def check_one_of(name: str, value: Any, allowed: tuple[str, ...]) -> None:
    if value not in allowed:
        quotes = f', in quotes: "{value}"' if str(value) in allowed else ""
        raise ValueError(f"{name} is {value!r}; expected one of {', '.join(allowed)}{quotes}")


def check_text(name: str, value: Any) -> str:
    if not isinstance(value, str):
        raise ValueError(f"{name} is {value!r}; expected a text")
    return value
