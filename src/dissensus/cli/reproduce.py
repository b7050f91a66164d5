"""`dissensus reproduce`: check the claims of a paper."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from dissensus.cli.notices import progress_bar, say_or_warn
from dissensus.cli.printing import AsJson, print_json, print_line
from dissensus.cli.reading import one_line_errors, say

if TYPE_CHECKING:
    from dissensus.papers.running import Step

STEPS = 1000  # of the progress bar
PAGES = ("page.html", "page.md")
STYLES = {
    "equal": "green",
    "same direction": "green",
    "differs": "bold yellow",
    "too weak to tell": "dim",
    "cannot be tested here": "dim",
}


def reproduce(
    name: Annotated[
        str | None, typer.Argument(metavar="[NAME]", help="Paper to reproduce. Lists all papers if omitted.")
    ] = None,
    scale: Annotated[
        str,
        typer.Option(
            help="Size of the run. quick: about a minute; laptop: about an hour on 2 cores; overnight: networks or "
            "more seeds; full: the paper's own size."
        ),
    ] = "quick",
    folder: Annotated[
        Path | None,
        typer.Option(
            "--output", "-o", help="Folder for results, pages and the record.", show_default="reproduce-NAME-SCALE"
        ),
    ] = None,
    parts: Annotated[
        list[str] | None,
        typer.Option(
            help="Run these parts only, with those they need, such as swift-sweep-5,proposition; repeat to add more."
        ),
    ] = None,
    known: Annotated[
        Path | None,
        typer.Option(help="Earlier record whose numbers stay where this run has none; its evidence is next to it."),
    ] = None,
    cells: Annotated[
        Path | None,
        typer.Option(
            help="Folder of trained cells that papers share.", show_default="reproduce-cells next to the output"
        ),
    ] = None,
    engine: Annotated[str, typer.Option(help="Engine that runs the cells: local, ray or submitit.")] = "local",
    address: Annotated[
        str | None, typer.Option(help="Address of a Ray cluster. Starts Ray on this machine if omitted.")
    ] = None,
    jobs: Annotated[
        int | None,
        typer.Option(
            help="Number of processes on this machine, also for parts that are no studies.", show_default="one per core"
        ),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Run a paper's studies and check every claim; rerun to resume.

    Exits 0 if the run completes, whatever the verdicts. Example: dissensus reproduce singh2025 --scale quick
    """
    with one_line_errors():
        from dissensus.labels.refusals import one_of
        from dissensus.papers.catalogue import PAPERS, find_paper
        from dissensus.papers.pages import describe_reproduction, write_page
        from dissensus.papers.record import RECORD, read_record
        from dissensus.papers.running import reproduce as run
        from dissensus.report.terminal import print_document
        from dissensus.study.engines.catalogue import ENGINES
        from dissensus.study.engines.choose import make_engine

        if name is None:
            _list(PAPERS, as_json)
            return
        paper = find_paper(name)
        size = paper.scales[paper.scales.index(one_of("scale", scale, paper.scales))]
        place = Path(f"reproduce-{name}-{scale}") if folder is None else folder

        def start_engine() -> Any:
            return make_engine(engine, folder=place, address=address, jobs=jobs)

        if engine not in ENGINES or not ENGINES[engine].package:  # report an unknown engine before any work
            start_engine()

        with progress_bar(name) as move:

            def progress(step: Step) -> None:
                move(round(STEPS * step.share), STEPS)

            result = run(
                paper,
                size,
                place,
                only=[name for listed in parts or () for name in listed.split(",")],
                known=known,
                cells=cells,
                engine=start_engine,
                jobs=jobs,
                progress=progress,
                say=say_or_warn,
            )
        record = read_record(place / RECORD)
        for page in PAGES:
            write_page(record, place / page)
    if as_json:
        print_json(result.brief(), indent=None)
        return
    print_document(describe_reproduction(record))
    print_line(str(result))
    say(f"wrote {', '.join(str(place / name) for name in (*PAGES, RECORD))}")


def _list(papers: Any, as_json: bool) -> None:
    if as_json:
        facts = {name: {"citation": paper.citation, "claims": len(paper.claims)} for name, paper in papers.items()}
        print_json(facts, indent=None)
        return
    for name, paper in papers.items():
        print_line(f"{name}: {len(paper.claims)} claims. {paper.citation}")
