"""Labels of the paper that were not released, for those who have them: dense labels, typicality, similarity judgments.

They are looked for in the folder `sucholutsky2023` of the data folder:

    dense.npy        (10000, 10) mean slider for each test image of CIFAR-10 and class, 0 or more
    typicality.npy   (10000,) mean rating of how typical each test image is of its class, 0 to 1
    similarity.npz   `rows` (n,) test images, `similarity` (n, n) how alike people find them, NaN where nobody judged
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from dissensus.datasets.folder import data_folder
from dissensus.labels.content_hash import hash_file
from dissensus.labels.distributions import Distributions

FOLDER = "sucholutsky2023"
FILES = ("dense.npy", "typicality.npy", "similarity.npz")


def own_files() -> dict[str, str]:
    """Checksums of the files that are there, by name."""
    return {name: hash_file(place) for name in FILES if (place := _place(name)).is_file()}


def has(name: str) -> bool:
    """Whether somebody put this file there."""
    return _place(name).is_file()


def read_dense(items: np.ndarray, classes: tuple[str, ...]) -> Distributions:
    """CIFAR-10DS: sliders scaled to sum to 1."""
    return Distributions.from_mass(_of_all("dense.npy", (items.size, len(classes))), items=items, classes=classes)


def read_typicality(gold: np.ndarray, items: np.ndarray, classes: tuple[str, ...]) -> Distributions:
    """CIFAR-10T: typicality as the probability of the true class, whose rest the other classes share.

    gold: (n,) class codes
    """
    typical = _of_all("typicality.npy", (items.size,))
    bad = np.flatnonzero(~((typical >= 0) & (typical <= 1)))
    if bad.size:
        raise ValueError(
            f"{_place('typicality.npy')}: image {bad[0]} has typicality {typical[bad[0]]:g}; expected 0 "
            f"to 1; {bad.size} of {typical.size} are out of range"
        )
    probs = np.repeat((1 - typical[:, None]) / (len(classes) - 1), len(classes), axis=1)
    probs[np.arange(items.size), gold] = typical
    return Distributions(probs, items, classes)


def read_similarity() -> tuple[np.ndarray, np.ndarray]:
    """Rows of the test set and how alike people find those images.  (n,), (n, n)"""
    place = _place("similarity.npz")
    with place.open("rb") as file, np.load(file) as content:
        rows, alike = content["rows"], content["similarity"]
    if alike.shape != (rows.size, rows.size):
        raise ValueError(
            f"{place}: similarity has shape {alike.shape} and there are {rows.size} rows; expected a row "
            "and a column for each of them"
        )
    return rows.astype(np.int64), np.asarray(alike, dtype=np.float64)


def _place(name: str) -> Path:
    return data_folder() / FOLDER / name


def _of_all(name: str, shape: tuple[int, ...]) -> np.ndarray:
    values = np.asarray(np.load(_place(name)), dtype=np.float64)
    if values.shape != shape:
        raise ValueError(f"{_place(name)}: has shape {values.shape}; expected {shape}, in the order of the test images")
    return values
