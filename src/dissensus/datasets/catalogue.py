"""All public data sets by name, and the calls that read them."""

from __future__ import annotations

from typing import Any

import numpy as np

from dissensus.datasets import (
    chaosnli,
    cifar10,
    cifar10_again,
    cifar10h,
    cifar10n,
    cifar10s,
    crowd,
    efficientnet,
    embedded,
    lewidi,
    ood,
    popquorn,
)
from dissensus.datasets.dataset import (
    ContentKind,
    DataSet,
    Features,
    LabelledItems,
    build_labelled_items,
    class_names,
)
from dissensus.datasets.folder import read_data_set
from dissensus.datasets.image_files import Images
from dissensus.labels.distributions import Distributions
from dissensus.labels.refusals import PythonWay, Refusal, one_of

_FAMILIES = (
    embedded,
    cifar10h,
    cifar10s,
    cifar10n,
    chaosnli,
    popquorn,
    lewidi,
    crowd,
    cifar10,
    cifar10_again,
    efficientnet,
    ood,
)

DATASETS: dict[str, DataSet] = {dataset.name: dataset for family in _FAMILIES for dataset in family.DATASETS}

_CALLS: dict[ContentKind, str] = {
    "labels": "load({!r})",
    "images": "images(...)",
    "predictions": "predictions({!r})",
    "features": "features({!r})",
}


def load(name: str) -> LabelledItems:
    """Load the labels of a data set, and the table of their items.

    Parameters
    ----------
    name : of a data set of labels in `DATASETS`

    Returns
    -------
    LabelledItems : `labels` are Votes, Beliefs or Distributions, `items` is an Arrow table

    Examples
    --------
    >>> load("anesthesia").labels.n_items
    45
    """
    return _read(name, "labels")


def load_classes(name: str) -> LabelledItems:
    """Load the classes of a data set of images as certain labels, for a network that is pretrained on these images.

    They are nobody's answers, and images are named by their rows, as those of any other set.
    """
    images: Images = _read(name, "images")
    probs = np.eye(len(images.classes))[images.labels]
    labels = Distributions(probs, np.arange(len(probs)), images.classes)
    return build_labelled_items(labels, gold=class_names(images.labels, images.classes))


def images(name: str, split: str = "test", *, quiet: bool = False) -> Images:
    """Load images with their classes.

    Parameters
    ----------
    name : of the family of images, such as "cifar10"
    split : such as "train" or "test"
    quiet : show no progress bar; otherwise one appears if decoding takes longer than 2 s

    Returns
    -------
    Images : `pixels` (n, 32, 32, 3) uint8, `labels` (n,) class codes, `classes`

    Examples
    --------
    >>> images("cifar10", "tests")
    Traceback (most recent call last):
        ...
    dissensus.labels.refusals.Refusal: unknown data set 'cifar10-tests'; did you mean 'cifar10-test'? ...
    """
    return _read(f"{name}-{split}", "images", quiet=quiet)


def predictions(name: str) -> dict[str, Distributions]:
    """Load the predictions of several models for the same items.

    Parameters
    ----------
    name : of a data set of predictions in `DATASETS`

    Returns
    -------
    dict : Distributions by the name of the model

    Examples
    --------
    >>> predictions("anesthesia")
    Traceback (most recent call last):
        ...
    dissensus.labels.refusals.Refusal: anesthesia: the data set contains labels; expected predictions. ...
    """
    return _read(name, "predictions")


def features(name: str) -> Features:
    """Load precomputed features, one row per item.

    Parameters
    ----------
    name : of a data set of features in `DATASETS`

    Returns
    -------
    Features : `values` (n, d), `items` (n,) names, `gold` (n,) class codes or None

    Examples
    --------
    >>> features("anesthesia")
    Traceback (most recent call last):
        ...
    dissensus.labels.refusals.Refusal: anesthesia: the data set contains labels; expected features. ...
    """
    return _read(name, "features")


def lookup(name: str) -> DataSet:
    """Look up a data set by its name; an unknown name is refused with the nearest one.

    Parameters
    ----------
    name : a key of `DATASETS`

    Returns
    -------
    DataSet : source, citation, licence, documented sizes, and how to read it

    Examples
    --------
    >>> lookup("anesthesia").facts.items
    45
    """
    return DATASETS[one_of("data set", name, DATASETS)]


def _read(name: str, kind: ContentKind, **options: Any) -> Any:
    dataset = lookup(name)
    if dataset.kind != kind:
        call = f"read it with datasets.{_CALLS[dataset.kind].format(name)}"
        raise Refusal(f"the data set contains {dataset.kind}; expected {kind}", name, [PythonWay(call)])
    return read_data_set(dataset, **options)
