"""All public data sets by name, and the calls that read them."""

from __future__ import annotations

from typing import Any

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
from dissensus.datasets.dataset import ContentKind, DataSet, Features, LabelledItems
from dissensus.datasets.folder import read_found
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
    """The labels of a data set, and what is known about their items."""
    return _read(name, "labels")


def images(name: str, split: str = "test", *, quiet: bool = False) -> Images:
    """Images with their class: `images("cifar10", "train")`; a progress bar shows when decoding takes over 2 s."""
    return _read(f"{name}-{split}", "images", quiet=quiet)


def predictions(name: str) -> dict[str, Distributions]:
    """What each model of a set of models believes."""
    return _read(name, "predictions")


def features(name: str) -> Features:
    """Ready-made features, one row per item."""
    return _read(name, "features")


def lookup(name: str) -> DataSet:
    """The data set of that name, or an error that suggests one."""
    return DATASETS[one_of("data set", name, DATASETS)]


def _read(name: str, kind: ContentKind, **options: Any) -> Any:
    dataset = lookup(name)
    if dataset.kind != kind:
        call = f"read it with datasets.{_CALLS[dataset.kind].format(name)}"
        raise Refusal(f"the data set contains {dataset.kind}; expected {kind}", name, [PythonWay(call)])
    return read_found(dataset, **options)
