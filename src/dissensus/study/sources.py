"""Labels, features and images of a source: a value, a path, or the name of a data set."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from dissensus.datasets.catalogue import features, load
from dissensus.datasets.contents import item_contents
from dissensus.datasets.dataset import LabelledItems, build_labelled_items
from dissensus.datasets.sources import describe_source, find_source
from dissensus.files.notices import Say, to_stderr
from dissensus.files.read_labels import read
from dissensus.labels.beliefs import Beliefs
from dissensus.labels.distributions import Distributions
from dissensus.labels.votes import Votes
from dissensus.train.heads.features import FeatureTable, read_features
from dissensus.train.image_sources import read_images
from dissensus.train.images import ImageTable, as_images


def read_labelled_items(source: Any, say: Say = to_stderr) -> LabelledItems:
    """Read labels, with what a data set knows about their items."""
    if isinstance(source, LabelledItems):
        return source
    if isinstance(source, str | Path):
        place = find_source(source, "labels")
        return build_labelled_items(read(place, say=say)) if isinstance(place, Path) else load(place.name)
    if not isinstance(source, Votes | Beliefs | Distributions):
        raise ValueError(f"labels are of the type {type(source).__name__}; expected a data set, a file, or labels")
    return build_labelled_items(source)


def read_feature_table(source: Any) -> FeatureTable:
    """Read features: a FeatureTable, an array, a .npy file, or a data set of features."""
    if isinstance(source, FeatureTable):
        return source
    if isinstance(source, np.ndarray):
        return FeatureTable(source)
    if not isinstance(source, str | Path):
        raise ValueError(
            f"features are of the type {type(source).__name__}; expected an array, a FeatureTable or a file"
        )
    place = find_source(source, "features")
    if isinstance(place, Path):
        return read_features(place)
    content = features(place.name)
    return FeatureTable(content.values, content.items, describe_source(place.name))


def read_image_table(source: Any) -> ImageTable:
    """Read images: whatever `as_images` takes, a path that `read_images` takes, or a data set with images."""
    if not isinstance(source, str | Path):
        return as_images(source)
    place = find_source(source, "images", "labels")
    return read_images(place) if isinstance(place, Path) else images_of_data_set(place.name)


def images_of_data_set(name: str, *, quiet: bool = True) -> ImageTable:
    """Read the images of a data set, or those that its labels are about."""
    contents = item_contents(name, quiet=quiet)
    if contents.pixels is None:
        raise ValueError(f"data set {name!r} holds texts; expected images, such as cifar10-test or digits")
    return ImageTable(contents.pixels, contents.names, describe_source(name))
