"""The tables of a document for a paper."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from dissensus.labels.intervals import Interval
from dissensus.report.cells import format_cell, format_of, is_best, note_of
from dissensus.report.document import Document, Section, slug
from dissensus.report.numbers import format_limits, format_number, has_ends
from dissensus.report.tables import AnyCell, Table, value_of

HEAD = "% \\usepackage{booktabs}; wide tables fit with \\usepackage{graphicx} and \\resizebox{\\linewidth}{!}{...}\n"
_LATEX = {
    "\\": r"\textbackslash{}",
    "&": r"\&",
    "%": r"\%",
    "$": r"\$",
    "#": r"\#",
    "_": r"\_",
    "{": r"\{",
    "}": r"\}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "|": r"\textbar{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "[": "{[}",
    "]": "{]}",
    "*": "{*}",
    "`": r"\textasciigrave{}",
    "↑": r"$\uparrow$",
    "↓": r"$\downarrow$",
    "·": r"$\cdot$",
    "±": r"$\pm$",
    "∞": r"$\infty$",
    "–": "--",
    "…": r"\ldots{}",
}


def latex_tables(document: Document, *, details: bool = False) -> str:
    r"""Render the tables of a document with booktabs, each with a caption and a label.

    An interval whose ends are equally far from its value is written with ±, any other with both ends.

    Parameters
    ----------
    document
        The page as a value.
    details
        Tables of sections that are folded or marked as `detail` too.

    Returns
    -------
    str

    Examples
    --------
    >>> from dissensus.report import Document, Section, Table
    >>> table = Table(["model", "accuracy"], [("mlp", 0.913)], "Scores")
    >>> print(latex_tables(Document("Run", "It works.", sections=[Section("", [table])])).splitlines()[-4])
    mlp & 0.913 \\
    """
    tables = list(_tables_of(document.sections, document.title, details))
    return HEAD + "\n".join(latex_table(table) for table in tables)


def latex_table(table: Table) -> str:
    """Render one table."""
    layout = "".join("r" if table.is_number(place) else "l" for place in range(len(table.heads)))
    caption = " ".join(part for part in (_sentence(table.caption), escape_latex(table.note)) if part)
    lines = [
        r"\begin{table}",
        r"\centering",
        rf"\caption{{{caption}}}",
        rf"\label{{tab:{slug(table.caption)}}}",
        rf"\begin{{tabular}}{{{layout}}}",
        r"\toprule",
        _row([escape_latex(column.title) for column in table.heads]),
        r"\midrule",
    ]
    for row in table.lines:
        if len(row.cells) == 1 < len(table.heads):
            text = escape_latex(format_cell(row.cells[0]))
            lines.append(rf"\multicolumn{{{len(table.heads)}}}{{l}}{{\textit{{{text}}}}} \\")
        else:
            formats = (column.format for column in table.heads)
            lines.append(
                _row([_cell(cell, form, row.style == "best") for cell, form in zip(row.cells, formats, strict=True)])
            )
    return "\n".join([*lines, r"\bottomrule", r"\end{tabular}", r"\end{table}"]) + "\n"


def escape_latex(text: str) -> str:
    """Text in one line, in which nothing is taken for a command: a blank line would end a caption."""
    return "".join(_LATEX.get(letter, letter) for letter in " ".join(text.split()))


def _tables_of(blocks: Sequence[Any], title: str, details: bool) -> Iterator[Table]:
    """Tables in order; one without a caption takes the title of its section."""
    for block in blocks:
        if isinstance(block, Table):
            yield replace(block, caption=block.caption or title)
        elif isinstance(block, Section) and (details or not (block.folded or block.detail)):
            yield from _tables_of(block.blocks, block.title or title, details)


def _cell(cell: AnyCell, format: str, best: bool) -> str:
    value, style, note = value_of(cell), format_of(cell, format), note_of(cell)
    if isinstance(value, Interval):
        number = _number(format_number(value.value, style))
        ends = _ends(value, style)
    else:
        number, ends = _number(format_cell(cell, style)), ""
    text = rf"\textbf{{{number}}}" if number and (best or is_best(cell)) else number
    return f"{text}{ends}" + (rf" {{\scriptsize ({escape_latex(note)})}}" if note else "")


def _ends(interval: Interval, format: str) -> str:
    """± half the width if both ends are equally far away as shown, otherwise both ends."""
    if not has_ends(interval):
        return ""
    plain = format.lstrip("+")
    above, below = interval.high - interval.value, interval.value - interval.low
    if format_number(above, plain) == format_number(below, plain):
        return rf" {{\scriptsize $\pm$ {escape_latex(format_number(above, plain))}}}"
    return rf" {{\scriptsize ({escape_latex(format_limits(interval, format))})}}"


def _number(text: str) -> str:
    """A number with its sign as LaTeX sets it; other text escaped."""
    return f"${text}$" if re.fullmatch(r"[-+]\d[\d.e+-]*", text) else escape_latex(text)


def _sentence(text: str) -> str:
    return f"{escape_latex(text.rstrip('.'))}." if text else ""


def _row(cells: Sequence[str]) -> str:
    return " & ".join(cells) + r" \\"
