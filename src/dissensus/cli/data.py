"""`dissensus data`: list, check, locate and download public data sets, and pretrain networks on them."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.text import Text

from dissensus.cli.printing import AsJson, print_json, print_result
from dissensus.cli.reading import errors, one_line_errors, say
from dissensus.cli.seeds import Seed, check_seed

if TYPE_CHECKING:
    from pathlib import Path

data = typer.Typer(
    name="data",
    help="List, check, locate and download public data sets; pretrain networks on them.",
    no_args_is_help=True,
)

Name = Annotated[str, typer.Argument(help="Name of a data set, as in `dissensus data list`.")]


@data.command("list")
def list_all(as_json: AsJson = False) -> None:
    """List all data sets with their sizes, and whether their files are in the data folder.

    Example: dissensus data list
    """
    from dissensus.datasets.catalogue import DATASETS
    from dissensus.datasets.check import describe_data_set
    from dissensus.datasets.folder import data_folder
    from dissensus.report.tables import Column, Table
    from dissensus.report.terminal import print_rows

    rows = [describe_data_set(dataset) for dataset in DATASETS.values()]
    if as_json:
        print_json(rows)
        return
    numbers = (Column(title, number=True) for title in ("items", "annotators", "answers", "classes"))
    columns = [Column("name"), *numbers, Column("present")]  # fits 80 columns
    cells = [[_cell(row[column.title]) for column in columns] for row in rows]
    print_rows(Table(columns, cells, f"data folder: {data_folder()}", shown=len(cells)))


@data.command()
def check(
    names: Annotated[list[str] | None, typer.Argument(help="Names of data sets.", show_default="all of them")] = None,
    as_json: AsJson = False,
) -> None:
    """Read the data sets that are present and test their documented facts. Exits 1 if a test fails.

    Example: dissensus data check anesthesia digits
    """
    from dissensus.datasets.catalogue import DATASETS, lookup
    from dissensus.datasets.check import verify
    from dissensus.datasets.folder import data_folder
    from dissensus.report.tables import Column, Table
    from dissensus.report.terminal import print_rows

    with one_line_errors():
        wanted = [lookup(name) for name in names or DATASETS]
    outcomes = []
    with errors.status("") as progress:  # shown on a terminal only
        for done, dataset in enumerate(wanted):
            progress.update(Text(f"checking {dataset.name}, {done} of {len(wanted)} done"))
            outcomes.append(verify(dataset))
    if as_json:
        print_json([asdict(outcome) for outcome in outcomes])
    else:
        columns = [Column("name"), Column("state"), Column("failed or checked facts", wraps=True)]
        rows = [[outcome.name, outcome.state, "\n".join(outcome.problems or outcome.checked)] for outcome in outcomes]
        print_rows(Table(columns, rows, f"data folder: {data_folder()}", shown=len(rows)))
    if any(outcome.state == "failed" for outcome in outcomes):
        raise typer.Exit(1)


@data.command()
def show(name: Name, as_json: AsJson = False) -> None:
    """Show one data set: description, source, citation, licence, sizes and checked facts.

    Example: dissensus data show cifar10h
    """
    from dissensus.datasets.catalogue import lookup
    from dissensus.datasets.check import describe_data_set

    with one_line_errors():
        about = describe_data_set(lookup(name))
    if as_json:
        print_json(about)
        return
    for key, value in about.items():
        lines = value if isinstance(value, list | tuple) else [_cell(value)]
        typer.echo(f"{key:<11}" + f"\n{'':<11}".join(str(line) for line in lines))


@data.command()
def where(name: Name, as_json: AsJson = False) -> None:
    """Print the files that a data set is read from, one per line.

    Example: dissensus data where cifar10h
    """
    from dissensus.datasets.catalogue import lookup
    from dissensus.datasets.folder import paths_of

    with one_line_errors():
        dataset = lookup(name)
        paths = paths_of(dataset)
    if not dataset.files:
        typer.echo(f"{name} is part of the package; no file is needed", err=True)
    _print_paths(name, paths, as_json)


@data.command()
def get(
    name: Name,
    quiet: Annotated[bool, typer.Option("--quiet", help="Show no progress bar.")] = False,
    as_json: AsJson = False,
) -> None:
    """Download a data set, verify its checksum and print its files. Without a public address, explain how to get it.

    Example: dissensus data get cifar10h
    """
    from dissensus.datasets.catalogue import lookup
    from dissensus.datasets.download import fetch

    with one_line_errors():
        dataset = lookup(name)
        paths = fetch(dataset, quiet=quiet)
    if not dataset.files:
        typer.echo(f"{name} is part of the package; nothing to download", err=True)
    _print_paths(name, paths, as_json)
    typer.echo(f"{dataset.title}. Licence: {dataset.licence}. Please cite: {dataset.citation}", err=True)


@data.command()
def pretrain(
    name: Annotated[str, typer.Argument(help="Data set of images with classes, such as cifar10-train.")],
    width: Annotated[int, typer.Option(help="Channels of the first block of the network.")] = 16,
    epochs: Annotated[int, typer.Option(help="Passes over the images.")] = 8,
    crop: Annotated[int, typer.Option(help="Shift each image by at most this many pixels to each side.")] = 2,
    threads: Annotated[
        int, typer.Option(help="Threads of the training, on which the last bits of the weights depend.")
    ] = 1,
    seed: Seed = 0,
    quiet: Annotated[bool, typer.Option("--quiet", help="Show no progress bar.")] = False,
    as_json: AsJson = False,
) -> None:
    """Train a network on the classes of images once, and store it in the data folder; rerun to resume.

    Other verbs find it by its name: --from cifar10-swift16, --encoder network:cifar10-swift16.
    Example: dissensus data pretrain cifar10-train
    """
    with one_line_errors():
        from dissensus.train.network_files import load_network
        from dissensus.train.pretraining import pretrain as run

        check_seed(seed)
        path = run(name, width=width, epochs=epochs, crop=crop, seed=seed, threads=threads, say=say, quiet=quiet)
        card = load_network(path).card
    scores = {key: value for key, value in card.items() if key.startswith("accuracy")}
    stored = ", ".join(f"{key} {value:.3f}" for key, value in scores.items())
    facts = {"name": path.stem, "file": str(path), **card}
    print_result(facts, f"{path.stem}{', ' if stored else ''}{stored} -> {path}", as_json)


def _print_paths(name: str, paths: list[Path], as_json: bool) -> None:
    if as_json:
        print_json({"name": name, "files": [str(path) for path in paths]})
        return
    for path in paths:
        typer.echo(path)


def _cell(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return "-" if value is None else f"{value:,}" if isinstance(value, int) else str(value)
