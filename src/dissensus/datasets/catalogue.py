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
    if name not in DATASETS:
        import difflib

        near = difflib.get_close_matches(name, DATASETS, n=3, cutoff=0.5)
        hint = f"did you mean {' or '.join(map(repr, near))}? " if near else ""
        raise ValueError(f"there is no data set {name!r}; {hint}`dissensus data list` names all {len(DATASETS)}")
    return DATASETS[name]


def _read(name: str, kind: ContentKind, **options: Any) -> Any:
    dataset = lookup(name)
    if dataset.kind != kind:
        call = _CALLS[dataset.kind].format(name)
        raise ValueError(f"data set {name!r} holds {dataset.kind}, not {kind}; read it with datasets.{call}")
    return read_found(dataset, **options)
