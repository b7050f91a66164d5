"""`dissensus reproduce`: a paper's claims, each with what comes out here."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from dissensus.cli.notices import progress_bar, say_or_warn
from dissensus.cli.printing import AsJson, out, print_line
from dissensus.cli.reading import one_line_errors, say

if TYPE_CHECKING:
    from dissensus.papers.record import Reproduction
    from dissensus.papers.reproduce import Step

STEPS = 1000  # of the progress bar
PAGE = "page.md"
STYLES = {"equal": "green", "same direction": "green", "differs": "bold yellow", "cannot be tested here": "dim"}


def reproduce(
    name: Annotated[
        str | None, typer.Argument(metavar="[NAME]", help="The paper; without one, all are listed.")
    ] = None,
    scale: Annotated[
        str, typer.Option(help="quick: about a minute; laptop: about an hour on 2 cores; full: the paper's own size.")
    ] = "quick",
    folder: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="Where cells and numbers go; reproduce-NAME-SCALE unless given."),
    ] = None,
    engine: Annotated[str, typer.Option(help="Who works on the cells: local, ray.")] = "local",
    address: Annotated[str | None, typer.Option(help="Of a Ray cluster; without it, Ray starts here.")] = None,
    jobs: Annotated[int | None, typer.Option(help="Processes at once, of this machine.")] = None,
    as_json: AsJson = False,
) -> None:
    """Run a paper's studies and hold each of its claims against what comes out; called again, it goes on.

    It ends with 0 when it ran, whatever it found.
    """
    with one_line_errors():
        from dissensus.papers.catalogue import PAPERS, paper_named
        from dissensus.papers.pages import write_page
        from dissensus.papers.paper import SCALES
        from dissensus.papers.record import RECORD, read_record
        from dissensus.papers.reproduce import reproduce as run
        from dissensus.study.engines.choose import engine_of

        if name is None:
            _list(PAPERS, as_json)
            return
        paper = paper_named(name)
        if scale not in SCALES:
            raise ValueError(f"--scale {scale}: expected one of {', '.join(SCALES)}")
        place = Path(f"reproduce-{name}-{scale}") if folder is None else folder

        def made_engine() -> Any:
            return None if engine == "local" else engine_of(engine, folder=place, address=address, jobs=jobs)

        with progress_bar(name) as move:

            def progress(step: Step) -> None:
                move(round(STEPS * step.share), STEPS)

            result = run(paper, scale, place, engine=made_engine, jobs=jobs, progress=progress, say=say_or_warn)
        write_page(read_record(place / RECORD), place / PAGE)
    if as_json:
        typer.echo(json.dumps(result.as_json()))
        return
    _print(result)
    say(f"the page is {place / PAGE}, the record {place / RECORD}; cells and numbers are beside them")


def _list(papers: Any, as_json: bool) -> None:
    if as_json:
        typer.echo(json.dumps({name: {"citation": paper.citation, "claims": len(paper.claims)}
                               for name, paper in papers.items()}))  # fmt: skip
        return
    for name, paper in papers.items():
        print_line(f"{name}: {len(paper.claims)} claims. {paper.citation}")


def _print(result: Reproduction) -> None:
    from rich.table import Table

    print_line(result.citation)
    here = Table("", "in the paper", "here", title="What is smaller or other here", title_justify="left")
    for entry in result.shrunk:
        here.add_row(*entry)
    out.print(here)
    table = Table("claim", "published", "here", "verdict", title="Claims", title_justify="left", show_lines=True)
    for row in result.rows:
        claim, finding = row.claim, row.finding
        ours = f"{finding.ours}\n{finding.reason}" if finding.reason and finding.verdict != "equal" else finding.ours
        style = STYLES[finding.verdict]
        table.add_row(f"{claim.claim} ({claim.source})", claim.published, ours, f"[{style}]{finding.verdict}[/]")
    out.print(table)
    for answer in result.beyond:
        print_line(f"Beyond the paper. {answer.question} {answer.answer}")
    print_line(str(result))
