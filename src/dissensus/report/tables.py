"""Tables of a page as values: columns that know their format, and rows of cells."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from numbers import Real
from types import MappingProxyType
from typing import Any, Literal, TypeAlias

from dissensus.labels.as_json import as_json
from dissensus.labels.intervals import Interval

NO_COLOURS: Mapping[str, str] = MappingProxyType({})


@dataclass(frozen=True)
class Drawing:
    """A small picture inside a table or a card: SVG or an image for pages, its words everywhere else."""

    markup: str
    words: str


@dataclass(frozen=True)
class Cell:
    """A value of a table that needs more than its number.

    best   stressed, as the best of its column or row
    note   small print below the value
    format  in place of the column's format
    """

    value: Value
    best: bool = False
    note: str = ""
    format: str = ""


Value: TypeAlias = str | int | float | Interval | Drawing | tuple[str, ...] | None
AnyCell: TypeAlias = Value | Cell


@dataclass(frozen=True)
class Column:
    """The head of a column, and how its numbers are written.

    Parameters
    ----------
    title
        Shown above the column.
    format
        Format of floats and intervals such as ".3f" or ".1%", or "p" for p-values. Integers get thousands separators.
    number
        Align to the right. By default the cells decide: True if all of them are numbers.
    wraps
        Text may be broken over lines in the terminal.
    name
        Key in JSON; the title by default.
    coloured
        The title and the text cells are names that `Document.colours` gives a colour: models, arms or classes.

    Examples
    --------
    >>> Column("accuracy", ".1%").key
    'accuracy'
    """

    title: str
    format: str = ".3f"
    number: bool | None = None
    wraps: bool = False
    name: str = ""
    coloured: bool = False

    @property
    def key(self) -> str:
        return self.name or self.title


@dataclass(frozen=True)
class Row:
    """A row with a look of its own.

    cells  as many as there are columns; a single one spans them all
    style  "best" is stressed, "aside" is set apart from the others, "group" is the heading of the rows below it
    """

    cells: Sequence[AnyCell]
    style: Literal["", "best", "aside", "group"] = ""


@dataclass(frozen=True)
class Table:
    """Rows of values; each renderer formats them itself.

    Cells are strings, integers, floats (NaN is shown as a dash), an `Interval`, None for an empty cell, a `Drawing`, a
    tuple of strings (one below the other), or a `Cell` around any of these.

    Parameters
    ----------
    columns
        A `Column` or a title for each column.
    rows
        A `Row` or a sequence of cells for each row.
    caption, note
        Above and below the table.
    shown
        Rows that a page shows at once; the other rows are shown on request. 0 folds the whole table.

    Examples
    --------
    >>> table = Table([Column("model"), Column("accuracy", ".1%")], [("mlp", 0.913), ("linear", float("nan"))])
    >>> table.is_number(0), table.is_number(1)
    (False, True)
    """

    columns: Sequence[Column | str]
    rows: Sequence[Row | Sequence[AnyCell]]
    caption: str = ""
    note: str = ""
    shown: int = 10

    def __post_init__(self) -> None:
        heads = tuple(column if isinstance(column, Column) else Column(column) for column in self.columns)
        rows = tuple(row if isinstance(row, Row) else Row(tuple(row)) for row in self.rows)
        object.__setattr__(self, "columns", heads)
        object.__setattr__(self, "rows", rows)
        for place, row in enumerate(rows):
            if len(row.cells) not in (1, len(heads)):
                raise ValueError(
                    f"row {place} of the table {self.caption!r} has {len(row.cells)} cells; expected {len(heads)}"
                )

    @property
    def heads(self) -> tuple[Column, ...]:
        return self.columns  # type: ignore[return-value]  # made columns when the table was made

    @property
    def lines(self) -> tuple[Row, ...]:
        return self.rows  # type: ignore[return-value]  # made rows when the table was made

    def is_number(self, place: int) -> bool:
        """Whether a column has numbers, as declared or by its cells."""
        return self._numbers[place]

    @cached_property
    def _numbers(self) -> tuple[bool, ...]:
        return tuple(self._holds_numbers(place) for place in range(len(self.heads)))

    @cached_property
    def has_drawings(self) -> bool:
        """Whether a cell is a drawing."""
        return any(isinstance(value_of(cell), Drawing) for row in self.lines for cell in row.cells)

    def _holds_numbers(self, place: int) -> bool:
        if (stated := self.heads[place].number) is not None:
            return stated
        cells = [value_of(row.cells[place]) for row in self.lines if len(row.cells) > 1 or len(self.heads) == 1]
        known = [cell for cell in cells if cell is not None]
        return bool(known) and all(isinstance(cell, Real | Interval) for cell in known)

    def as_json(self) -> dict[str, Any]:
        """Caption, note and one record per row; intervals as value, low and high, NaN as None."""
        keys = [column.key for column in self.heads]
        records = [
            dict(zip(keys, map(cell_json, row.cells), strict=True))
            for row in self.lines
            if len(row.cells) == len(keys) and row.style != "group"
        ]
        return {"caption": self.caption, "note": self.note, "columns": keys, "rows": records}


def value_of(cell: AnyCell) -> Value:
    """The value of a cell, without its look."""
    return cell.value if isinstance(cell, Cell) else cell


def cell_json(cell: AnyCell) -> Any:
    """The value of a cell as JSON has it."""
    value = value_of(cell)
    return value.words if isinstance(value, Drawing) else as_json(value)
