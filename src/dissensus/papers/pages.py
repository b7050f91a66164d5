"""Pages of papers, made from records alone: every number on them has its record and its command."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from dissensus.files.whole_files import write_text
from dissensus.papers.claims import VERDICTS
from dissensus.papers.figures import Figure, describe_figure
from dissensus.report.document import Cell, Column, Document, Section, Table, Text
from dissensus.report.document import Figure as Drawn
from dissensus.report.html import html_page
from dissensus.report.markdown import markdown_page
from dissensus.report.svg import as_file

Record = Mapping[str, Any]
MEANING = (
    "Equal: within two standard errors, including rounding, by an interval that is narrow compared with the claim. "
    "Same direction: the sign or order of the paper, in the mean and in most seeds or cells. "
    "Differs: anything else. "
    "Cannot be tested here: the data are missing, or too few runs leave the question open."
)


def write_page(record: Record, path: str | Path, *, figures: str = "figures", source: str = "record.json") -> None:
    """Write the page of a record: HTML if the path ends in .html, otherwise Markdown with its figures as SVG files.

    Parameters
    ----------
    record : dict
        As `read_record` returns it.
    path : path of the page
    figures : str
        Folder of the SVG files, relative to a Markdown page.
    source : str
        How the page refers to the record.

    Returns
    -------
    None

    Examples
    --------
    >>> record = {"paper": "tiny", "title": "How many?", "citation": "Nobody (2026)", "scale": "quick"}
    >>> record |= {"claims": [], "shrunk": [], "figures": [], "beyond": [], "parts": {}, "seconds": 0.0}
    >>> write_page(record | {"command": "dissensus reproduce tiny", "hardware": "a laptop"}, "page.html")
    """
    place, document = Path(path), describe_reproduction(record, source=source)
    place.parent.mkdir(parents=True, exist_ok=True)
    if place.suffix == ".html":
        write_text(html_page(document), place)
        return
    for block in document.blocks():
        if isinstance(block, Drawn):
            target = place.parent / figures / f"{block.file}.svg"
            target.parent.mkdir(parents=True, exist_ok=True)
            write_text(as_file(block.drawing), target)
    write_text(markdown_page(document, figures=figures), place)


def describe_reproduction(record: Record, *, source: str = "record.json") -> Document:
    """Return the page of one paper."""
    return Document(
        title=record["title"],
        subtitle=record["citation"],
        answer=_answer(record),
        facts=[
            ("command", record["command"]),
            ("scale", record["scale"]),
            ("hardware", record["hardware"]),
            *_counts(record).items(),
        ],
        sections=[
            Section("How this run differs from the paper", [_table(("", "in the paper", "here"), record["shrunk"])]),
            Section("Claims", [_claims(record), Text(MEANING)]),
            *(
                [Section("Figures", [_figure(record, figure) for figure in record["figures"]])]
                * bool(record["figures"])
            ),
            *([Section("Beyond the paper", [_question(entry) for entry in record["beyond"]])] * bool(record["beyond"])),
            Section("Where these numbers come from", _origin(record, source)),
        ],
    )


def describe_papers(records: Sequence[Record]) -> Document:
    """Return one page with all claims of all papers."""
    counts = [
        (record["paper"], record["title"], record["scale"], len(record["claims"]), *_counts(record).values())
        for record in records
    ]
    claims = [
        (record["paper"], _format_claim(row), row["published"], row["ours"], row["verdict"])
        for record in records
        for row in record["claims"]
    ]
    total = sum(len(record["claims"]) for record in records)
    agreeing = sum(_counts(record)[verdict] for record in records for verdict in VERDICTS[:2])
    return Document(
        title="Five papers: claims and findings",
        answer=f"Of {total} claims, {agreeing} come out equal or in the same direction here.",
        sections=[
            Section(
                "Papers",
                [
                    Text(
                        "Each paper is one command: it runs the studies and judges every claim. The scale quick takes "
                        "about a minute, laptop about an hour on two cores; full is the paper's own protocol."
                    ),
                    _table(("paper", "question", "scale", "claims", *VERDICTS), counts),
                    Text(MEANING),
                ],
            ),
            Section("All claims", [_table(("paper", "claim", "published", "here", "verdict"), claims)]),
        ],
    )


def index_page(records: Sequence[Record]) -> str:
    """Render the page of all papers as Markdown, with links to the page of each paper beside it."""
    text = markdown_page(describe_papers(records))
    for record in records:
        name = record["paper"]
        text = re.sub(rf"^\| {name} \|", f"| [{name}]({name}.md) |", text, flags=re.MULTILINE)
    return text


def _answer(record: Record) -> str:
    equal, same, differs, unknown = _counts(record).values()
    return (
        f"Of {len(record['claims'])} claims, {equal + same} hold here: {equal} equal, {same} in the same direction. "
        f"{differs} differ, and {unknown} cannot be tested here."
    )


def _counts(record: Record) -> dict[str, int]:
    return {verdict: sum(row["verdict"] == verdict for row in record["claims"]) for verdict in VERDICTS}


def _format_claim(row: Mapping[str, Any]) -> str:
    return f"{row['claim']} ({row['source']})"


def _claims(record: Record) -> Table:
    rows = [
        (_format_claim(row), row["published"], Cell(row["ours"], note=row["reason"]), Cell(row["verdict"], best=True))
        for row in record["claims"]
    ]
    return _table(("claim", "published", "here", "verdict"), rows)


def _figure(record: Record, figure: Figure) -> Section:
    drawn = describe_figure(figure, record["paper"])
    made = f"Computed from {', '.join(figure.parts)}." if figure.parts else ""
    note = Text(" ".join(text for text in (f"{figure.source}.", figure.note, made) if text))
    blocks = [Section("", drawn, columns=len(drawn))] if drawn else [Text("No figure: none of its numbers is known.")]
    return Section(figure.title, [*blocks, note])


def _question(entry: Mapping[str, Any]) -> Section:
    parts = f" (computed from {', '.join(entry['parts'])})" if entry["parts"] else ""
    return Section(entry["question"], [Text(f"{entry['answer']}{parts}")])


def _origin(record: Record, source: str) -> list[Text | Table]:
    rows = [
        (name, part["seconds"], part["commit"], tuple(f"{data} {digits}" for data, digits in part["data"].items()))
        for name, part in record["parts"].items()
    ]
    text = (
        f"{source} has every claim with its values by seed. The command above computed them "
        f"in {record['seconds'] / 60:,.0f} minutes."
    )
    columns = (Column("part"), Column("seconds", ",.0f"), Column("commit"), Column("data"))
    return [Text(text), Table(columns, rows, shown=len(rows))]


def _table(titles: Sequence[str], rows: Sequence[Sequence[Any]]) -> Table:
    """A table that is shown whole."""
    return Table([Column(title, wraps=True) for title in titles], rows, shown=len(rows))
