"""`dissensus review`: items and answers that deserve a second look."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from dissensus.aggregate.aggregations import AGGREGATIONS
from dissensus.cli.printing import AsJson, check_table_file, print_json, print_line
from dissensus.cli.reading import errors, reads_labels, say
from dissensus.cli.writing import write_labels

if TYPE_CHECKING:
    from dissensus.aggregate.second_look import Review
    from dissensus.labels.shares import Labels
    from dissensus.labels.votes import Votes


@reads_labels
def review(
    labels: "Labels",
    file: str,
    top: Annotated[int, typer.Option(help="Show this many items and answers.")] = 10,
    method: Annotated[
        str | None,
        typer.Option(
            help=f"Choose the method: {', '.join(AGGREGATIONS)}.",
            show_default="dawid-skene, or shrinkage without annotators",
        ),
    ] = None,
    votes: Annotated[Path | None, typer.Option(help="Write all answers, least likely first: .csv, …")] = None,
    items: Annotated[Path | None, typer.Option(help="Write all items, lowest confidence first: .csv, …")] = None,
    as_json: AsJson = False,
) -> None:
    """Rank items and answers by how much they deserve a second look.

    Example: dissensus review votes.csv --top 20 --votes doubtful.csv
    """
    from dissensus.aggregate.second_look import review as rank_doubtful

    if top < 1:
        raise ValueError(f"--top {top}: expected 1 or more")
    for path, option in ((votes, "--votes"), (items, "--items")):
        if path is not None:
            check_table_file(path, option)
    with errors.status("ranking answers"):
        result = rank_doubtful(labels, method)
    for notice in result.notices:
        say(notice)
    for path, rank in ((votes, result.ranked_votes), (items, result.ranked_items)):
        if path is not None:
            _write(rank(), path)
    if as_json:
        print_json(result.as_json(top))
    else:
        _print(result, top)


def _write(ranking: "Votes", path: Path) -> None:
    # This file is a ranking, so notices about what a format loses of labels, such as the order of items, are left out.
    write_labels(ranking, path, say=lambda _: None)
    say(f"wrote {path}")


def _print(result: "Review", top: int) -> None:
    facts = result.as_json(top)
    shown, m = len(facts["votes"]), result.quality.size
    print_line(f"answers least likely to be right ({shown} of {m:,}), by {result.method}", style="bold")
    _table(facts["votes"], ("item", "annotator", "label", "quality", "consensus", "confidence", "others same"))
    print_line(
        f"\nitems with the least certain labels ({len(facts['items'])} of {result.items.items.size:,})", style="bold"
    )
    _table(facts["items"], ("item", "label", "confidence", "agreement", "answers"))


def _table(rows: list[dict[str, Any]], titles: tuple[str, ...]) -> None:
    from dissensus.report.numbers import UNKNOWN
    from dissensus.report.tables import Column, Table
    from dissensus.report.terminal import print_rows

    numbers = ("quality", "confidence", "agreement", "answers", "others same")

    def cell(row: dict[str, Any], title: str) -> Any:
        if title == "others same":
            return f"{row['others_same']} of {row['others']}"
        value = row.get(title)
        if value is None:
            return UNKNOWN
        return value if title in numbers else str(value)

    columns = [Column(title, ".2g" if title == "quality" else ".3f", number=title in numbers) for title in titles]
    print_rows(Table(columns, [[cell(row, title) for title in titles] for row in rows], shown=len(rows)))
