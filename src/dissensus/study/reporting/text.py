"""A study's report as Markdown, and its tables as LaTeX."""

from __future__ import annotations

import re

from dissensus.study.reporting.answers import answer
from dissensus.study.reporting.tables import Cell, ReportTable, by_metric, overview, probe_table
from dissensus.study.reporting.values import data_words, value_words
from dissensus.study.reporting.words import comparison_words, design_words, glossary, metric_words, varied
from dissensus.study.summary.summary import Summary

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
    "–": "--",
    "…": r"\ldots{}",
}


def markdown_report(summary: Summary) -> str:
    """The report as Markdown: answer, tables, what the numbers mean, remarks and failures."""
    description = summary.description
    parts = [
        f"# {_plain(description['name'])}",
        f"> {_plain(description['question'])}" * bool(description["question"]),
        " ".join(map(_plain, answer(summary))),
        "## What was compared",
        *map(_plain, data_words(summary)),
        _plain(design_words(summary)),
        "\n".join(f"- {_plain(name)}: {_plain(values)}" for name, values in varied(summary)),
        "\n".join(f"- **{_plain(name)}**: {_plain(said)}" for name, said in value_words(summary)),
        _plain(comparison_words(summary)),
        f"_{_plain(summary.interval_of)}_",
    ]
    if summary.arms:
        parts += ["## Results", markdown_table(overview(summary))]
        for metric in summary.metrics:
            table = by_metric(summary, metric)
            parts += [f"### {_plain(table.title)}", _plain(metric_words(metric)), markdown_table(table)]
        parts += ["## Probes", markdown_table(probe_table(summary))] if summary.probes else []
    parts += [
        "## What do the numbers mean?",
        "\n".join(f"- **{_plain(n)}**: {_plain(t)}" for n, t in glossary(summary)),
    ]
    if summary.remarks:
        parts += ["## Remarks", "\n".join(f"- {_plain(remark)}" for remark in summary.remarks)]
    if summary.failures:
        rows = (
            f"- `{record['cell']}`, seed {record['seed']}: {_plain(record['error'])}" for record in summary.failures
        )
        parts += ["## Failures", "\n".join(rows)]
    if description["text"]:
        fence = "`" * max(3, 1 + max(map(len, re.findall("`+", description["text"])), default=0))
        parts += ["## The study", f"{fence}toml\n{description['text'].rstrip()}\n{fence}"]
    return "\n\n".join(part for part in parts if part) + "\n"


def latex_tables(summary: Summary) -> str:
    """The tables of the report for a paper: an overview, then one for each metric. They need \\usepackage{booktabs}."""
    tables = [overview(summary), *(by_metric(summary, metric) for metric in summary.metrics)] if summary.arms else []
    tables += [probe_table(summary)] if summary.probes else []
    note = _latex(f"{summary.interval_of} {comparison_words(summary)}".strip())
    head = (
        "% \\usepackage{booktabs}; wide tables fit with \\usepackage{graphicx} and \\resizebox{\\linewidth}{!}{...}\n"
    )
    return head + "\n".join(_latex_table(table, note, place) for place, table in enumerate(tables))


def markdown_table(table: ReportTable) -> str:
    """One table of the report as Markdown."""
    head = "| " + " | ".join(_plain(column.title) for column in table.columns) + " |"
    rule = "|" + "|".join("---:" if column.number else "---" for column in table.columns) + "|"
    rows = ("| " + " | ".join(map(_markdown_cell, row)) + " |" for row in table.rows)
    return "\n".join([head, rule, *rows])


def _markdown_cell(cell: Cell) -> str:
    text = f"**{_plain(cell.text)}**" if cell.best else _plain(cell.text)
    return f"{text} ({_plain(cell.small)})" if cell.small else text


def _plain(text: str) -> str:
    """Text in which nothing is taken for Markdown or HTML, in one line."""
    return re.sub(r"([\\`*_\[\]|<>#$~]|&(?=#?\w+;))", r"\\\1", " ".join(str(text).split()))


def _latex_table(table: ReportTable, note: str, place: int) -> str:
    layout = "".join("r" if column.number else "l" for column in table.columns)
    caption = f"{_latex(table.title)}." + (f" {note}" if not place else "")
    lines = [
        r"\begin{table}",
        r"\centering",
        rf"\caption{{{caption}}}",
        rf"\label{{tab:{re.sub(r'[^a-z0-9]+', '-', table.title.lower()).strip('-')}}}",
        rf"\begin{{tabular}}{{{layout}}}",
        r"\toprule",
        _latex_row([_latex(column.title) for column in table.columns]),
        r"\midrule",
        *(_latex_row([_latex_cell(cell) for cell in row]) for row in table.rows),
        r"\bottomrule",
        r"\end{tabular}",
        r"\end{table}",
    ]
    return "\n".join(lines) + "\n"


def _latex_row(cells: list[str]) -> str:
    return " & ".join(cells) + r" \\"


def _latex_cell(cell: Cell) -> str:
    text = rf"\textbf{{{_latex(cell.text)}}}" if cell.best else _number(cell.text)
    return rf"{text} {{\scriptsize ({_latex(cell.small)})}}" if cell.small else text


def _number(text: str) -> str:
    """A number with its sign as LaTeX sets it; other text escaped."""
    return f"${text}$" if re.fullmatch(r"[-+]\d[\d.e+-]*", text) else _latex(text)


def _latex(text: str) -> str:
    return "".join(_LATEX.get(letter, letter) for letter in text)
