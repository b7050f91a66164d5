"""Features of the items: from the encoders there are here, and from files of others where a user has them.

Files lie in the data folder as features/SET_ENCODER.npy, one row per item in the order of the data set, or in any order
with names of the items in a card beside them, as `dissensus embed` writes them. SET is chaosnli-snli and chaosnli-mnli
(both are needed), popquorn or cifar10-test: features/cifar10-test_dinov2-small.npy holds 10,000 rows of DINOv2 Small.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from dissensus.datasets.catalogue import features, load, lookup
from dissensus.datasets.folder import data_folder, is_present
from dissensus.labels.distributions import Distributions
from dissensus.labels.progress import Progress
from dissensus.papers.text_sets import CHAOSNLI, minilm_features
from dissensus.train.heads.features import read_features

FILED = {"chaosnli": CHAOSNLI, "popquorn": ("popquorn",), "cifar10h-hard": ("cifar10-test",)}
HERE = {"chaosnli": "minilm", "popquorn": "minilm", "cifar10h-hard": "resnet50"}
OF_THE_PAPER = {
    "chaosnli": "text-embedding-3-large",
    "popquorn": "text-embedding-3-large",
    "cifar10h-hard": "dinov2-small",
}
READY = {"resnet50": "cifar10-resnet50", "efficientnet-lite0": "cifar10-efficientnet"}  # data sets of features
SHOWN = {
    "minilm": "all-MiniLM-L6-v2",
    "resnet50": "ResNet-50 of ImageNet",
    "efficientnet-lite0": "EfficientNet-Lite0 of ImageNet",
    "text-embedding-3-large": "OpenAI text-embedding-3-large",
    "dinov2-small": "DINOv2 Small",
}


def encoders_of(name: str) -> list[str]:
    """Those that a set can be run with: the one there is here first, then others whose features lie in the data
    folder."""
    ready = (
        ["efficientnet-lite0"] if name == "cifar10h-hard" and is_present(lookup(READY["efficientnet-lite0"])) else []
    )
    return [HERE[name], *ready, *_encoders_with_files(name)]


def part_of(name: str, encoder: str) -> str:
    return name if encoder == HERE[name] else f"{name}-{encoder}"


def files_of(name: str, encoder: str) -> dict[str, Path]:
    """A user's own feature files of an encoder, by their place in the data folder."""
    if encoder in (HERE[name], *READY):
        return {}
    places = [f"features/{of}_{encoder}.npy" for of in FILED[name]]
    return {place: data_folder() / place for place in places}


def features_of(
    name: str, encoder: str, people: Distributions, rows: np.ndarray, folder: Path, progress: Progress
) -> np.ndarray:
    """Features of some items of a set.  rows: (r,) -> (r, d) float32"""
    if encoder == "minilm":
        return minilm_features(name, people, rows, folder, progress)
    if encoder in READY:
        return features(READY[encoder]).values[people.items[rows]].astype(np.float32)
    tables = [_in_order(path, of) for path, of in zip(files_of(name, encoder).values(), FILED[name], strict=True)]
    every = np.concatenate(tables)  # of all items, and of all CIFAR-10 test images
    return every[people.items[rows] if name == "cifar10h-hard" else rows].astype(np.float32)


def _encoders_with_files(name: str) -> list[str]:
    """Encoders that all feature files of a set are there for."""
    folder = data_folder() / "features"
    each = [{path.stem.removeprefix(f"{of}_") for path in folder.glob(f"{of}_*.npy")} for of in FILED[name]]
    return sorted(set.intersection(*each) - {HERE[name], *READY})


def _in_order(path: Path, name: str) -> np.ndarray:
    """The rows of a feature file in the order of its data set."""
    items = np.arange(10_000) if name == "cifar10-test" else load(name).labels.items
    table = read_features(path)
    if len(table.values) != len(items):
        raise ValueError(
            f"{path}: {len(table.values):,} rows, but {name} has {len(items):,} items; expected a row for each"
        )
    if not table.named:
        return table.values
    place = {str(item): row for row, item in enumerate(table.items)}
    unknown = [item for item in items if str(item) not in place]
    if unknown:
        raise ValueError(
            f"{path}: no row is named {unknown[0]}, an item of {name}, and {len(unknown):,} items have "
            "none; expected the names of that data set, or none"
        )
    return table.values[[place[str(item)] for item in items]]
