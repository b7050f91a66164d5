"""`dissensus reproduce`: check the claims of a paper."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from textwrap import fill
from typing import TYPE_CHECKING, Annotated, Any

import typer

from dissensus.cli.notices import progress_bar, say_or_warn
from dissensus.cli.printing import AsJson, out, print_json, print_line
from dissensus.cli.reading import one_line_errors, say

if TYPE_CHECKING:
    from dissensus.papers.record import Reproduction, Row
    from dissensus.papers.running import Step

STEPS = 1000  # of the progress bar
PAGES = ("page.html", "page.md")
STYLES = {"equal": "green", "same direction": "green", "differs": "bold yellow", "cannot be tested here": "dim"}


def reproduce(
    name: Annotated[
        str | None, typer.Argument(metavar="[NAME]", help="Paper to reproduce. Lists all papers if omitted.")
    ] = None,
    scale: Annotated[
        str,
        typer.Option(
            help="Size of the run. quick: about a minute; laptop: about an hour on 2 cores; full: the paper's own size."
        ),
    ] = "quick",
    folder: Annotated[
        Path | None,
        typer.Option(
            "--output", "-o", help="Folder for results, pages and the record.", show_default="reproduce-NAME-SCALE"
        ),
    ] = None,
    engine: Annotated[str, typer.Option(help="Engine that runs the cells: local, ray or submitit.")] = "local",
    address: Annotated[
        str | None, typer.Option(help="Address of a Ray cluster. Starts Ray on this machine if omitted.")
    ] = None,
    jobs: Annotated[
        int | None, typer.Option(help="Number of processes on this machine.", show_default="one per core")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Run a paper's studies and check every claim; rerun to resume.

    Exits 0 if the run completes, whatever the verdicts. Example: dissensus reproduce singh2025 --scale quick
    """
    with one_line_errors():
        from dissensus.labels.refusals import one_of
        from dissensus.papers.catalogue import PAPERS, find_paper
        from dissensus.papers.pages import write_page
        from dissensus.papers.paper import SCALES
        from dissensus.papers.record import RECORD, read_record
        from dissensus.papers.running import reproduce as run
        from dissensus.study.engines.catalogue import ENGINES
        from dissensus.study.engines.choose import make_engine

        if name is None:
            _list(PAPERS, as_json)
            return
        paper = find_paper(name)
        size = SCALES[SCALES.index(one_of("scale", scale, SCALES))]
        place = Path(f"reproduce-{name}-{scale}") if folder is None else folder

        def start_engine() -> Any:
            return make_engine(engine, folder=place, address=address, jobs=jobs)

        if engine not in ENGINES or not ENGINES[engine].package:  # report an unknown engine before any work
            start_engine()

        with progress_bar(name) as move:

            def progress(step: Step) -> None:
                move(round(STEPS * step.share), STEPS)

            result = run(paper, size, place, engine=start_engine, jobs=jobs, progress=progress, say=say_or_warn)
        for page in PAGES:
            write_page(read_record(place / RECORD), place / page)
    if as_json:
        print_json(result.brief(), indent=None)
        return
    _print(result)
    say(f"wrote {', '.join(str(place / name) for name in (*PAGES, RECORD))}")


def _list(papers: Any, as_json: bool) -> None:
    if as_json:
        facts = {name: {"citation": paper.citation, "claims": len(paper.claims)} for name, paper in papers.items()}
        print_json(facts, indent=None)
        return
    for name, paper in papers.items():
        print_line(f"{name}: {len(paper.claims)} claims. {paper.citation}")


def _print(result: Reproduction) -> None:
    from rich.table import Table

    print_line(result.citation)
    here = Table("", "in the paper", "here", title="How this run differs from the paper", title_justify="left")
    for entry in result.differences:
        here.add_row(*entry)
    out.print(here)
    for row in result.rows:
        _print_claim(row)
    for answer in result.beyond:
        _print_block(f"Beyond the paper. {answer.question}", {"answer": answer.answer})
    print_line("")
    print_line(str(result))


def _print_claim(row: Row) -> None:
    claim, finding = row.claim, row.finding
    lines = {"published": claim.published, "here": finding.ours, "verdict": finding.verdict, "reason": finding.reason}
    _print_block(f"{claim.claim} ({claim.source})", lines, {finding.verdict: STYLES[finding.verdict]})


def _print_block(title: str, lines: Mapping[str, str], styles: Mapping[str, str] | None = None) -> None:
    """Print a title and named lines; long lines are wrapped with a hanging indent."""
    indent = " " * (4 + max(map(len, lines)))
    print_line("")
    print_line(fill(title, out.width), style="bold")
    for name, text in lines.items():
        if text:
            first = f"  {name}".ljust(len(indent))
            body = fill(text, out.width, initial_indent=first, subsequent_indent=indent)
            print_line(body, style=(styles or {}).get(text))
