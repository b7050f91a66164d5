"""A document as a page that works offline: in light and dark themes, in print and on a phone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

from dissensus.report.document import Card, Cards, Document, Figure, Section, Text, slug
from dissensus.report.html_tables import html_rows, html_value
from dissensus.report.saving import saving_script
from dissensus.report.style import PAGE_STYLE, STYLE
from dissensus.report.tables import Table

LINKED = 5  # sections from which a page has links to them
FOLD = (
    "<script>if (matchMedia('(max-width:40rem)').matches) "
    "for (const part of document.querySelectorAll('details.long')) part.open = false;</script>"
)


def html_page(document: Document) -> str:
    """Render a document as a page of its own, without anything fetched from elsewhere.

    The page is well-formed XML. Figures can be saved as SVG, PNG and CSV where scripts may run.

    Parameters
    ----------
    document
        The page as a value.

    Returns
    -------
    str
        HTML to be written to a file.

    Examples
    --------
    >>> from dissensus.report import Document
    >>> html_page(Document("Votes", "Two people say the same 70% of the time."))[:15]
    '<!doctype html>'
    """
    sections = _named_sections(document.sections)
    scripts = saving_script() if any(isinstance(block, Figure) for block in document.blocks()) else ""
    scripts += FOLD if any(isinstance(block, Section) and block.long for block in document.blocks()) else ""
    parts = [
        f"<h1>{escape(document.title)}</h1>",
        f'<p class="subtitle">{escape(document.subtitle)}</p>' if document.subtitle else "",
        f'<div class="answer"><p>{escape(document.answer)}</p></div>',
        _facts(document),
        _links(sections),
        *(_section(section, document.colours, 2, place) for place, section in sections.items()),
        scripts,
    ]
    title = document.title if not document.subtitle else f"{document.title}: {document.subtitle}"
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8"/>'
        '<meta name="viewport" content="width=device-width"/>'
        f"<title>{escape(title)} – dissensus</title><style>{PAGE_STYLE}</style></head>"
        f'<body><main class="dissensus">{"".join(parts)}</main></body></html>\n'
    )


def html_card(document: Document) -> str:
    """Render a document as the card of a notebook, which brings its own style."""
    sections = "".join(_section(section, document.colours, 3, "") for section in document.sections)
    return (
        f'<div class="dissensus"><style>{STYLE}</style><strong>{escape(document.title)}</strong>'
        f"<p>{escape(document.answer)}</p>{_facts(document)}{sections}</div>"
    )


def _named_sections(sections: Sequence[Section]) -> dict[str, Section]:
    """Sections by the anchor that links to them."""
    named: dict[str, Section] = {}
    for section in sections:
        name, count = slug(section.title) or "part", 1
        while (anchor := name if count == 1 else f"{name}-{count}") in named:
            count += 1
        named[anchor] = section
    return named


def _facts(document: Document) -> str:
    if not document.facts:
        return ""
    pairs = (f"<div><dt>{escape(name)}</dt><dd>{html_value(value, '.3f')}</dd></div>" for name, value in document.facts)
    return f"<dl>{''.join(pairs)}</dl>"


def _links(sections: Mapping[str, Section]) -> str:
    titled = {anchor: section.title for anchor, section in sections.items() if section.title}
    if len(titled) < LINKED:
        return ""
    links = "".join(f'<li><a href="#{anchor}">{escape(title)}</a></li>' for anchor, title in titled.items())
    return f'<nav aria-label="On this page"><ul>{links}</ul></nav>'


def _section(section: Section, colours: Mapping[str, str], level: int, anchor: str, label: str = "") -> str:
    below, label = min(level + bool(section.title), 4), section.title or label
    if section.columns > 1 and all(isinstance(block, Table) for block in section.blocks):
        tables = (html_rows(block, colours, label, stacks=True) for block in section.blocks if isinstance(block, Table))
        blocks = f'<div class="tables">{"".join(f"<div>{table}</div>" for table in tables)}</div>'
    else:
        blocks = "".join(_block(block, colours, below, label) for block in section.blocks)
        if section.columns > 1:
            look = " figures" * all(isinstance(block, Figure) for block in section.blocks)
            blocks = f'<div class="grid c{min(section.columns, 4)}{look}">{blocks}</div>'
    place = f' id="{anchor}"' if anchor and section.title else ""
    heading = f"<h{level}{place}>{escape(section.title)}</h{level}>" if section.title else ""
    if section.folded or section.long:
        look = "" if section.folded else ' class="long" open=""'
        blocks, heading = f"<details{look}><summary>{heading or 'Show'}</summary>{blocks}</details>", ""
    return f"<section>{heading}{blocks}</section>"


def _block(block: Any, colours: Mapping[str, str], level: int, label: str) -> str:
    if isinstance(block, Section):
        return _section(block, colours, level, "", label)
    if isinstance(block, Table):
        return f"<div>{html_rows(block, colours, label)}</div>"
    if isinstance(block, Figure):
        return _figure(block, colours, label)
    if isinstance(block, Cards):
        cards = "".join(_card(card, colours, level) for card in block.cards)
        return f'<div class="cards{" wide" * block.wide}">{cards}</div>'
    assert isinstance(block, Text)
    return _text(block)


def _text(block: Text) -> str:
    if block.style == "code":
        return f"<pre>{escape(block.text)}</pre>"
    if block.style == "list":
        entries = "".join(f"<li>{escape(line)}</li>" for line in block.text.splitlines() if line.strip())
        return f'<ul class="list">{entries}</ul>'
    look = ' class="remark"' if block.style == "remark" else ""
    return f"<p{look}>{escape(block.text)}</p>"


def _figure(figure: Figure, colours: Mapping[str, str], heading: str) -> str:
    title = "" if figure.caption == heading else escape(figure.caption)  # the heading above it says the same
    note = f"<small>{escape(figure.note)}</small>" if figure.note else ""
    caption = f"<figcaption>{title}{note}</figcaption>" if title or note else ""
    file = f' data-file="{escape(figure.file, quote=True)}"' if figure.file else ""
    numbers = ""
    if figure.table is not None:
        table = html_rows(_in_full(figure.table), colours, f"numbers of the figure {figure.caption}")
        numbers = f"<details><summary>The numbers of this figure</summary>{table}</details>"
    return f"<figure{file}>{caption}{figure.drawing}{numbers}</figure>"


def _in_full(table: Table) -> Table:
    return Table(table.columns, table.rows, table.caption, table.note, shown=max(1, len(table.rows)))


def _card(card: Card, colours: Mapping[str, str], level: int) -> str:
    value = "" if card.value is None else f"<b>{html_value(card.value, card.format)}</b>"
    note = f"<span>{escape(card.note)}</span>" if card.note else ""
    blocks = "".join(_block(block, colours, level, card.title) for block in card.blocks)
    content = "" if card.content is None else f"<div>{html_value(card.content, '', wraps=True)}</div>"
    return f'<section class="card"><span>{escape(card.title)}</span>{value}{note}{content}{blocks}</section>'
