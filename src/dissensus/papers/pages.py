"""A page for each paper and one for all, made from records alone: every number on them has its record and command."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from dissensus.files.whole_files import write_text
from dissensus.papers.claims import VERDICTS
from dissensus.papers.figures import Figure, drawings

Record = Mapping[str, Any]


def write_page(record: Record, path: str | Path, *, figures: str = "figures", source: str = "record.json") -> None:
    """The page of a record with its figures.

    figures  folder of the figures, beside the page
    source   how the page names the record
    """
    place = Path(path)
    place.parent.mkdir(parents=True, exist_ok=True)
    for figure in record["figures"]:
        for side, drawing in drawings(figure).items():
            target = place.parent / figures / _file(record, figure, side)
            target.parent.mkdir(parents=True, exist_ok=True)
            write_text(drawing, target)
    write_text(page(record, figures=figures, source=source), place)


def page(record: Record, *, figures: str = "figures", source: str = "record.json") -> str:
    """The page in Markdown."""
    parts = [
        f"# {record['title']}",
        f"{record['citation']}.",
        f"<!-- parsed only -->\n```console\n$ {record['command']}\n```",
        _summary(record),
        "## What is smaller or other here than in the paper?",
        _table(("", "in the paper", "here"), record["shrunk"]),
        "## What does the paper claim, and what came out?",
        _claims(record),
        *(["## What does that look like?"] if record["figures"] else []),
        *(_figure(record, figure, figures) for figure in record["figures"]),
        *(["## Beyond the paper", "These questions and answers are ours."] if record["beyond"] else []),
        *(_answer(answer) for answer in record["beyond"]),
        "## Where do these numbers come from?",
        _origin(record, source),
    ]
    return "\n\n".join(parts) + "\n"


def index(records: Sequence[Record]) -> str:
    """One table of all claims of all papers."""
    lines = [
        "# Five papers: what they claim, and what comes out here",
        "Each paper is one command. It runs the studies, holds every claim against what came out and says so, whatever "
        "it is. The pages are made from records of the scale that is named; `--scale quick` takes about a minute, "
        "`laptop` about an hour on two cores, `full` is the paper's own protocol.",
        _table(
            ("paper", "scale", "claims", *VERDICTS),
            [
                (
                    f"[{record['paper']}]({record['paper']}.md): {record['title']}",
                    record["scale"],
                    str(len(record["claims"])),
                    *(str(_count(record, verdict)) for verdict in VERDICTS),
                )
                for record in records
            ],
        ),
        _meaning(),
        "## All claims",
        _table(
            ("paper", "claim", "published", "here", "verdict"),
            [
                (
                    f"[{record['paper']}]({record['paper']}.md)",
                    f"{row['claim']} ({row['source']})",
                    row["published"],
                    row["ours"],
                    f"**{row['verdict']}**",
                )
                for record in records
                for row in record["claims"]
            ],
        ),
    ]
    return "\n\n".join(lines) + "\n"


def _summary(record: Record) -> str:
    counts = ", ".join(f"{_count(record, v)} {v}" for v in VERDICTS if _count(record, v))
    return f"At scale `{record['scale']}`, of {len(record['claims'])} claims: {counts}."


def _meaning() -> str:
    return (
        "*Equal*: within two standard errors, rounding included, by an interval that is narrow against what is "
        "claimed. *Same direction*: the sign or order that the paper says, in the mean and in most seeds or cells; the "
        "text counts them. *Differs*: anything else. *Cannot be tested here*: for want of data, or because too few "
        "runs leave it open."
    )


def _claims(record: Record) -> str:
    rows = [
        (
            f"{row['claim']} ({row['source']})",
            row["published"],
            row["ours"] + (f"<br>*{row['reason']}*" if row["reason"] else ""),
            f"**{row['verdict']}**",
        )
        for row in record["claims"]
    ]
    return f"{_table(('claim', 'published', 'here', 'verdict'), rows)}\n\n{_meaning()}"


def _figure(record: Record, figure: Figure, folder: str) -> str:
    sides = drawings(figure)
    images = [f"![{figure.title}: {side}]({folder}/{_file(record, figure, side)})" for side in sides]
    named = [f"*{'Here' if side == 'here' else 'As the paper prints it'}*" for side in sides]
    shown = _table(named, [images]) if len(images) > 1 else "".join(images) or "Nothing to draw: no number is known."
    made = f"From {', '.join(f'`{part}`' for part in figure.parts)}." if figure.parts else ""
    return "\n\n".join(
        text for text in (f"### {figure.title}", shown, f"{figure.source}. {figure.note} {made}".strip()) if text
    )


def _answer(answer: Mapping[str, Any]) -> str:
    parts = f" (from {', '.join(f'`{part}`' for part in answer['parts'])})" if answer["parts"] else ""
    return f"### {answer['question']}\n\n{answer['answer']}{parts}"


def _origin(record: Record, source: str) -> str:
    rows = [
        (
            f"`{name}`",
            f"{part['seconds']:,.0f}",
            part["commit"],
            ", ".join(f"{data} `{digits}`" for data, digits in part["data"].items()) or "-",
        )
        for name, part in record["parts"].items()
    ]
    return (
        f"All of them stand in `{source}`, claim by claim with values seed by seed, and were made by the command above "
        f"on {record['hardware']}, in {record['seconds'] / 60:,.0f} minutes of work.\n\n"
        + _table(("part", "seconds", "commit", "data"), rows)
    )


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(_cell(text) for text in line) + " |" for line in lines)


def _cell(text: str) -> str:
    return str(text).replace("|", "\\|").replace("\n", " ")


def _count(record: Record, verdict: str) -> int:
    return sum(row["verdict"] == verdict for row in record["claims"])


def _file(record: Record, figure: Figure, side: str) -> str:
    return f"{record['paper']}-{figure.key}{'' if side == 'here' else f'-{side}'}.svg"
