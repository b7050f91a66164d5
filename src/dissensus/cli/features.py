"""The argument FEATURES of the verbs for heads."""

from typing import TYPE_CHECKING, Annotated

import typer

from dissensus.cli.standard_input import check_not_standard_input

if TYPE_CHECKING:
    from dissensus.train.heads.features import FeatureTable

FeatureFile = Annotated[str, typer.Argument(help="Features: a .npy file or a data set.")]


def load_features(name: str) -> "FeatureTable":
    """Load the features of a file or a data set."""
    from dissensus.study.sources import read_feature_table

    check_not_standard_input(name, "FEATURES -")
    return read_feature_table(name)
