"""A document as Markdown."""

from __future__ import annotations

import re
from typing import Any

from dissensus.report.cells import format_cell, is_best, note_of
from dissensus.report.document import Cards, Document, Figure, Section, Text
from dissensus.report.tables import AnyCell, Table


def markdown_page(document: Document, *, figures: str = "") -> str:
    """Render a document as Markdown; nothing in its texts is taken for markup.

    Parameters
    ----------
    document
        The page as a value.
    figures
        Folder of the SVG files of its figures, relative to the page. Without it, figures are written as their tables.

    Returns
    -------
    str

    Examples
    --------
    >>> from dissensus.report import Document
    >>> print(markdown_page(Document("Votes", "Two people say the same 70% of the time.", [("items", 200)])))
    # Votes
    <BLANKLINE>
    **Two people say the same 70% of the time.**
    <BLANKLINE>
    - items: 200
    <BLANKLINE>
    """
    parts = [
        f"# {escape_markdown(document.title)}",
        f"> {escape_markdown(document.subtitle)}" if document.subtitle else "",
        f"**{escape_markdown(document.answer)}**",
        "\n".join(
            f"- {escape_markdown(name)}: {escape_markdown(format_cell(value))}" for name, value in document.facts
        ),
        *(_section(section, 2, figures) for section in document.sections),
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def markdown_table(table: Table) -> str:
    """Render one table as Markdown, without its caption and note."""
    head = "| " + " | ".join(escape_markdown(column.title) for column in table.heads) + " |"
    rule = "|" + "|".join("---:" if table.is_number(place) else "---" for place in range(len(table.heads))) + "|"
    rows = []
    for row in table.lines:
        if len(row.cells) == 1 < len(table.heads):
            cells = [f"**{escape_markdown(format_cell(row.cells[0]))}**", *[""] * (len(table.heads) - 1)]
        else:
            formats = (column.format for column in table.heads)
            cells = [_cell(cell, form, row.style == "best") for cell, form in zip(row.cells, formats, strict=True)]
        rows.append("| " + " | ".join(cells) + " |")
    return "\n".join([head, rule, *rows])


def escape_markdown(text: str) -> str:
    """Text in one line, in which nothing is taken for Markdown or HTML."""
    escaped = re.sub(r"([\\`*_\[\]|>#$~]|&(?=#?\w+;))", r"\\\1", " ".join(str(text).split()))
    return escaped.replace("<", "&lt;")  # Python-Markdown shows the backslash of an escaped <


def _cell(cell: AnyCell, format: str, best: bool) -> str:
    text, note = escape_markdown(format_cell(cell, format)), escape_markdown(note_of(cell))
    text = f"**{text}**" if text and (best or is_best(cell)) else text
    return f"{text} ({note})" if note else text


def _section(section: Section, level: int, figures: str) -> str:
    parts = [f"{'#' * level} {escape_markdown(section.title)}"] if section.title else []
    below = min(level + bool(section.title), 6)
    parts += [_block(block, below, figures) for block in section.blocks]
    return "\n\n".join(part for part in parts if part)


def _block(block: Any, level: int, figures: str) -> str:
    if isinstance(block, Section):
        return _section(block, level, figures)
    if isinstance(block, Table):
        caption, note = (escape_markdown(text) for text in (block.caption, block.note))
        parts = [f"**{caption}**" if caption else "", markdown_table(block), note]
    elif isinstance(block, Figure):
        parts = _figure(block, figures)
    elif isinstance(block, Cards):
        parts = []
        for card in block.cards:
            value, note = (escape_markdown(text) for text in (format_cell(card.value, card.format), card.note))
            line = f"- {escape_markdown(card.title)}" + (f": **{value}**" if value else "")
            parts.append(f"{line} ({note})" if note else line)
            parts += [_block(inner, level, figures) for inner in card.blocks]
    else:
        assert isinstance(block, Text)
        parts = [_text(block)]
    return "\n\n".join(part for part in parts if part)


def _figure(figure: Figure, figures: str) -> list[str]:
    caption, note = escape_markdown(figure.caption), escape_markdown(figure.note)
    if figures:
        # A reader sees the caption only if it is below the image as well.
        return [f"![{caption}]({figures}/{figure.file}.svg)", f"{caption}. {note}" if note else ""]
    return [f"**{caption}**", note, markdown_table(figure.table)] if figure.table is not None else []


def _text(block: Text) -> str:
    if block.style == "code":
        fence = "`" * max(3, 1 + max(map(len, re.findall("`+", block.text)), default=0))
        return f"{fence}\n{block.text.rstrip()}\n{fence}"
    if block.style == "list":
        return "\n".join(f"- {escape_markdown(line)}" for line in block.text.splitlines() if line.strip())
    return f"{'> ' if block.style == 'remark' else ''}{escape_markdown(block.text)}"
