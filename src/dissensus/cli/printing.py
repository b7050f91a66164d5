"""Output of the verbs: results on standard output, as a sentence or as JSON."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from dissensus.report.consoles import ResultConsole

out = ResultConsole()
AsJson = Annotated[bool, typer.Option("--json", help="Print the result as JSON.")]
HtmlPage = Annotated[Path | None, typer.Option(help="Write an HTML page to this file.")]


def print_result(facts: dict[str, Any], sentence: str, as_json: bool) -> None:
    """Print the outcome: as JSON for programs, as a sentence for people."""
    if as_json:
        print_json(facts, indent=None)
    else:
        print_line(sentence)


def print_json(value: Any, indent: int | None = 2) -> None:
    """Print a value as JSON on standard output."""
    from dissensus.labels.as_json import json_text

    typer.echo(json_text(value, indent))


def check_table_file(path: Path, option: str) -> None:
    """Refuse a file that cannot have a table with names, before anything is written."""
    from dissensus.files.formats import MATRICES, format_of

    if format_of(path, None) in MATRICES:
        raise ValueError(
            f"{option} {path}: {path.suffix} holds one number per class; expected .csv, .parquet, .jsonl, …"
        )
    if not path.parent.is_dir():
        raise ValueError(f"{option} {path}: there is no folder {path.parent}")


def print_line(text: str, style: str | None = None) -> None:
    """A line that is never wrapped, and printed unchanged."""
    out.print(text, markup=False, soft_wrap=True, style=style)
