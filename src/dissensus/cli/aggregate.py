"""`dissensus aggregate` and `dissensus annotators`."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console
from rich.table import Table

from dissensus.cli.reading import errors, reads_labels, say

if TYPE_CHECKING:
    from dissensus.labels.shares import Labels

out = Console(highlight=False, emoji=False)
SHOWN = 10


@reads_labels
def aggregate(
    labels: "Labels",
    file: str,
    output: Annotated[Path, typer.Option("--output", "-o", help="File to write: .parquet, .csv, .npz, …")],
    method: Annotated[str, typer.Option(help="share, majority, dirichlet, dawid-skene, one-coin, mace, glad, "
                                        "linear-pool, log-pool or shrinkage.")] = "share",
    recalibrate: Annotated[str | None, typer.Option(help="Make stated probabilities honest first: by `repeats`, an "
                           "annotator's second answers, or by a file with item and right label.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print what was done as JSON.")] = False,
    html: Annotated[Path | None, typer.Option(help="Write a page about the distributions to this file.")] = None,
) -> None:  # fmt: skip
    """Many answers to one distribution per item."""
    from dissensus.aggregate.aggregations import aggregate as run
    from dissensus.aggregate.aggregations import distributions_of
    from dissensus.files.whole_files import write_text
    from dissensus.files.write_labels import write

    by = _known_answers(recalibrate, labels)
    with errors.status(f"aggregating by {method}"):
        result = run(labels, method, say, recalibrate=by)
    found = distributions_of(result)
    write(found, output, say=say)
    done: dict[str, Any] = {
        "method": method,
        "items": found.n_items,
        "classes": list(found.classes),
        "output": str(output),
    }
    if recalibrate is not None:
        done["recalibrate"] = recalibrate
    for name in ("iterations", "converged"):
        if hasattr(result, name):
            done[name] = getattr(result, name)
    if done.get("converged") is False:
        say(f"{method} stopped before it converged: read the result with care")
    if html is not None:
        from dissensus.labels.summary import summarise
        from dissensus.report.labels_page import labels_page

        write_text(labels_page(summarise(found), f"{Path(file).name} by {method}"), html)
        say(f"wrote {html}")
    if as_json:
        typer.echo(json.dumps(done))
    else:
        out.print(
            f"{found.n_items:,} distributions over {found.n_classes} classes by {method} -> {output}", markup=False
        )


def _known_answers(recalibrate: str | None, labels: "Labels") -> Any:
    """What to recalibrate by: None, "repeats", or the votes of a file with gold."""
    from dissensus.files.read_labels import read
    from dissensus.labels.votes import Votes

    if recalibrate is None or recalibrate == "repeats":
        return recalibrate
    if not Path(recalibrate).exists():
        raise ValueError(f"--recalibrate {recalibrate}: no such file; expected repeats, or a file with item and label")
    gold = read(recalibrate, say=say, classes=list(labels.classes))
    if not isinstance(gold, Votes):
        raise ValueError(f"{recalibrate}: holds {type(gold).__name__}; expected a row per item with its right label")
    return gold


@reads_labels
def annotators(
    labels: "Labels",
    file: str,
    as_json: Annotated[bool, typer.Option("--json", help="Print a record per annotator as JSON.")] = False,
    html: Annotated[Path | None, typer.Option(help="Write a page with figures to this file.")] = None,
) -> None:
    """Who answered: skill, leanings, speed, calibration and agreement with others."""
    from dissensus.aggregate.annotator_page import annotator_page, headline
    from dissensus.aggregate.annotators import annotator_report
    from dissensus.files.whole_files import write_text
    from dissensus.labels.distributions import Distributions

    if isinstance(labels, Distributions):
        raise ValueError(f"{file}: holds one row per item and not who said what; annotators need one row per answer")
    with errors.status("comparing annotators"):
        report = annotator_report(labels)
    if html is not None:
        write_text(annotator_page(report, Path(file).name), html)
        say(f"wrote {html}")
    if as_json:
        typer.echo(json.dumps(report.as_rows(), indent=1, default=lambda value: value.item()))
        return
    out.print(headline(report), markup=False)
    rows = sorted(report.as_rows(), key=lambda row: row["skill"])
    table = Table(
        box=None,
        pad_edge=False,
        title=f"lowest skill first, {min(SHOWN, len(rows))} of {len(rows)}",
        title_justify="left",
    )
    for name in rows[0]:
        table.add_column(name.replace("_", " "), justify="left" if name in ("annotator", "leans_to") else "right")
    for row in rows[:SHOWN]:
        table.add_row(*(_cell(value) for value in row.values()))
    out.print(table)


def _cell(value: Any) -> str:
    if value is None:
        return "–"
    return f"{value:.3f}" if isinstance(value, float) else str(value)
