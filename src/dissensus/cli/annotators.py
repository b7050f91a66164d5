"""`dissensus annotators`: skill, bias, speed and confidence of each annotator."""

from pathlib import Path
from typing import TYPE_CHECKING

from dissensus.cli.contents import Contents, check_page, item_views
from dissensus.cli.printing import AsJson, HtmlPage, print_json
from dissensus.cli.reading import errors, reads_labels, say

if TYPE_CHECKING:
    from dissensus.labels.shares import Labels


@reads_labels
def annotators(
    labels: "Labels",
    file: str,
    as_json: AsJson = False,
    html: HtmlPage = None,
    contents: Contents = None,
) -> None:
    """Describe annotators: skill, bias, speed, calibration and agreement with others.

    Example: dissensus annotators votes.csv --html annotators.html
    """
    from dissensus.aggregate.annotators import annotator_report
    from dissensus.aggregate.annotators_page import describe_annotators
    from dissensus.files.whole_files import write_text
    from dissensus.labels.distributions import Distributions
    from dissensus.report.html import html_page
    from dissensus.report.terminal import print_document

    check_page(contents, html)
    if isinstance(labels, Distributions):
        raise ValueError(f"{file}: one row per item, without annotators; expected one row per answer")
    with errors.status("comparing annotators"):
        report = annotator_report(labels)
    if html is not None:
        views = item_views(contents, file, labels)
        write_text(html_page(describe_annotators(report, Path(file).name, labels, views)), html)
        say(f"wrote {html}")
    if as_json:
        print_json(report.as_rows())
    else:
        print_document(describe_annotators(report, Path(file).name))
