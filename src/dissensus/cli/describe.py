"""`dissensus describe`."""

from pathlib import Path
from typing import TYPE_CHECKING

from dissensus.cli.agreement import Ordered
from dissensus.cli.contents import Contents, check_page, item_views
from dissensus.cli.printing import AsJson, HtmlPage, print_json
from dissensus.cli.reading import reads_labels, say

if TYPE_CHECKING:
    from dissensus.labels.shares import Labels


@reads_labels
def describe(
    labels: "Labels",
    file: str,
    as_json: AsJson = False,
    html: HtmlPage = None,
    ordered: Ordered = None,
    contents: Contents = None,
) -> None:
    """Describe labels: how many, by whom, and how much people disagree.

    Example: dissensus describe votes.csv --html labels.html
    """
    import numpy as np

    from dissensus.aggregate.agreement_summary import alpha_summary
    from dissensus.aggregate.labels_page import describe_labels
    from dissensus.files.whole_files import write_text
    from dissensus.labels.summary import summarise
    from dissensus.report.html import html_page
    from dissensus.report.terminal import print_document

    check_page(contents, html)
    summary = summarise(labels)
    alpha = alpha_summary(labels, np.random.default_rng(0), ordered=ordered)
    if html is not None:
        views = item_views(contents, file, labels)
        write_text(html_page(describe_labels(summary, Path(file).name, alpha, views)), html)
        say(f"wrote {html}")
    if as_json:
        print_json(summary.as_json() | {"alpha": None if alpha is None else alpha.as_json()})
    else:
        print_document(describe_labels(summary, Path(file).name, alpha))
