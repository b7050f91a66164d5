"""What the verbs about features share: the argument FEATURES, and how they print what was done."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console

if TYPE_CHECKING:
    from dissensus.train.heads.features import FeatureTable

out = Console(highlight=False, emoji=False)
AsJson = Annotated[bool, typer.Option("--json", help="Print what was done as JSON.")]
FeatureFile = Annotated[str, typer.Argument(help="A .npy file of features, or a data set of features.")]


def load_features(name: str) -> "FeatureTable":
    """The features of a file, or of a data set where there is no such file."""
    from dissensus.datasets import DATASETS, features
    from dissensus.train.heads.features import FeatureTable, read_features

    if not Path(name).exists() and name in DATASETS:
        known = features(name)
        return FeatureTable(known.values, known.items, source={"data set": name})
    return read_features(Path(name))


def print_result(done: dict[str, Any], sentence: str, as_json: bool) -> None:
    if as_json:
        typer.echo(json.dumps(done))
    else:
        out.print(sentence, markup=False)
