"""`dissensus agreement`: inter-annotator agreement."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from dissensus.cli.printing import AsJson, HtmlPage, print_json
from dissensus.cli.reading import errors, reads_labels, say
from dissensus.cli.seeds import Seed, make_rng

if TYPE_CHECKING:
    from dissensus.labels.shares import Labels

Ordered = Annotated[
    bool | None,
    typer.Option(
        "--ordered/--unordered",
        help="Treat the classes as ordered, or as unordered.",
        show_default="ordered if their names are rising numbers",
    ),
]


@reads_labels
def agreement(
    labels: "Labels",
    file: str,
    ordered: Ordered = None,
    over: Annotated[
        Literal["items", "annotators"],
        typer.Option(help="Resample items, or annotators, for the intervals."),
    ] = "items",
    replicates: Annotated[int, typer.Option(help="Set the number of bootstrap resamples.")] = 1000,
    seed: Seed = 0,
    as_json: AsJson = False,
    html: HtmlPage = None,
) -> None:
    """Measure inter-annotator agreement: Krippendorff's alpha, Fleiss' kappa, pairwise and by class.

    Example: dissensus agreement votes.csv --ordered
    """
    from dissensus.aggregate.agreement_page import describe_agreement
    from dissensus.aggregate.agreement_summary import agreement_report
    from dissensus.files.whole_files import write_text
    from dissensus.report.html import html_page
    from dissensus.report.terminal import print_document

    with errors.status("comparing answers"):
        report = agreement_report(labels, make_rng(seed), ordered=ordered, over=over, replicates=replicates)
    for notice in report.notices:
        say(notice)
    document = describe_agreement(report, Path(file).name)
    if html is not None:
        write_text(html_page(document), html)
        say(f"wrote {html}")
    if as_json:
        print_json(report.as_json())
        return
    if not report.scale.is_set:
        option = "--unordered" if len(report.scale.levels) > 1 else "--ordered"
        say(f"{report.scale}; {option} changes this")
    print_document(document)
