"""A document in the terminal: the answer, facts and tables; figures as their numbers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from dissensus.labels.intervals import Interval
from dissensus.report.cells import BAR, format_cell, is_best, note_of
from dissensus.report.document import Cards, Document, Figure, Section, Text
from dissensus.report.tables import AnyCell, Drawing, Row, Table, value_of

if TYPE_CHECKING:
    from dissensus.report.consoles import ResultConsole

WIDEST_BAR = 40  # columns of the terminal
SCREENFUL = 40  # rows; of a longer table the first ones are printed
ROW_STYLES = {"best": "bold", "aside": "italic", "group": "bold"}


def print_document(document: Document, *, details: bool = False) -> None:
    """Print a document: its answer, its facts, then the tables of all sections.

    Figures are printed as their tables. Sections marked as `detail` are left out, since a page has them. Of a table
    with more than 40 rows the first `shown` are printed.

    Parameters
    ----------
    document
        The page as a value.
    details
        Print the sections marked as `detail` too.

    Returns
    -------
    None

    Examples
    --------
    >>> from dissensus.report import Document
    >>> print_document(Document("Votes", "Two people say the same 70% of the time.", facts=[("items", 200)]))
    Votes
    Two people say the same 70% of the time.
    <BLANKLINE>
    items  200
    """
    from dissensus.report.consoles import ResultConsole

    console = ResultConsole()
    _line(console, document.title, "bold")
    if document.subtitle:
        _line(console, document.subtitle)
    _line(console, document.answer)
    if document.facts:
        _line(console, "")
        print_pairs([(name, format_cell(value)) for name, value in document.facts], console)
    for section in document.sections:
        if details or not section.detail:
            _print_section(section, console, details, "bold")


def print_rows(table: Table, console: ResultConsole | None = None) -> None:
    """Print a table under its caption; no number is cut, however narrow the terminal is."""
    from rich.cells import cell_len

    from dissensus.report.consoles import ResultConsole

    console = console or ResultConsole()
    printed = table.lines if len(table.lines) <= max(SCREENFUL, table.shown) else table.lines[: max(table.shown, 1)]
    made = [(row, _text_cells(table, row, console)) for row in printed]
    widths = [cell_len(column.title) for column in table.heads]
    for row, cells in made:
        for place, cell in enumerate(cells if len(row.cells) == len(table.heads) else ()):
            words = cell.plain.split() if table.heads[place].wraps else [cell.plain]
            widths[place] = max(widths[place], *map(cell_len, words or [""]))
    if table.caption:
        _line(console, table.caption, "italic")
    width = console.width
    # A number whose last digits are cut off is another number: the table is rather wider than the terminal.
    console.width = max(width, sum(widths) + 3 * len(widths))
    titled, grid = any(column.title for column in table.heads), None
    for row, cells in made:
        if len(row.cells) == 1 < len(table.heads):  # a line of its own, which does not widen the first column
            if grid is not None or titled:
                console.print(grid or _grid(table, widths, titled))
            titled, grid = False, None
            console.print(*cells, soft_wrap=True, style=ROW_STYLES.get(row.style))
            continue
        grid = grid or _grid(table, widths, titled)
        grid.add_row(*cells, style=ROW_STYLES.get(row.style))
    if grid is not None or titled:
        console.print(grid or _grid(table, widths, titled))
    console.width = width
    if hidden := len(table.lines) - len(printed):
        _line(console, f"… and {hidden:,} more rows")
    if table.note:
        _line(console, table.note)


def _grid(table: Table, widths: Sequence[int], titled: bool) -> Any:
    """Columns that are as wide in all parts of a table."""
    from rich.table import Table as Grid
    from rich.text import Text as Words

    grid = Grid(box=None, pad_edge=False, padding=(0, 2, 0, 0), show_header=titled)
    for place, column in enumerate(table.heads):
        grid.add_column(
            Words(column.title),
            justify="right" if table.is_number(place) and column.format != BAR else "left",
            overflow="fold",
            no_wrap=not column.wraps,
            min_width=widths[place],
        )
    return grid


def print_pairs(pairs: Sequence[tuple[str, str]], console: ResultConsole | None = None) -> None:
    """Print names with their values, one pair per line."""
    from rich.table import Table as Grid
    from rich.text import Text as Words

    from dissensus.report.consoles import ResultConsole

    grid = Grid.grid(padding=(0, 2))
    grid.add_column(no_wrap=True)
    grid.add_column(overflow="fold")  # a long value continues in the next line instead of being cut
    for name, value in pairs:
        grid.add_row(Words(name), Words(value))
    (console or ResultConsole()).print(grid)


def _print_section(section: Section, console: ResultConsole, details: bool, style: str) -> None:
    if section.title:
        _line(console, "")
        _line(console, section.title, style)
    for place, block in enumerate(section.blocks):
        captioned = (isinstance(block, Figure) and block.table is not None) or (
            isinstance(block, Table) and block.caption
        )
        if place and captioned:
            _line(console, "")
        _print_block(block, console, details)


def _print_block(block: Any, console: ResultConsole, details: bool) -> None:
    if isinstance(block, Section):
        if details or not block.detail:
            _print_section(block, console, details, "italic")
    elif isinstance(block, Table):
        print_rows(block, console)
    elif isinstance(block, Figure):
        if block.table is not None:
            _line(console, block.caption, "italic")
            print_rows(block.table, console)
    elif isinstance(block, Cards):
        for card in block.cards:
            value = format_cell(card.value, card.format)
            _line(console, "  ".join(part for part in (card.title, value, card.note) if part))
            for inner in card.blocks:
                _print_block(inner, console, details)
    else:
        assert isinstance(block, Text)
        mark = {"list": "- ", "code": "  "}.get(block.style, "")
        for line in block.text.splitlines():
            _line(console, f"{mark}{line}" if line.strip() else "")


def _text_cells(table: Table, row: Row, console: ResultConsole) -> list[Any]:
    from rich.text import Text as Words

    if len(row.cells) == 1 < len(table.heads):
        return [Words(format_cell(row.cells[0]))]
    made = []
    for place, (column, cell) in enumerate(zip(table.heads, row.cells, strict=True)):
        text, note = format_cell(cell, column.format), note_of(cell)
        if column.format == BAR:
            text = f"{_bar(table, place, cell, console)} {text}"
        made.append(Words(f"{text} ({note})" if note else text, style="bold" if is_best(cell) else ""))
    return made


def _bar(table: Table, place: int, cell: AnyCell, console: ResultConsole) -> str:
    """A bar as long as the number is large among those of its column, in the room that the other columns leave."""
    rows = [row.cells for row in table.lines if len(row.cells) == len(table.heads)]
    largest, amount = max(_amount(row[place]) for row in rows) or 1.0, _amount(cell)
    full, thin = ("█", "▏") if _can_show("█▏", console.encoding) else ("#", "|")
    texts = [[format_cell(each, head.format) for each, head in zip(row, table.heads, strict=True)] for row in rows]
    taken = sum(2 + max(len(text) for text in column) for column in zip(*texts, strict=True)) - 1
    room = max(1, min(WIDEST_BAR, console.width - taken))
    return full * round(room * amount / largest) or (thin if amount else "")


def _amount(cell: AnyCell) -> float:
    value = value_of(cell)
    return 0.0 if value is None or isinstance(value, str | tuple | Interval | Drawing) else float(value)


def _can_show(signs: str, encoding: str) -> bool:
    try:
        signs.encode(encoding)
    except UnicodeEncodeError:
        return False
    return True


def _line(console: ResultConsole, text: str, style: str | None = None) -> None:
    """Print a paragraph as it is: wrapped between words in a terminal, one line in a pipe or a file."""
    console.print(text, markup=False, style=style)
