"""One page for all papers: a verdict bar and the answer of each, and what the claims that hold rest on."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path

from dissensus.files.whole_files import write_text
from dissensus.papers.outcomes import VERDICTS
from dissensus.papers.pages import Record, count_verdicts, format_counts, verdict_bar, write_markdown
from dissensus.report.document import Document, Section, Text
from dissensus.report.markdown import escape_markdown

HOLDS = ("equal", "same direction")
BRIEFLY = (
    "Equal: within two standard errors. Same direction: significant. Differs: another sign, or no effect. "
    "Too weak to tell: weak models or few runs."
)
BASES = ("labels, formulas and simulations", "heads on frozen features", "networks")  # what a verdict rests on


def write_index(records: Sequence[Record], path: Path, *, figures: str = "figures") -> None:
    """Write one page for all papers as Markdown, with links to the page of each."""
    write_markdown(describe_papers(records), path, figures)
    text = path.read_text(encoding="utf-8")
    for record in records:
        title = escape_markdown(record["title"])
        text = text.replace(f"## {title}\n", f"## [{title}]({record['paper']}.md)\n", 1)
    write_text(text, path)


def describe_papers(records: Sequence[Record]) -> Document:
    """Return one page for all papers: a verdict bar and the answer of each."""
    total = sum(len(record["claims"]) for record in records)
    counts: dict[str, int] = {
        verdict: sum(count_verdicts(record)[verdict] for record in records) for verdict in VERDICTS
    }
    answers = [
        Section(
            record["title"],
            [
                verdict_bar(record),
                Text(_first_sentence(record)),
            ],
        )
        for record in records
    ]
    return Document(
        title="Do published results hold? Five papers",
        answer=f"Of {total} claims, {format_counts(counts)}. {_holding(records)}",
        sections=[*answers, Section("Verdicts", [Text(BRIEFLY)])],
    )


def count_bases(records: Iterable[Record]) -> Counter[str]:
    """Count the claims that hold by what they rest on."""
    holding = (row for record in records for row in record["claims"] if row["verdict"] in HOLDS)
    return Counter(_basis(row["judgement"]) for row in holding)


def _basis(judgement: Record) -> str:
    model = judgement["outcomes"][judgement["decided"]]["model"]
    return BASES[0] if not model else BASES[1] if model.startswith("heads") else BASES[2]


def _holding(records: Sequence[Record]) -> str:
    bases = count_bases(records)
    each = ", ".join(f"{basis} ({bases[basis]})" for basis in BASES if bases[basis])
    return f"Those that hold rest on {each}."


def _first_sentence(record: Record) -> str:
    conclusion = record["conclusion"]
    return conclusion["short"].partition(". ")[0].rstrip(".") + "." if conclusion else ""
