"""The results in a study's folder: `dissensus study status | table | report | diff`."""

from __future__ import annotations

import csv as csv_module
import io
from pathlib import Path
from typing import Annotated, Any

import typer

from dissensus.cli.overwriting import refuse_overwriting
from dissensus.cli.printing import AsJson, print_json, print_line
from dissensus.cli.reading import one_line_errors, say

Folder = Annotated[Path, typer.Argument(help="Folder of the study, made by `study run`.")]


def status(folder: Folder, as_json: AsJson = False) -> None:
    """Print the status of a study: cells done, failed and missing, the code that made them, and the running process.

    Example: dissensus study status runs
    """
    with one_line_errors():
        from dissensus.report import print_document
        from dissensus.study.reporting.status import describe_status
        from dissensus.study.status import study_status

        now = study_status(folder)
    if as_json:
        print_json(now, indent=None)
    else:
        print_document(describe_status(now, folder))
        if now.failed:
            say(f"after fixing the cause: dissensus study run STUDY.toml -o {folder} --retry")


def table(
    folder: Folder,
    as_json: AsJson = False,
    csv: Annotated[Path | None, typer.Option(help="Write one row per cell to this file.")] = None,
    markdown: Annotated[bool, typer.Option("--markdown", help="Print the arms as a table in Markdown.")] = False,
) -> None:
    """Print the answer of a study and its arms with their scores; with --json or --csv, one row per cell.

    Example: dissensus study table runs
    """
    with one_line_errors():
        from dissensus.report.markdown import markdown_table
        from dissensus.study.description import read_folder
        from dissensus.study.reporting.tables import overview
        from dissensus.study.summary.cell_table import cell_rows
        from dissensus.study.summary.summary import summarise_study

        if as_json + markdown + (csv is not None) > 1:
            raise ValueError("--json, --csv and --markdown exclude each other; choose one of them")
        known = read_folder(folder)
        if csv is not None:
            _write_csv(cell_rows(known), csv)
        elif as_json:
            print_json(cell_rows(known), indent=None)
        elif markdown:
            typer.echo(markdown_table(overview(summarise_study(known))))
        else:
            print_results(folder)


def report(
    folder: Folder,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="Page to write.", show_default="report.html in the folder")
    ] = None,
    markdown: Annotated[Path | None, typer.Option(help="Also write the report as Markdown.")] = None,
    latex: Annotated[Path | None, typer.Option(help="Also write the tables for a paper in LaTeX.")] = None,
) -> None:
    """Write the report of a study as one page, with figures, tables and tests; it works offline.

    Example: dissensus study report runs --markdown report.md
    """
    with one_line_errors():
        from dissensus.files.whole_files import check_writable, write_text
        from dissensus.report import html_page, latex_tables, markdown_page
        from dissensus.study.description import read_folder
        from dissensus.study.report import describe_study
        from dissensus.study.summary.summary import summarise_study

        page = folder / "report.html" if output is None else output
        places = {"output": page, "markdown": markdown, "latex": latex}
        known = read_folder(folder)
        for option, place in places.items():
            if place is not None and str(place).startswith("-"):
                raise ValueError(f"--{option} needs a file to write, and {place} is an option; as in --{option} FILE")
        refuse_overwriting(places)
        if page.suffix.lower() not in (".html", ".htm"):
            raise ValueError(f"--output {page}: expected a page to write, such as {page.with_suffix('.html')}")
        for place in places.values():
            if place is not None:
                check_writable(place)
        summary = summarise_study(known)
        plain = describe_study(summary, folder=str(folder), figures=False)
        write_text(html_page(describe_study(summary, folder=str(folder))), page)
        if markdown is not None:
            write_text(markdown_page(plain), markdown)
        if latex is not None:
            write_text(latex_tables(plain), latex)
    for place in places.values():
        if place is not None:
            print_line(f"wrote {place}")


def diff(a: Folder, b: Folder, as_json: AsJson = False) -> None:
    """Compare two studies: their settings, the cells that only one has, and their scores.

    Example: dissensus study diff runs-1 runs-2
    """
    with one_line_errors():
        from dissensus.report import print_document
        from dissensus.study.description import read_folder
        from dissensus.study.reporting.differences import describe_diff
        from dissensus.study.summary.differences import diff as compare

        result = compare(read_folder(a), read_folder(b))
    if as_json:
        print_json(result)
    else:
        print_document(describe_diff(result))


def print_results(folder: Path) -> None:
    """Print the answer of a study, its arms with their scores, and the remarks."""
    from dissensus.report import print_document
    from dissensus.study.description import read_folder
    from dissensus.study.report import describe_results
    from dissensus.study.summary.summary import summarise_study

    print_document(describe_results(summarise_study(read_folder(folder))))


def _write_csv(rows: list[dict[str, Any]], path: Path) -> None:
    from dissensus.files.whole_files import write_text

    text = io.StringIO()
    writer = csv_module.DictWriter(text, list(rows[0]) if rows else ["cell"], lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    write_text(text.getvalue(), path)
    print_line(f"{len(rows):,} cells -> {path}")
