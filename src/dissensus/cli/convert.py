"""`dissensus convert`."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from dissensus.cli.printing import AsJson, print_result
from dissensus.cli.reading import reads_labels, say
from dissensus.cli.refusals import word_settings

if TYPE_CHECKING:
    from dissensus.labels.shares import Labels


@reads_labels
def convert(
    labels: "Labels",
    file: str,
    output: Annotated[Path, typer.Argument(help="File to write; its ending gives the format.")],
    to: Annotated[
        str | None, typer.Option(help="Write this format, if not clear from the ending, such as label-studio.")
    ] = None,
    to_layout: Annotated[
        str | None,
        typer.Option(help="Lay out votes as crowd-kit (task, worker, label) or annotators (one column each)."),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Convert labels to another format, and report what the format cannot keep.

    Example: dissensus convert export.json votes.parquet
    """
    from dissensus.files.write_labels import write

    with word_settings((), None, format="to", layout="to_layout"):
        write(labels, output, format=to, layout=to_layout, say=say)
    kind = type(labels).__name__.lower()
    done = {"kind": kind, "items": labels.n_items, "classes": list(labels.classes), "output": str(output)}
    print_result(done, f"{file} -> {output}: {kind}, {labels.n_items:,} items", as_json)
