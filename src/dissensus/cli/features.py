"""The argument FEATURES of the verbs that train and predict."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from dissensus.cli.standard_input import check_not_standard_input

if TYPE_CHECKING:
    from dissensus.train.heads.features import FeatureTable

FeatureFile = Annotated[str, typer.Argument(help="A .npy file of features, or a data set of features.")]


def load_features(name: str) -> "FeatureTable":
    """The features of a file, or of a data set where there is no such file."""
    from dissensus.datasets.catalogue import features, is_data_set
    from dissensus.train.heads.features import FeatureTable, read_features

    check_not_standard_input(name, "FEATURES -")
    if is_data_set(name):
        known = features(name)
        return FeatureTable(known.values, known.items, source={"data set": name})
    return read_features(Path(name))
