"""Tables and lists of facts, on a page and in the terminal, and how numbers are written in them."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from html import escape

from dissensus.labels.intervals import Interval
from dissensus.report.document import Column as Column


class Html(str):
    """Markup that stands in a table as it is; any other text is escaped."""


@dataclass(frozen=True)
class Row:
    """A row with a look of its own.

    cells  as many as there are columns; a single one spans them all
    style  CSS class of the row on a page, such as "best" or "group"; in the terminal "best" is bold, "aside" italic
    best   places of single cells to stress
    """

    cells: Sequence[str]
    style: str = ""
    best: Collection[int] = ()


TERMINAL_STYLES = {"best": "bold", "aside": "italic"}


def swatch(name: str, colours: Mapping[str, str]) -> Html:
    """A name with the colour that it has on the page."""
    mark = f'<span class="swatch" data-of="{escape(name, quote=True)}" style="background:{colours[name]}"></span>'
    return Html(f"{mark}{escape(name)}")


def html_table(columns: Sequence[Column], rows: Iterable[Row | Sequence[str]], *, stacks: bool = False) -> str:
    """A table of a report page: see `page.STYLE` for its look.

    stacks  on a narrow screen each cell has its title before it instead of above it, and the last cell, such as a
            figure, stands below the others
    """
    head = "".join(_tag("th", "n" * bool(column.number), column.title) for column in columns)
    table = f"<table><tr>{head}</tr>{''.join(_html_row(columns, row, stacks) for row in rows)}</table>"
    if not stacks:
        return table
    # Rows that are laid out as blocks stay rows for a screen reader only if they say so.
    roles = {
        "<table>": '<table class="stack" role="table">',
        "<tr": '<tr role="row"',
        "<td": '<td role="cell"',
        "<th": '<th role="columnheader"',
    }
    for plain, told in roles.items():
        table = table.replace(plain, told)
    return table


def scrolling(table: str, name: str, style: str = "") -> str:
    """A table in a frame of its own that scrolls sideways where it is too wide, also by the keyboard."""
    look = f"scroll {style}".strip()
    return f'<div class="{look}" role="region" tabindex="0" aria-label="{escape(name, quote=True)}">{table}</div>'


def facts_list(facts: Iterable[tuple[str, str]]) -> str:
    """Names with their values, large and side by side, at the top of a page."""
    return "<dl>" + "".join(f"<div><dt>{_html(n)}</dt><dd>{_html(v)}</dd></div>" for n, v in facts) + "</dl>"


def print_table(
    columns: Sequence[Column], rows: Iterable[Row | Sequence[str]], *, title: str = "", ruled: bool = False
) -> None:
    """The table in the terminal, under a title; `ruled` draws a line below the head, which is left out if empty."""
    from rich import box
    from rich.cells import cell_len
    from rich.table import Table
    from rich.text import Text

    from dissensus.report.consoles import ResultConsole

    look = box.SIMPLE_HEAD if ruled else None
    headed = any(column.title for column in columns)
    table = Table(box=look, pad_edge=False, padding=(0, 1) if ruled else (0, 2, 0, 0), show_header=headed)
    widths = [cell_len(column.title) for column in columns]
    for column in columns:
        table.add_column(
            Text(column.title), justify="right" if column.number else "left", overflow="fold", no_wrap=not column.wraps
        )
    for row in rows:
        cells, style = (row.cells, row.style) if isinstance(row, Row) else (row, "")
        for place, cell in enumerate(cells):
            words = cell.split() if columns[place].wraps else [cell]
            widths[place] = max(widths[place], *map(cell_len, words or [""]))
        table.add_row(*(Text(cell) for cell in cells), style=TERMINAL_STYLES.get(style))
    console = ResultConsole()
    # A number whose last digits are cut off is another number: the table is rather wider than the terminal.
    console.width = max(console.width, sum(widths) + 3 * len(widths))
    if title:  # not the table's own, which would be broken where the table is narrower
        console.print(Text(title, style="italic"), soft_wrap=True)
    console.print(table)


def print_facts(facts: Iterable[tuple[str, str]]) -> None:
    """Names with their values in the terminal, one pair per line."""
    from rich.table import Table
    from rich.text import Text

    from dissensus.report.consoles import ResultConsole

    table = Table.grid(padding=(0, 2))
    table.add_column(no_wrap=True)
    table.add_column(overflow="fold")  # a long name goes on in the next line, where it would else be cut
    for name, value in facts:
        table.add_row(Text(name), Text(value))
    ResultConsole().print(table)


def shown_number(value: float, style: str = ".3f", *, infinite: str = "∞") -> str:
    """A number in a format, a dash where it is not known."""
    return "–" if math.isnan(value) else infinite if math.isinf(value) else format(value, style)


def shown_interval(interval: Interval, style: str = ".3f") -> str:
    """A value with its interval, `0.123 [0.101, 0.145]`; the value alone where there is no interval."""
    value = shown_number(interval.value, style)
    if math.isnan(interval.low) or math.isinf(interval.value):
        return value
    return f"{value} [{format(interval.low, style)}, {format(interval.high, style)}]"


def _html_row(columns: Sequence[Column], row: Row | Sequence[str], titled: bool) -> str:
    row = row if isinstance(row, Row) else Row(row)
    start = f'<tr class="{row.style}">' if row.style else "<tr>"
    if len(row.cells) == 1 < len(columns):
        return f'{start}<td colspan="{len(columns)}">{_html(row.cells[0])}</td></tr>'
    classes = (["n"] * bool(column.number) + ["best"] * (place in row.best) for place, column in enumerate(columns))
    titles = (column.title if titled else "" for column in columns)
    cells = (
        _tag("td", " ".join(each), cell, title) for each, cell, title in zip(classes, row.cells, titles, strict=True)
    )
    return f"{start}{''.join(cells)}</tr>"


def _tag(name: str, style: str, content: str, title: str = "") -> str:
    attributes = (f' class="{style}"' if style else "") + (f' data-title="{escape(title)}"' if title else "")
    return f"<{name}{attributes}>{_html(content)}</{name}>"


def _html(text: str) -> str:
    return text if isinstance(text, Html) else escape(text)
