"""`dissensus aggregate`: many answers to one distribution, or one label, per item."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.text import Text

from dissensus.aggregate.aggregations import AGGREGATIONS
from dissensus.cli.printing import AsJson, HtmlPage, check_table_file, print_result
from dissensus.cli.reading import errors, reads_labels, say
from dissensus.cli.standard_input import check_not_standard_input
from dissensus.cli.writing import write_labels

if TYPE_CHECKING:
    from dissensus.aggregate.recalibration import Recalibration
    from dissensus.labels.distributions import Distributions
    from dissensus.labels.shares import Labels


@reads_labels
def aggregate(
    labels: "Labels",
    file: str,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="Write the distributions to this file: .parquet, .csv, .npz, …"),
    ] = None,
    item_labels: Annotated[
        Path | None, typer.Option("--labels", help="Write one label per item with its confidence: .csv, .parquet, …")
    ] = None,
    method: Annotated[
        str | None,
        typer.Option(
            help=f"Choose the method: {', '.join(AGGREGATIONS)}.",
            show_default="share for votes, t2-clamp for beliefs, dense for beliefs that state every class",
        ),
    ] = None,
    gamma: Annotated[
        float | None,
        typer.Option(help="Keep this mass for classes left possible (t1-clamp, t2-clamp).", show_default="0.1"),
    ] = None,
    contradictions: Annotated[
        str | None,
        typer.Option(
            help="Treat classes both used and ruled out (t1-clamp, t2-clamp): released, mass or error.",
            show_default="released",
        ),
    ] = None,
    smoothing: Annotated[
        float | None,
        typer.Option(
            help="Add answers like the crowd's to each annotator (dawid-skene, one-coin), or votes to each class "
            "(dirichlet).",
            show_default="10, 5 and 0.5",
        ),
    ] = None,
    iterations: Annotated[
        int | None,
        typer.Option(
            help="Set the maximum number of iterations (dawid-skene, one-coin, mace, glad, shrinkage).",
            show_default="200; 300 for shrinkage",
        ),
    ] = None,
    recalibrate: Annotated[
        str | None,
        typer.Option(
            help="Recalibrate stated probabilities first: by `repeats`, an annotator's repeated answers, or by a file "
            "with item and right label.",
            show_default="no recalibration",
        ),
    ] = None,
    as_json: AsJson = False,
    html: HtmlPage = None,
) -> None:
    """Aggregate votes or beliefs to one distribution per item, or one label.

    Example: dissensus aggregate votes.csv -o shares.parquet --labels labels.csv
    """
    from dissensus.aggregate.aggregations import aggregate_labels
    from dissensus.files.whole_files import write_text

    if output is None and item_labels is None:
        raise ValueError(
            "no output file given; pass -o FILE for distributions, --labels FILE for one label per item, or both"
        )
    if item_labels is not None:
        check_table_file(item_labels, "--labels")
    options = {"gamma": gamma, "contradictions": contradictions, "smoothing": smoothing, "iterations": iterations}
    given = {name: value for name, value in options.items() if value is not None}
    known = _known_answers(recalibrate, labels)
    with errors.status(Text(f"aggregating {file}")):
        result = aggregate_labels(labels, method, recalibrate=known, **given)
    for notice in result.notices:
        say(notice)
    distributions, name = result.distributions, result.method
    done: dict[str, Any] = {"method": name, "items": distributions.n_items, "classes": list(distributions.classes)}
    if output is not None:
        write_labels(distributions, output)
        done["output"] = str(output)
    if item_labels is not None:
        done |= _write_labels(distributions, labels, item_labels)
    if recalibrate is not None:
        done["recalibrate"] = recalibrate
    done |= {fact: getattr(result.fit, fact) for fact in ("iterations", "converged") if hasattr(result.fit, fact)}
    if done.get("converged") is False:
        say(f"{name} stopped before it converged; raise --iterations")
    if html is not None:
        from dissensus.aggregate.labels_page import describe_labels
        from dissensus.labels.summary import summarise
        from dissensus.report.html import html_page

        write_text(html_page(describe_labels(summarise(distributions), f"{Path(file).name} by {name}")), html)
        say(f"wrote {html}")
    n, k = distributions.n_items, distributions.n_classes
    written = [f"{n:,} distributions over {k} classes by {name} -> {output}"] if output is not None else []
    if item_labels is not None:
        written.append(f"{n:,} labels{'' if name == 'none' else f' by {name}'} -> {item_labels}")
    print_result(done, "\n".join(written), as_json)


def _write_labels(distributions: "Distributions", labels: "Labels", path: Path) -> dict[str, Any]:
    """Write item, label, confidence, tied, agreement and answers, and report ties."""
    from dissensus.aggregate.consensus import item_labels

    chosen = item_labels(distributions, labels)
    write_labels(chosen.as_votes(), path)
    tied = int(chosen.tied.sum())
    if tied:
        say(f"{tied:,} of {chosen.items.size:,} items have tied classes; the label is the first of them")
    return {"labels": str(path), "tied": tied, "mean_confidence": float(chosen.confidence.mean())}


def _known_answers(recalibrate: str | None, labels: "Labels") -> "Recalibration | None":
    """Return what to recalibrate by: None, "repeats", or the votes of a file with gold."""
    from dissensus.files.read_labels import read
    from dissensus.labels.votes import Votes

    if recalibrate is None:
        return None
    if recalibrate == "repeats":
        return "repeats"
    check_not_standard_input(recalibrate, "--recalibrate -")
    if not Path(recalibrate).exists():
        raise ValueError(f"--recalibrate {recalibrate}: no such file; expected repeats, or a file with item and label")
    gold = read(recalibrate, say=say, classes=list(labels.classes))
    if not isinstance(gold, Votes):
        raise ValueError(f"{recalibrate}: {type(gold).__name__}; expected one row per item with its right label")
    return gold
