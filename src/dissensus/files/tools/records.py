"""Records of an annotation tool <-> the long table of answers, with errors that name the record."""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from dissensus.files.tools.export import Parsed
from dissensus.labels.frames import ROLES
from dissensus.labels.refusals import Refusal, Way

ASIDE = "data."  # before the name of a further column or field whose own name is taken


@dataclass(frozen=True)
class Place:
    """The place of a value in an export; `record` reads like "record 3", counted from 1."""

    source: str
    record: str
    tool: str

    def error(self, what: str, value: Any, expected: str) -> ValueError:
        return ValueError(
            f"{self.source}, {self.record}: {what} is {show_value(value)}, expected {expected}; correct this record or "
            f"leave it out, or export again from {self.tool}"
        )


def show_value(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 100 else text[:97] + "..."


def each_record(records: Any, source: str, tool: str) -> Iterator[tuple[Place, dict[str, Any]]]:
    """The records of an export, each an object, with their places."""
    if not isinstance(records, list) or not records:
        raise ValueError(
            f"{source}: has {show_value(records)}, expected a list of at least one record; export again from {tool}"
        )
    for number, record in enumerate(records, start=1):
        place = Place(source, f"record {number}", tool)
        yield place, as_object(record, "the record", place)


def first_of(record: dict[str, Any], *fields: str) -> Any:
    return next((record[field] for field in fields if record.get(field) is not None), None)


def as_object(value: Any, what: str, place: Place) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise place.error(what, value, "an object {...}")
    return value


def as_list(value: Any, what: str, place: Place) -> list[Any]:
    if not isinstance(value, list):
        raise place.error(what, value, "a list [...]")
    return value


def parallel_list(value: Any, count: int, what: str, place: Place) -> list[Any]:
    """A list with one entry per answer."""
    values = as_list(value, what, place)
    if len(values) != count:
        raise place.error(what, value, f"{count} entries, one per answer")
    return values


def as_name(value: Any, what: str, place: Place) -> str | int:
    if not isinstance(value, str | int) or isinstance(value, bool):
        raise place.error(what, value, "text or a whole number")
    return value


def as_label(value: Any, what: str, place: Place) -> str | int | float:
    if not isinstance(value, str | int | float) or (isinstance(value, float) and not math.isfinite(value)):
        raise place.error(what, value, "one class: text or a number")
    return value


def as_seconds(value: Any, what: str, place: Place) -> float | None:
    """A time of 0 or more, None if it is unknown."""
    if value is None:
        return None
    if isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value <= 1e300:
        return float(value)
    raise place.error(what, value, "a time of 0 or more, or null where it is unknown")


def choose_classes(choices: list[Any], place: Place) -> str | int | float | list[str | int | float]:
    """The class of an answer, or the list of them where it ticks several."""
    classes = [as_label(choice, "the choice", place) for choice in choices]
    return classes[0] if len(classes) == 1 else classes


def pick_question(asked: Iterable[str], question: str | None, source: str, left_out: Counter[str]) -> str:
    """The one question asked, or the one asked for; the others are noted as left out."""
    names = list(dict.fromkeys(asked))
    if question is None and len(names) == 1:
        return names[0]
    if question is None or question not in names:
        problem = "no question with a choice" if not names else f"the questions {names}"
        wanted = "expected one" if question is None else f"{question!r} is not among them"
        raise Refusal(f"has {problem}, {wanted}", source, [Way("name the one to read with {question}", question=...)])
    others = ", ".join(repr(name) for name in names if name != question)
    left_out[f"question{{s}} beside {question!r} ({others})"] += len(names) - 1
    return question


def no_questions(question: str | None, source: str, tool: str) -> None:
    if question is not None:
        problem = f"{tool} files have one question, so {{question}} has no effect"
        raise Refusal(problem, source, [Way("leave it out")], question=question)


def keep_fields(fields: dict[str, Any], used: Collection[str]) -> dict[str, Any]:
    """The further columns of a record: every field the reader does not use, nested ones as JSON text."""
    return {column_of(field, used): cell(value) for field, value in fields.items() if field not in used}


def further(row: dict[str, Any], used: Collection[str]) -> dict[str, Any]:
    """The fields that `kept` reads back as the further columns of a row."""
    return {field_of(column, used): uncell(value) for column, value in row.items() if column not in ROLES}


def column_of(field: str, used: Collection[str]) -> str:
    """The column of a field: 'data.label' for one named like a role, 'id' for 'data.id' where `id` is used."""
    return _move_name(field, out=ROLES, back=used)


def field_of(column: str, used: Collection[str]) -> str:
    """The field that `column_of` gives this column: the two undo each other."""
    return _move_name(column, out=used, back=ROLES)


def cell(value: Any) -> Any:
    """A JSON value as a table has it: nested values as JSON text, empty ones as nothing."""
    if isinstance(value, dict | list):
        return json.dumps(value, ensure_ascii=False) if value else None
    return value


def uncell(value: Any) -> Any:
    """The nested value behind the JSON text of a cell, where `cell` gives exactly that text again."""
    if isinstance(value, str) and value[:1] in ("{", "["):
        try:
            nested = json.loads(value)
            if nested and json.dumps(nested, ensure_ascii=False, allow_nan=False) == value:
                return nested
        except (ValueError, RecursionError):
            return value
    return value


def make_parsed(rows: list[dict[str, Any]], left_out: Counter[str], source: str) -> Parsed:
    """The long table of all rows; a column without any value is left out.

    A label that is a list makes the labels of all rows lists of text, for the answers that tick several classes.
    """
    notices = [f"{n} {what.replace('{s}', '' if n == 1 else 's')} left out" for what, n in left_out.items() if n]
    if not rows:
        raise ValueError(f"{source} has no answer ({'; '.join(notices) or 'it is empty'}); expected at least one")
    nameless = [number for number, row in enumerate(rows) if row.get("annotator") is None]
    if nameless and len(nameless) < len(rows):
        raise ValueError(
            f"{source}: the answer to item {rows[nameless[0]]['item']!r} names no annotator; {len(nameless)} of "
            f"{len(rows)} answers do not: name them, or remove the annotator everywhere"
        )
    columns: dict[str, pa.Array] = {}
    for name in dict.fromkeys((*ROLES, *(name for row in rows for name in row))):
        values = [row.get(name) for row in rows]
        if any(value is not None for value in values):
            columns[name] = _column(values, name, source)
    return Parsed(pa.table(columns), notices)


def rows_of(table: pa.Table) -> list[dict[str, Any]]:
    """The answers of a long table as plain JSON values: NaN as null, dates as text."""
    for role in ("item", "label"):
        if role not in table.column_names or table[role].null_count:
            raise ValueError(
                f"an export needs a column {role!r} without gaps; the columns are {table.column_names}: "
                "name it, or leave the rows without it out"
            )
    return [{name: _plain(value) for name, value in row.items()} for row in table.to_pylist()]


def by_item(rows: list[dict[str, Any]]) -> dict[Any, list[dict[str, Any]]]:
    """The rows of each item, items in the order they first appear."""
    groups: dict[Any, list[dict[str, Any]]] = {}
    for row in rows:
        groups.setdefault(row["item"], []).append(row)
    return groups


def shared_columns(groups: dict[Any, list[dict[str, Any]]]) -> list[str]:
    """The further columns that say the same in all answers to an item, so that they belong to the item."""
    names = [name for name in next(iter(groups.values()), [{}])[0] if name not in ROLES]
    return [name for name in names if all(row[name] == rows[0][name] for rows in groups.values() for row in rows)]


def whole_numbers(texts: list[str]) -> list[int] | list[str]:
    """Names that all are whole numbers as such (the keys of a JSON object are always text), else as they are."""
    if all(text.removeprefix("-").isdecimal() and text.isascii() and len(text) < 19 for text in texts):
        numbers = [int(text) for text in texts]
        if [str(number) for number in numbers] == texts:
            return numbers
    return texts


def _move_name(name: str, *, out: Collection[str], back: Collection[str]) -> str:
    base = name
    while base.startswith(ASIDE):
        base = base.removeprefix(ASIDE)
    if base in out and base not in back:
        return ASIDE + name
    return name.removeprefix(ASIDE) if base in back and base not in out else name


def _plain(value: Any) -> Any:
    if isinstance(value, float) and math.isnan(value):
        return None
    return value if value is None or isinstance(value, str | int | float | dict | list) else str(value)


def _column(values: list[Any], name: str, source: str) -> pa.Array:
    kinds = {type(value) for value in values if value is not None}
    try:
        name.encode()
        if list in kinds:
            lists = [v if v is None or isinstance(v, list) else [v] for v in values]
            return pa.array([v and [_text(part) for part in v] for v in lists], pa.list_(pa.string()))
        if kinds == {bool}:
            return pa.array(values, pa.bool_())
        if kinds == {int} and all(value is None or -(2**63) <= value < 2**63 for value in values):
            return pa.array(values, pa.int64())
        if kinds <= {int, float} and all(type(value) is not int or abs(value) <= 2**53 for value in values):
            return pa.array(values, pa.float64())
        return pa.array([None if v is None else _text(v) for v in values], pa.string())
    except UnicodeEncodeError as error:
        raise ValueError(
            f"{source}: column {name!r} has {show_value(error.object)}, not valid Unicode (half of a surrogate "
            "pair); correct the text, or export again as UTF-8"
        ) from None


def _text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value)
