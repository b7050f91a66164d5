"""A page as a value: an answer, facts, and sections of text, tables, figures and cards, without any markup.

Every page of the project is made by a function that turns a result into a `Document`, such as `describe_annotators`.
`html_page`, `print_document`, `markdown_page`, `latex_tables` and `as_json` render it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

from dissensus.report.tables import AnyCell, Value, cell_json
from dissensus.report.tables import Cell as Cell
from dissensus.report.tables import Column as Column
from dissensus.report.tables import Drawing as Drawing
from dissensus.report.tables import Row as Row
from dissensus.report.tables import Table as Table


@dataclass(frozen=True)
class Text:
    """A paragraph, a highlighted remark, a list with one entry per line, or code.

    Parameters
    ----------
    text
        The text, without markup; lines of a list are its entries.
    style
        "plain", "remark", "list" or "code".

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

    Parameters
    ----------
    title
        Name of the number or the item.
    value
        The number, formatted as in a table.
    note
        A remark on the number.
    blocks
        Texts, figures and tables below it.
    format
        Format of the number, such as ".1%".
    content
        Text or picture of an example item.

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
        return {"title": self.title, "value": cell_json(self.value), "note": self.note, **blocks}


@dataclass(frozen=True)
class Cards:
    """Cards side by side.

    Parameters
    ----------
    cards
        The cards, in order.
    wide
        Whether each card has room for text and figures.

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
    long
        Folded on a phone, where it would push the sections below it far down.
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
    long: bool = False

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
    facts: Sequence[tuple[str, AnyCell]] = ()
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
            "facts": {name: cell_json(value) for name, value in self.facts},
            "sections": [section.as_json() for section in self.sections],
        }


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
