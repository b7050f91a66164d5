"""`dissensus aggregate`."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.text import Text

from dissensus.aggregate.aggregations import AGGREGATIONS
from dissensus.cli.printing import AsJson, print_result
from dissensus.cli.reading import errors, reads_labels, say

if TYPE_CHECKING:
    from dissensus.aggregate.recalibration import Recalibration
    from dissensus.labels.shares import Labels


@reads_labels
def aggregate(
    labels: "Labels",
    file: str,
    output: Annotated[Path, typer.Option("--output", "-o", help="File to write: .parquet, .csv, .npz, …")],
    method: Annotated[str | None, typer.Option(help=f"{', '.join(AGGREGATIONS)}. Without it: share for votes; for "
                                               "beliefs t2-clamp, or dense where they state every class.")] = None,
    gamma: Annotated[float | None, typer.Option(help="Mass kept for classes left possible (clamp only, 0.1).")] = None,
    contradictions: Annotated[str | None, typer.Option(help="Classes both used and ruled out (clamp only): released, "
                                                       "mass or error.")] = None,
    recalibrate: Annotated[str | None, typer.Option(help="Make stated probabilities honest first: by `repeats`, an "
                           "annotator's second answers, or by a file with item and right label.")] = None,
    as_json: AsJson = False,
    html: Annotated[Path | None, typer.Option(help="Write a page about the distributions to this file.")] = None,
) -> None:  # fmt: skip
    """One distribution per item from votes or beliefs."""
    from dissensus.aggregate.aggregations import aggregate as run
    from dissensus.files.whole_files import write_text
    from dissensus.files.write_labels import write

    options = {"gamma": gamma, "contradictions": contradictions}
    given = {name: value for name, value in options.items() if value is not None}
    known = _known_answers(recalibrate, labels)
    with errors.status(Text(f"aggregating {file}")):
        result = run(labels, method, recalibrate=known, **given)
    for notice in result.notices:
        say(notice)
    distributions, name = result.distributions, result.method
    write(distributions, output, say=say)
    done: dict[str, Any] = {
        "method": name,
        "items": distributions.n_items,
        "classes": list(distributions.classes),
        "output": str(output),
    }
    if recalibrate is not None:
        done["recalibrate"] = recalibrate
    done |= {fact: getattr(result.fit, fact) for fact in ("iterations", "converged") if hasattr(result.fit, fact)}
    if done.get("converged") is False:
        say(f"{name} stopped before it converged: read the result with care")
    if html is not None:
        from dissensus.labels.summary import summarise
        from dissensus.report.labels_page import labels_page

        write_text(labels_page(summarise(distributions), f"{Path(file).name} by {name}"), html)
        say(f"wrote {html}")
    n, k = distributions.n_items, distributions.n_classes
    print_result(done, f"{n:,} distributions over {k} classes by {name} -> {output}", as_json)


def _known_answers(recalibrate: str | None, labels: "Labels") -> "Recalibration | None":
    """What to recalibrate by: None, "repeats", or the votes of a file with gold."""
    from dissensus.files.read_labels import read
    from dissensus.labels.votes import Votes

    if recalibrate is None:
        return None
    if recalibrate == "repeats":
        return "repeats"
    if not Path(recalibrate).exists():
        raise ValueError(f"--recalibrate {recalibrate}: no such file; expected repeats, or a file with item and label")
    gold = read(recalibrate, say=say, classes=list(labels.classes))
    if not isinstance(gold, Votes):
        raise ValueError(f"{recalibrate}: holds {type(gold).__name__}; expected one row per item with its right label")
    return gold
