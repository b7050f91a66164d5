"""A page as a value: an answer, facts, and sections of text, tables, figures and cards, without any markup.

Every page of the project is made by a function that turns a result into a `Document`, such as `describe_annotators`.
`html_page`, `print_document`, `markdown_page`, `latex_tables` and `as_json` render it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
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
        """Whether a column holds numbers, by its own word or by its cells."""
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
            dict(zip(keys, map(_json, row.cells), strict=True))
            for row in self.lines
            if len(row.cells) == len(keys) and row.style != "group"
        ]
        return {"caption": self.caption, "note": self.note, "columns": keys, "rows": records}


@dataclass(frozen=True)
class Text:
    """A paragraph, a remark to be seen, a list with one entry per line, or code.

    Examples
    --------
    >>> Text("3 items have no answer and are left out.", "remark").style
    'remark'
    """

    text: str
    style: Literal["plain", "remark", "list", "code"] = "plain"

    def as_json(self) -> dict[str, Any]:
        return {"text": self.text, "style": self.style}


@dataclass(frozen=True)
class Figure:
    """A chart with its caption and the numbers behind it.

    Parameters
    ----------
    caption
        What it shows, in a phrase.
    drawing
        SVG, as `line_chart` and its neighbours make it.
    table
        The numbers of the figure, folded below it and saved as CSV.
    note
        What a reader must know to read it.
    name
        Of the files that it is saved as; made from the caption by default.

    Examples
    --------
    >>> from dissensus.report import bars
    >>> Figure("Share of each class", bars([("cat", 0.7), ("dog", 0.3)], "share")).file
    'share-of-each-class'
    """

    caption: str
    drawing: str
    table: Table | None = None
    note: str = ""
    name: str = ""

    @property
    def file(self) -> str:
        return slug(self.name or self.caption)

    def as_json(self) -> dict[str, Any]:
        numbers = {} if self.table is None else {"table": self.table.as_json()}
        return {"figure": self.caption, "note": self.note, **numbers}


@dataclass(frozen=True)
class Card:
    """One number or one example item in a frame: a small title, a large value, a note, content and blocks below.

    content  of an example item: its text or picture

    Examples
    --------
    >>> Card("accuracy", 0.913, "at best 0.95", format=".1%").value
    0.913
    """

    title: str
    value: Value = None
    note: str = ""
    blocks: Sequence[Text | Figure | Table] = ()
    format: str = ".3f"
    content: Value = None

    def as_json(self) -> dict[str, Any]:
        blocks = {"blocks": [block.as_json() for block in self.blocks]} if self.blocks else {}
        return {"title": self.title, "value": _json(self.value), "note": self.note, **blocks}


@dataclass(frozen=True)
class Cards:
    """Cards side by side; `wide` gives each of them room for text and figures.

    Examples
    --------
    >>> len(Cards([Card("items", 200), Card("annotators", 12)]).cards)
    2
    """

    cards: Sequence[Card]
    wide: bool = False

    def as_json(self) -> dict[str, Any]:
        return {"cards": [card.as_json() for card in self.cards]}


@dataclass(frozen=True)
class Section:
    """A heading with its blocks; a section inside a section has a smaller heading.

    Parameters
    ----------
    title
        A noun or a task; may be empty.
    blocks
        Texts, tables, figures, cards and smaller sections, in order.
    columns
        Number of blocks side by side if there is room: 1, 2, 3 or 4.
    folded
        Shown on request only.
    detail
        For pages only: the terminal leaves it out.

    Examples
    --------
    >>> Section("Remarks", [Text("one seed only", "remark")]).columns
    1
    """

    title: str
    blocks: Sequence[Block]
    columns: int = 1
    folded: bool = False
    detail: bool = False

    def as_json(self) -> dict[str, Any]:
        return {"title": self.title, "blocks": [block.as_json() for block in self.blocks]}


Block: TypeAlias = Text | Table | Figure | Cards | Section


@dataclass(frozen=True)
class Document:
    """A page: the answer first, then facts, then sections.

    Parameters
    ----------
    title
        Heading of the page.
    answer
        One or two plain sentences that say what came out.
    facts
        Names with their values, such as ("items", 200); numbers are formatted as in a table.
    sections
        The remaining parts of the page; those with a title are linked at the top of a long page.
    subtitle
        What the page is about, such as a file name or a question.
    colours
        Colours by name, the same on the whole page: names in coloured columns get a swatch.
    name
        Of the files that the page is saved as; made from the title by default.

    Examples
    --------
    >>> document = Document("Votes", "Two people say the same 70% of the time.", facts=[("items", 200)])
    >>> from dissensus.report import markdown_page
    >>> print(markdown_page(document).splitlines()[0])
    # Votes
    """

    title: str
    answer: str
    facts: Sequence[tuple[str, Value]] = ()
    sections: Sequence[Section] = ()
    subtitle: str = ""
    colours: Mapping[str, str] = field(default_factory=dict)
    name: str = ""

    def __post_init__(self) -> None:
        if not self.answer.strip():
            raise ValueError(f"the page {self.title!r} has no answer; expected one or two sentences")

    def blocks(self) -> Iterator[Block]:
        """Every block of the page, also those inside sections and cards, in order."""
        yield from _within(self.sections)

    def as_json(self) -> dict[str, Any]:
        """Title, answer, facts and sections as JSON has them, without drawings."""
        return {
            "title": self.title,
            "subtitle": self.subtitle,
            "answer": self.answer,
            "facts": {name: _json(value) for name, value in self.facts},
            "sections": [section.as_json() for section in self.sections],
        }


def value_of(cell: AnyCell) -> Value:
    """The value of a cell, without its look."""
    return cell.value if isinstance(cell, Cell) else cell


def slug(title: str) -> str:
    """A title as a file name or an anchor: letters and digits, joined by hyphens."""
    return "-".join("".join(c if c.isascii() and c.isalnum() else " " for c in title.lower()).split())


def _within(blocks: Sequence[Any]) -> Iterator[Block]:
    for block in blocks:
        yield block
        if isinstance(block, Section):
            yield from _within(block.blocks)
        elif isinstance(block, Cards):
            for card in block.cards:
                yield from _within(card.blocks)


def _json(cell: AnyCell) -> Any:
    value = value_of(cell)
    return value.words if isinstance(value, Drawing) else as_json(value)
