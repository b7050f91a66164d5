"""`dissensus data`: which public data sets there are, which are here, whether they are sound, how to get the rest."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.text import Text

from dissensus.cli.reading import errors, one_line_errors

if TYPE_CHECKING:
    from pathlib import Path

    from dissensus.datasets import DataSet

data = typer.Typer(name="data", help="Public data sets: list, check, locate and fetch them.", no_args_is_help=True)

AsJson = Annotated[bool, typer.Option("--json", help="Print JSON instead of a table.")]
Name = Annotated[str, typer.Argument(help="A name that `dissensus data list` shows.")]


@data.command("list")
def list_all(as_json: AsJson = False) -> None:
    """All data sets with their size and licence, and whether they are in the data folder."""
    from dissensus.datasets import DATASETS, data_folder

    rows = [_described(dataset) for dataset in DATASETS.values()]
    if as_json:
        typer.echo(json.dumps(rows, indent=2))
        return
    shown = ("name", "items", "annotators", "answers", "classes", "present")  # fits 80 columns
    _print_table(f"data folder: {data_folder()}", shown, [[_cell(row[name]) for name in shown] for row in rows])


@data.command()
def check(
    names: Annotated[list[str] | None, typer.Argument(help="Data sets to check; all without names.")] = None,
    as_json: AsJson = False,
) -> None:
    """Read every data set that is present and test the documented facts about it; exit code 1 if one fails."""
    from dissensus.datasets import DATASETS, data_folder, lookup
    from dissensus.datasets.check import verify

    with one_line_errors():
        wanted = [lookup(name) for name in names or DATASETS]
    outcomes = []
    with errors.status("") as progress:  # shown on a terminal only
        for done, dataset in enumerate(wanted):
            progress.update(Text(f"checking {dataset.name}, {done} of {len(wanted)} done"))
            outcomes.append(verify(dataset))
    if as_json:
        typer.echo(json.dumps([asdict(outcome) for outcome in outcomes], indent=2))
    else:
        rows = [[found.name, found.state, "\n".join(found.problems or found.checked)] for found in outcomes]
        _print_table(f"data folder: {data_folder()}", ("name", "state", "what failed, or was checked"), rows)
    if any(outcome.state == "failed" for outcome in outcomes):
        raise typer.Exit(1)


@data.command()
def show(name: Name, as_json: AsJson = False) -> None:
    """Everything about one data set: what it is, source, citation, licence, and what is checked."""
    from dissensus.datasets import lookup

    with one_line_errors():
        about = _described(lookup(name))
    if as_json:
        typer.echo(json.dumps(about, indent=2))
        return
    for key, value in about.items():
        lines = value if isinstance(value, list | tuple) else [_cell(value)]
        typer.echo(f"{key:<11}" + f"\n{'':<11}".join(str(line) for line in lines))


@data.command()
def where(name: Name, as_json: AsJson = False) -> None:
    """The files a data set is read from, one per line."""
    from dissensus.datasets import find, lookup

    with one_line_errors():
        dataset = lookup(name)
        paths = list(dict.fromkeys(path for path in find(dataset) if path is not None))
    if not dataset.files:
        typer.echo(f"{name} is part of the package; there is no file", err=True)
    _print_paths(name, paths, as_json)


@data.command()
def get(
    name: Name, quiet: Annotated[bool, typer.Option("--quiet", help="Show no progress bar.")] = False,
    as_json: AsJson = False,
) -> None:  # fmt: skip
    """Fetch a data set that has a public address, check it, and say where it lies; say how to obtain any other."""
    from dissensus.datasets import lookup
    from dissensus.datasets.download import fetch

    with one_line_errors():
        dataset = lookup(name)
        paths = fetch(dataset, quiet=quiet)
    if not dataset.files:
        typer.echo(f"{name} is part of the package; there is nothing to fetch", err=True)
    _print_paths(name, paths, as_json)
    typer.echo(f"{dataset.title}. Licence: {dataset.licence}. Please cite: {dataset.citation}", err=True)


def _print_paths(name: str, paths: list[Path], as_json: bool) -> None:
    if as_json:
        typer.echo(json.dumps({"name": name, "files": [str(path) for path in paths]}, indent=2))
        return
    for path in paths:
        typer.echo(path)


def _described(dataset: DataSet) -> dict[str, Any]:
    from dissensus.datasets import is_present
    from dissensus.datasets.check import claims

    about = {
        name: getattr(dataset, name) for name in ("name", "title", "kind", "what", "source", "citation", "licence")
    }
    rest = {"present": is_present(dataset), "fetchable": bool(dataset.downloads), "checked": claims(dataset)}
    return about | asdict(dataset.facts) | rest


def _cell(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return "-" if value is None else f"{value:,}" if isinstance(value, int) else str(value)


def _print_table(title: str, columns: tuple[str, ...], rows: list[list[str]]) -> None:
    from rich import box
    from rich.console import Console
    from rich.table import Table

    table = Table(title=title, title_justify="left", box=box.SIMPLE_HEAD, pad_edge=False, padding=(0, 1))
    numbers = {"items", "annotators", "answers", "classes"}
    for column in columns:
        whole = column in numbers | {"name", "present", "state"}
        table.add_column(column, overflow="fold", no_wrap=whole, justify="right" if column in numbers else "left")
    for row in rows:
        table.add_row(*row)
    Console().print(table)
