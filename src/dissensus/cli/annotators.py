"""`dissensus annotators`."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from dissensus.cli.contents import Contents, check_page, item_views
from dissensus.cli.printing import out, print_json, print_line
from dissensus.cli.reading import errors, reads_labels, say

if TYPE_CHECKING:
    from dissensus.labels.shares import Labels

SHOWN = 10


@reads_labels
def annotators(
    labels: "Labels",
    file: str,
    as_json: Annotated[bool, typer.Option("--json", help="Print a record per annotator as JSON.")] = False,
    html: Annotated[Path | None, typer.Option(help="Write a page with figures to this file.")] = None,
    contents: Contents = None,
) -> None:
    """Who answered: skill, leanings, speed, calibration and agreement with others."""
    from dissensus.aggregate.annotators import annotator_report
    from dissensus.aggregate.annotators_page import annotator_page, headline, not_ranked
    from dissensus.files.whole_files import write_text
    from dissensus.labels.distributions import Distributions
    from dissensus.report.tables import Column, print_table

    check_page(contents, html)
    if isinstance(labels, Distributions):
        raise ValueError(f"{file}: holds one row per item and not who said what; annotators need one row per answer")
    with errors.status("comparing annotators"):
        report = annotator_report(labels)
    if html is not None:
        views = item_views(contents, file, labels)
        write_text(annotator_page(report, Path(file).name, labels, views), html)
        say(f"wrote {html}")
    if as_json:
        print_json(report.as_rows())
        return
    out.print(headline(report), markup=False)
    everyone = report.as_rows()
    rows = [everyone[a] for a in report.ranked()[:SHOWN]]
    if rows:
        print_line(f"lowest skill first, {len(rows)} of {report.ranked().size}", "italic")
        titles = [name for name in rows[0] if name != "ranked"]
        print_table(
            [Column(name.replace("_", " "), number=name not in ("annotator", "leans_to")) for name in titles],
            [[_cell(row[name]) for name in titles] for row in rows],
        )
    if few := not_ranked(report):
        print_line(few)


def _cell(value: Any) -> str:
    from dissensus.report.tables import shown_number

    if value is None:
        return "–"
    return shown_number(value) if isinstance(value, float) else str(value)
