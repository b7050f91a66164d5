"""CIFAR-10N: three human labels for each CIFAR-10 train image."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from dissensus.datasets.cifar10 import CLASSES
from dissensus.datasets.dataset import DataCheck, DataSet, Facts, LabelledItems, build_labelled_items, class_names
from dissensus.labels.votes import Votes


def read_labels(path: Path) -> LabelledItems:
    """Read three votes per train image, without annotator, since the columns are not three people."""
    with path.open("rb") as file, np.load(file) as content:  # NumPy leaves a damaged archive open
        chosen = content["votes"]  # (50000, 3)
        about = {
            "gold": class_names(content["clean"], CLASSES),
            "aggregate": class_names(content["aggregate"], CLASSES),
            "worst": class_names(content["worst"], CLASSES),
        }
    n, each = chosen.shape
    item = np.repeat(np.arange(n, dtype=np.int32), each)
    votes = Votes(item=item, items=np.arange(n), choice=chosen.reshape(-1), classes=CLASSES)
    return build_labelled_items(votes, **about)


def _noise(column: str, rate: float) -> DataCheck:
    def holds(loaded: LabelledItems) -> bool:
        wrong = np.array(loaded.items[column].to_pylist()) != np.array(loaded.items["gold"].to_pylist())
        return bool(abs(wrong.mean() - rate) < 5e-4)

    return DataCheck(f"{column} labels are wrong on {rate:.1%} of the images", holds)


DATASETS = (
    DataSet(
        name="cifar10n",
        title="CIFAR-10N human labels of the train set",
        what="three votes for each CIFAR-10 train image in the official python order; 747 people took part, and who "
        "cast which vote is not in the release",
        source="https://github.com/UCSC-REAL/cifar-10-100n",
        citation="Wei, Zhu, Cheng, Liu, Niu, Liu (2022), Learning with Noisy Labels Revisited, ICLR",
        licence="CC BY-NC 4.0",
        facts=Facts(items=50_000, classes=10, answers=150_000, fewest=3, most=3),
        files=(("cifar10n/labels.npz",),),
        read=read_labels,
        checks=(_noise("aggregate", 0.0901), _noise("worst", 0.402)),
        obtain="take CIFAR-10_human.pt from GitHub UCSC-REAL/cifar-10-100n and save its arrays as votes (50000, 3), "
        "aggregate, worst, clean in cifar10n/labels.npz",
    ),
)
