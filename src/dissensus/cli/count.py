"""`dissensus count`."""

from contextlib import nullcontext
from pathlib import Path
from typing import Annotated

import typer
from rich.text import Text

from dissensus.cli.overwriting import refuse_overwriting
from dissensus.cli.printing import AsJson, print_result
from dissensus.cli.reading import errors, one_line_errors, say, split_classes
from dissensus.cli.standard_input import MARK, standard_input
from dissensus.cli.writing import write_labels


def count(
    file: Annotated[
        Path, typer.Argument(help="Parquet file with one row per vote, of any length, or - for standard input.")
    ],
    output: Annotated[
        Path, typer.Option("--output", "-o", help="Write the counts to this file: .npy, .npz, .parquet, …")
    ],
    item: Annotated[str | None, typer.Option(help="Read the item from this column.")] = None,
    label: Annotated[str | None, typer.Option(help="Read the label from this column.")] = None,
    classes: Annotated[str | None, typer.Option(help="List all classes in order, as one row of CSV.")] = None,
    as_json: AsJson = False,
) -> None:
    """Count votes per item and class in a file of any length; repeated answers are all counted.

    Example: dissensus count votes.parquet -o counts.npz
    """
    from dissensus.files.stream import count_votes

    with one_line_errors():
        refuse_overwriting({"file": str(file), "output": output})
        names = split_classes(classes)
        with (
            errors.status(Text(f"counting {file}")),
            standard_input(say) if str(file) == MARK else nullcontext((file, say)) as (path, heard),
        ):
            counted = count_votes(path, item=item, label=label, classes=names, say=heard)
        write_labels(counted.distributions(), output)
    (n, k), votes = counted.counts.shape, int(counted.counts.sum())
    done = {"votes": votes, "items": n, "classes": list(counted.classes), "output": str(output)}
    print_result(done, f"{votes:,} votes on {n:,} items over {k} classes -> {output}", as_json)
