"""Tables of a page: numbers aligned, intervals in small print, long ones shown on request."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape

from dissensus.labels.intervals import Interval
from dissensus.report.cells import format_of, format_scalar, is_best, note_of
from dissensus.report.numbers import format_limits, format_number
from dissensus.report.tables import NO_COLOURS, AnyCell, Column, Drawing, Row, Table, value_of

LONG_TEXT = 180  # letters of a text before the rest is folded
CROWDED = 7  # columns from which a table has less room for each
SHORT_NAME = 16  # letters of a name that stays on one line if there is room
ARROWS = (" \N{UPWARDS ARROW}", " \N{DOWNWARDS ARROW}")
SPARE = 2  # rows that are not worth hiding
WORDY = 5  # columns, one of them of texts, from which a table is too wide for a phone


def html_rows(table: Table, colours: Mapping[str, str], label: str, *, stacks: bool = False) -> str:
    """A table in a region that scrolls sideways if nothing else helps, also by the keyboard.

    label   what the table is, for screen readers; its caption by default
    stacks  on a narrow screen, the cells of a row are below each other, as they are if one is a drawing or if the
            table is too wide for a phone
    """
    crowded = _is_crowded(table)
    pairs = stacks or (not table.has_drawings and (crowded or _is_wordy(table)))
    beside = not (stacks or table.has_drawings)  # the note, where there is room
    stacks = pairs or table.has_drawings
    count = len(table.lines)
    hides = 0 < table.shown < count - SPARE
    body = "".join(
        _row(table, row, colours, hidden=hides and place >= table.shown, titled=stacks)
        for place, row in enumerate(table.lines)
    )
    head = "".join(_head(column, table.is_number(place), colours) for place, column in enumerate(table.heads))
    titled = any(column.title for column in table.heads)
    caption = f"<caption>{escape(table.caption)}</caption>" if table.caption else ""
    look = " ".join(["stack"] * stacks + ["pairs"] * pairs + ["crowded"] * crowded)
    start = "<table" + (f' class="{look}"' if look else "") + (' role="table"' if stacks else "") + ">"
    thead = f"<thead><tr>{head}</tr></thead>" if titled else ""
    made = f"{start}{caption}{thead}<tbody>{body}</tbody></table>"
    if stacks:  # rows laid out as blocks stay rows for a screen reader only if they say so
        for tag, role in (("tr", "row"), ("td", "cell"), ("th", "columnheader")):
            made = made.replace(f"<{tag} ", f'<{tag} role="{role}" ').replace(f"<{tag}>", f'<{tag} role="{role}">')
    name = escape(table.caption or label or "table", quote=True)
    region = f'<div class="scroll" role="region" tabindex="0" aria-label="{name}">{made}</div>'
    note = f"<p>{escape(table.note)}</p>" if table.note else ""
    rows = f"{count:,} rows" if count > 1 else "1 row"
    if table.shown == 0 and count:
        return f"<details><summary>Show {rows}</summary>{region}{note}</details>"
    if not hides:
        return f'<div class="noted">{region}{note}</div>' if note and beside else region + note
    more = (
        f'<details class="more"><summary><span>Show all {rows}</span>'
        f"<span>Show the first {table.shown}</span></summary></details>"
    )
    return f'<div class="rows">{region}{more}{note}</div>'


def html_value(cell: AnyCell, format: str, colours: Mapping[str, str] = NO_COLOURS, *, wraps: bool = False) -> str:
    """The content of a cell, a fact or a card."""
    value, style = value_of(cell), format_of(cell, format)
    if isinstance(value, Interval):
        limits = format_limits(value, style)
        text = format_number(value.value, style) + (f" <small>{limits}</small>" if limits else "")
    elif isinstance(value, Drawing):
        text = value.markup
    elif isinstance(value, tuple):
        text = "".join(html_text(part) for part in value)
    elif isinstance(value, str):
        text = html_text(value) if value and wraps and value not in colours else html_name(value, colours)
    else:
        text = "" if value is None else escape(format_scalar(value, style))
    note = note_of(cell)
    return f'{text}<small class="note">{escape(note)}</small>' if note else text


def html_text(text: str) -> str:
    """A text as it is, or its beginning, which opens to the whole."""
    if len(text) <= LONG_TEXT:
        return f'<span class="text" dir="auto">{escape(text)}</span>'
    start = text[:LONG_TEXT].rsplit(" ", 1)[0] or text[:LONG_TEXT]
    return f'<details class="text" dir="auto"><summary>{escape(start)} …</summary>{escape(text)}</details>'


def html_name(name: str, colours: Mapping[str, str]) -> str:
    """A name, with the colour that it has on the page."""
    text = escape(f"{name[:-2]}\N{NO-BREAK SPACE}{name[-1]}" if name.endswith(ARROWS) else name)
    if name not in colours:
        return text
    of = escape(name, quote=True)
    return f'<span class="swatch" data-of="{of}" style="background:{colours[name]}"></span>{text}'


def _row(table: Table, row: Row, colours: Mapping[str, str], *, hidden: bool, titled: bool) -> str:
    look = " ".join([row.style] * bool(row.style) + ["rest"] * hidden)
    start = f'<tr class="{look}">' if look else "<tr>"
    if len(row.cells) == 1 < len(table.heads):
        text = html_value(row.cells[0], "")
        return f'{start}<td colspan="{len(table.heads)}">{text}</td></tr>'
    drawn = []
    for place, (column, cell) in enumerate(zip(table.heads, row.cells, strict=True)):
        classes = " ".join(["n"] * table.is_number(place) + ["name"] * _is_name(cell) + ["best"] * is_best(cell))
        attributes = f' class="{classes}"' if classes else ""
        attributes += f' data-title="{escape(column.title, quote=True)}"' if titled and column.title else ""
        inks = colours if column.coloured else NO_COLOURS
        drawn.append(f"<td{attributes}>{html_value(cell, column.format, inks, wraps=_is_text(column, cell))}</td>")
    return f"{start}{''.join(drawn)}</tr>"


def _head(column: Column, number: bool, colours: Mapping[str, str]) -> str:
    look = ' class="n"' if number else ""
    return f'<th scope="col"{look}>{html_name(column.title, colours if column.coloured else NO_COLOURS)}</th>'


def _is_text(column: Column, cell: AnyCell) -> bool:
    value = value_of(cell)
    return isinstance(value, str) and (column.wraps or len(value) > LONG_TEXT)


def _is_name(cell: AnyCell) -> bool:
    value = value_of(cell)
    return isinstance(value, str) and 0 < len(value) <= SHORT_NAME


def _is_wordy(table: Table) -> bool:
    return len(table.heads) >= WORDY and any(column.wraps for column in table.heads)


def _is_crowded(table: Table) -> bool:
    """Many columns, or more than two with intervals."""
    rows = [row.cells for row in table.lines if len(row.cells) == len(table.heads)]
    intervals = sum(any(isinstance(value_of(cell), Interval) for cell in column) for column in zip(*rows, strict=True))
    return len(table.heads) + bool(intervals) >= CROWDED or intervals > 2
