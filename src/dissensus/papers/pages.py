"""Pages of a paper, made from its record alone: a page that answers, and a page with all claims."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from dissensus.files.whole_files import write_text
from dissensus.papers.claims import table_of
from dissensus.papers.figures import Figure, describe_figure
from dissensus.papers.headlines import main_claims, shorten_models
from dissensus.papers.outcomes import VERDICTS
from dissensus.papers.wording import WEAKNESSES
from dissensus.report.colours import BLUE, ORANGE, REST, SHADES
from dissensus.report.document import Column, Document, Section, Table, Text
from dissensus.report.document import Figure as Drawn
from dissensus.report.html import html_page
from dissensus.report.markdown import markdown_page
from dissensus.report.svg import as_file, split_bar

Record = Mapping[str, Any]
COLOURS: dict[str, str] = dict(zip(VERDICTS, (BLUE, SHADES[1], ORANGE, REST, SHADES[4]), strict=True))
MEANING = (
    "Equal: within two standard errors of the printed number, by an interval at most as wide as the printed effect. "
    "Of a claim of no difference: an interval within its margin. "
    "Same direction: the claimed sign, and a 95% interval that excludes zero. "
    "Differs: another sign, or an interval with zero that excludes the printed effect and its error. "
    "Too weak to tell: the model, its positive control, the number of runs or the labels shown do not suffice. "
    "Cannot be tested here: the data are missing, or this scale does not run it."
)


def write_page(
    record: Record, path: str | Path, *, figures: str = "figures", source: str = "record.json", claims: str = ""
) -> None:
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
    claims : str
        Name of a second Markdown page for all claims; without it they follow on the same page.

    Returns
    -------
    None

    Examples
    --------
    >>> record = {"paper": "tiny", "title": "How many?", "citation": "Nobody (2026)", "scale": "quick"}
    >>> record |= {"claims": [], "shrunk": [], "figures": [], "beyond": [], "parts": {}, "seconds": 0.0}
    >>> record |= {"headlines": [], "conclusion": None}
    >>> write_page(record | {"command": "dissensus reproduce tiny", "hardware": "a laptop"}, "page.html")
    """
    place = Path(path)
    place.parent.mkdir(parents=True, exist_ok=True)
    top, details = describe_reproduction(record), describe_claims(record, source=source)
    if place.suffix == ".html":
        write_text(html_page(_join_pages(top, details)), place)
    elif not claims:
        write_markdown(_join_pages(top, details), place, figures)
    else:
        link = (
            f"[All {len(record['claims'])} claims, and how this run differs from the paper]({claims}). "
            "[Verdicts](index.md#verdicts)."
        )
        write_markdown(top, place, figures, link)
        write_markdown(details, place.parent / claims, figures)


def describe_reproduction(record: Record) -> Document:
    """Return the page that answers: what came out, the main claims, the main figure, what to do with it."""
    rows = {row["key"]: row for row in record["claims"]}
    headlines = [rows[key] for key in record["headlines"]]
    conclusion = record["conclusion"]
    claims = [main_claims(headlines)] if headlines else []
    sections = [Section("", [verdict_bar(record)]), Section("Main claims", [*claims, *_main_figure(record)])]
    if conclusion:
        left = len(record.get("unfinished", ()))
        missing = f" Parts of this scale that were not run: {left}." if left else ""
        sections.append(Section("What to do with it", [Text(conclusion["practice"])]))
        sections.append(Section("Caution", [Text(conclusion["caution"] + missing)]))
    return Document(
        title=record["title"],
        subtitle=record["citation"],
        answer=conclusion["short"] if conclusion else _tally(record),
        sections=[section for section in sections if section.blocks],
    )


def describe_claims(record: Record, *, source: str = "record.json") -> Document:
    """Return the page with all claims, the sizes of this run, and the origin of its numbers."""
    differences = Table([Column(title, wraps=True) for title in ("aspect", "in the paper", "here")], record["shrunk"])
    sections = [
        Section("All claims", [_claims(record["claims"]), Text(MEANING)], long=True),
        Section("How this run differs from the paper", [differences, *_unfinished(record)], long=True),
        Section("Which models are strong enough", _strength(record), long=True),
    ]
    if record["figures"]:
        main, *others = record["figures"]
        figures = [Section("", [_figure(record, figure) for figure in others], columns=2)] if others else []
        sections.append(Section("Figures", [Text(f"Main figure, on the first page: {main.note}"), *figures], long=True))
    if record["beyond"]:
        sections.append(Section("Beyond the paper", [_question(entry) for entry in record["beyond"]]))
    sections.append(Section("Where these numbers come from", _origin(record, source), long=True))
    return Document(
        title=f"All claims: {record['title']}",
        subtitle=record["citation"],
        answer=_tally(record),
        facts=[("command", record["command"]), ("scale", record["scale"]), ("hardware", record["hardware"])],
        sections=sections,
    )


def count_verdicts(record: Record) -> dict[str, int]:
    """Count the claims of a record by verdict."""
    return {verdict: sum(row["verdict"] == verdict for row in record["claims"]) for verdict in VERDICTS}


def format_counts(counts: Mapping[str, int]) -> str:
    """Write a tally in words."""
    words = {
        "equal": "come out equal",
        "same direction": "in the same direction",
        "differs": "differ",
        "too weak to tell": "are too weak to tell",
        "cannot be tested here": "cannot be tested here",
    }
    return ", ".join(f"{counts[verdict]} {text}" for verdict, text in words.items() if counts[verdict])


def _join_pages(top: Document, details: Document) -> Document:
    return Document(
        title=top.title,
        subtitle=top.subtitle,
        answer=top.answer,
        facts=details.facts,
        sections=[*top.sections, *details.sections],
    )


def write_markdown(document: Document, place: Path, figures: str, end: str = "") -> None:
    for block in document.blocks():
        if isinstance(block, Drawn):
            target = place.parent / figures / f"{block.file}.svg"
            target.parent.mkdir(parents=True, exist_ok=True)
            write_text(as_file(block.drawing), target)
    text = markdown_page(document, figures=figures)
    write_text(f"{text}\n{end}\n" if end else text, place)


def _tally(record: Record) -> str:
    return f"Of {len(record['claims'])} claims, {format_counts(count_verdicts(record))}."


def verdict_bar(record: Record) -> Drawn:
    counts, total = count_verdicts(record), max(1, len(record["claims"]))
    shares = [(verdict, count / total) for verdict, count in counts.items() if count]
    table = Table(["verdict", "claims"], list(counts.items()))
    return Drawn(_tally(record), split_bar(shares, 720, COLOURS), table, name=f"{record['paper']}-verdicts")


def _main_figure(record: Record) -> list[Drawn]:
    """The first figure of a record, with a short note; the page with all claims has the long one."""
    drawn = []
    for figure in record["figures"][:1]:
        place = table_of(figure.source.partition(", ")[2] or figure.source)
        note = f"{place.capitalize()}; grey: the paper. Bars and bands: 95% intervals."
        drawn += [replace(chart, note=note) for chart in describe_figure(figure, record["paper"])]
    return drawn


def _unfinished(record: Record) -> list[Text]:
    """Parts of this scale that have not been run, and why a part was stopped."""
    stopped = record.get("stopped", {})
    texts = [f"Stopped: {', '.join(of)}. {reason}." for reason, of in _by_value(stopped).items()]
    left = [name for name in record.get("unfinished", ()) if name not in stopped]
    if left:
        texts.append(f"Not run yet: {', '.join(left)}. Their claims are judged by the other models.")
    return [Text(" ".join(texts))] if texts else []


def _by_value(names: Mapping[str, str]) -> dict[str, list[str]]:
    groups: dict[str, list[str]] = {}
    for name, value in names.items():
        groups.setdefault(value, []).append(name)
    return groups


def _claims(rows: Sequence[Mapping[str, Any]]) -> Table:
    titles = ("claim", "paper", "here", "verdict", "evidence", "reason", "other models")
    cells = [
        (
            row["claim"],
            f"{row['published']} ({row['source']})",
            *(row[key] for key in ("ours", "verdict", "evidence", "reason")),
            shorten_models(row["others"]),
        )
        for row in rows
    ]
    return Table([Column(title, wraps=True) for title in titles], cells, shown=20)


def _strength(record: Record) -> list[Text | Table]:
    """The four conditions by table of the paper and model: how many claims it fails, before any sign is looked at."""
    parts: dict[tuple[str, str], list[set[str]]] = {}
    for row in record["claims"]:
        failed: dict[str, set[str]] = {}
        for judgement in (row["judgement"], *row["judgement"]["others"]):
            for outcome in judgement["outcomes"]:
                if outcome["model"]:
                    model = ", ".join(filter(None, (outcome["model"], outcome["epoch"])))
                    failed.setdefault(model, set()).update(outcome["weak"])
        for model, weak in failed.items():
            parts.setdefault((table_of(row["source"]), model), []).append(weak)
    rows: list[tuple[str | int, ...]] = [
        (*part, len(claims), *(sum(condition in weak for weak in claims) for condition in WEAKNESSES))
        for part, claims in parts.items()
    ]
    columns = [Column("part", wraps=True), Column("model", wraps=True), *map(Column, ("claims", *WEAKNESSES))]
    text = "Claims of each part, and how many of them fail each condition. A model decides a claim if it fails none."
    if not rows:
        return [Text("No claim is about a trained model.")]
    return [_levels(record), Text(text), Table(columns, rows, shown=20)]


def _levels(record: Record) -> Table:
    """How good the models are: the mean of the arm that no method under test changes, next to the paper's."""
    keys = ("metric", "arm", "where", "ours", "printed")
    rows = [
        (", ".join(filter(None, (level["model"], level["epoch"]))), *(level[key] for key in keys))
        for level in record.get("levels", ())
    ]
    columns = [*map(Column, ("model", "metric", "arm", "condition")), Column("here", ".4g"), Column("paper", ".4g")]
    return Table(columns, rows, shown=20)


def _figure(record: Record, figure: Figure) -> Section:
    drawn: list[Drawn | Text] = [*describe_figure(figure, record["paper"])]
    note = Text(" ".join(text for text in (f"{figure.source}.", figure.note) if text))
    return Section(figure.title, [*(drawn or [Text("No figure: none of its numbers is known.")]), note])


def _question(entry: Mapping[str, Any]) -> Section:
    return Section(entry["question"], [Text(entry["answer"])])


def _origin(record: Record, source: str) -> list[Text | Table]:
    rows = [(name, part["seconds"], part["commit"], tuple(part["data"])) for name, part in record["parts"].items()]
    text = (
        f"{source} has every claim with its values by run, and checksums of the data. The command above computed them "
        f"in {record['seconds'] / 60:,.0f} minutes."
    )
    columns = (Column("part"), Column("seconds", ",.0f"), Column("commit"), Column("data"))
    return [Text(text), Table(columns, rows)]
