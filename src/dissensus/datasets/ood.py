"""Out-of-distribution images for models of CIFAR-10."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import numpy as np
import pyarrow as pa

from dissensus.datasets.dataset import DataCheck, DataSet, Download, Facts
from dissensus.datasets.image_files import Images, read_batch, read_webp
from dissensus.datasets.pickled import read_pickle


def read_cifar100(path: Path, meta: Path, quiet: bool = False) -> Images:
    """Read the official CIFAR-100 test pickle with its hundred fine classes; this takes no progress bar."""
    pixels, entries = read_batch(path)
    classes = tuple(read_pickle(meta)["fine_label_names"])
    about = pa.table({"filename": entries["filenames"]})
    return Images(pixels, np.asarray(entries["fine_labels"], dtype=np.int32), classes, about)


def read_cifar100_part(path: Path, quiet: bool = False) -> Images:
    """Read 80 of the 100 test images of each CIFAR-100 class."""
    pixels, table = read_webp(path, quiet)
    labels = table["label"].to_numpy().astype(np.int32)
    return Images(pixels, labels, _names_of(labels, table["name"].to_pylist()), table.select(["filename"]))


def read_imagenet32(path: Path, quiet: bool = False) -> Images:
    """Read five validation images of each ImageNet class at 32 x 32, with their CIFAR-10 class (-1 for none)."""
    pixels, table = read_webp(path, quiet)
    labels = table["class"].to_numpy().astype(np.int32)
    names, wnids = _names_of(labels, table["name"].to_pylist()), _names_of(labels, table["wnid"].to_pylist())
    often = Counter(names)  # two cranes (bird and machine), two maillots
    classes = tuple(name if often[name] == 1 else f"{name} {wnid}" for name, wnid in zip(names, wnids, strict=True))
    return Images(pixels, labels, classes, table.select(["val_id", "wnid", "cifar10"]))


def _names_of(labels: np.ndarray, names: list[str]) -> tuple[str, ...]:
    _, first = np.unique(labels, return_index=True)
    return tuple(names[row] for row in first)


def _each_class(count: int) -> DataCheck:
    return DataCheck(f"{count} images of each class", lambda images: bool((np.bincount(images.labels) == count).all()))


DATASETS = (
    DataSet(
        name="cifar100-test",
        title="CIFAR-100 test images, official",
        kind="images",
        what="10,000 images of 32 x 32 pixels in a hundred classes; two of them are pixel-identical to CIFAR-10 images",
        source="https://www.cs.toronto.edu/~kriz/cifar.html",
        citation="Krizhevsky (2009), Learning Multiple Layers of Features from Tiny Images, University of Toronto",
        licence="no formal licence",
        facts=Facts(items=10_000, classes=100),
        read=read_cifar100,
        files=(("cifar-100-python/test",), ("cifar-100-python/meta",)),
        checks=(_each_class(100),),
        checksums={
            "cifar-100-python/test": "md5:f0ef6b0ae62326f3e7ffdfab6717acfc",
            "cifar-100-python/meta": "md5:7973b15100ade9c7d40fb424638fde48",
        },
        downloads=(
            Download(
                "https://www.cs.toronto.edu/~kriz/cifar-100-python.tar.gz",
                "md5:eb9058c3a382ffc7106e4002c42a8d85",
                "cifar-100-python.tar.gz",
                unpacks="cifar-100-python",
            ),
        ),
    ),
    DataSet(
        name="cifar100-test-8k",
        title="CIFAR-100 test images, 80 of each class",
        kind="images",
        what="8,000 of the test images, drawn with a fixed seed, without the two that are also in CIFAR-10; the "
        "official order is not known and near-duplicates were not searched",
        source="https://github.com/cyizhuo/CIFAR-100-dataset",
        citation="Krizhevsky (2009), Learning Multiple Layers of Features from Tiny Images, University of Toronto",
        licence="none stated",
        facts=Facts(items=8_000, classes=100),
        read=read_cifar100_part,
        files=(("ood/cifar100_test_8k.parquet",),),
        checks=(_each_class(80),),
        obtain="use the official set instead: `dissensus data get cifar100-test`",
    ),
    DataSet(
        name="imagenet32-validation",
        title="ImageNet validation images at 32 x 32",
        kind="images",
        what="five validation images of each ImageNet class, centre-cropped and box-resized; `cifar10` maps them to "
        "CIFAR-10 classes by hand (-1 for 3,935 images, which still include animals and vehicles close to CIFAR-10)",
        source="https://github.com/ndb796/Small-ImageNet-Validation-Dataset-1000-Classes",
        citation="Deng, Dong, Socher, Li, Li, Fei-Fei (2009), ImageNet: A Large-Scale Hierarchical Image Database",
        licence="none stated; ImageNet terms: non-commercial research",
        facts=Facts(items=5_000, classes=1_000),
        read=read_imagenet32,
        files=(("ood/imagenet_val_32.parquet",),),
        checks=(
            _each_class(5),
            DataCheck(
                "3,935 images match no CIFAR-10 class",
                lambda images: (images.items["cifar10"].to_numpy() < 0).sum() == 3_935,
            ),
        ),
        obtain="take the images from that GitHub repository, resize them and pack them as lossless WebP into "
        "ood/imagenet_val_32.parquet",
    ),
)
