"""CIFAR-10H: votes of about fifty people on each CIFAR-10 test image."""

from __future__ import annotations

import io
import zipfile
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv as pc_csv
import pyarrow.parquet as pq

from dissensus.datasets.cifar10 import CLASSES, TEST_LABELS, official_labels
from dissensus.datasets.dataset import (
    DataCheck,
    DataSet,
    Download,
    Facts,
    LabelledItems,
    build_labelled_items,
    class_names,
)
from dissensus.datasets.folder import data_folder
from dissensus.labels.content_hash import hash_bytes
from dissensus.labels.distributions import Distributions
from dissensus.labels.names import encode
from dissensus.labels.votes import Votes

COUNTS_SHA256 = "9b36b4550349af56c79083356312eb4af856cc5fd3caf1f669d40b9d0bbb69ff"  # git blob 497e9331
_REPOSITORY = "https://github.com/jcpeterson/cifar-10h"
_RAW_COLUMNS = (
    "annotator_id",
    "is_attn_check",
    "true_category",
    "chosen_category",
    "cifar10_test_test_idx",
    "reaction_time",
)
_PROBABILITIES = ("cifar10h/probs.npy", "cifar10h/cifar10h-probs.npy", "cifar10h-probs.npy")
_SPLITS = ("cifar10s/splits.npz",)


def read_counts(path: Path, labels: Path | None = None, splits: Path | None = None) -> LabelledItems:
    """Read the released counts, (10000, 10), as shares of votes."""
    counts = np.load(path)
    if counts.shape != (10_000, 10):
        raise ValueError(
            f"{path}: the array has the shape {counts.shape}; expected counts of 10,000 images over 10 classes"
        )
    shares = Distributions.from_counts(counts, items=np.arange(len(counts)), classes=CLASSES)
    return _describe_images(shares, labels, splits)


def read_annotators(
    path: Path, labels: Path | None = None, splits: Path | None = None, *, only_counted: bool
) -> LabelledItems:
    """Read votes with their annotator: those in the counts, or all that were recovered."""
    table = pq.read_table(path)
    if only_counted:
        table = table.filter(pc.field("in_counts"))
    annotator, annotators = encode(table["annotator"])
    votes = Votes(
        item=table["image"].to_numpy(),
        items=np.arange(10_000),
        annotator=annotator,
        annotators=annotators,
        choice=table["choice"].to_numpy(),
        classes=CLASSES,
        extra=None if only_counted else table.select(["in_counts"]),
    )
    return _describe_images(votes, labels, splits)


def read_raw(path: Path, labels: Path | None = None, splits: Path | None = None) -> LabelledItems:
    """Read the votes of the raw trials with their seconds; other columns of the file are extra columns."""
    trials = _raw_trials(path)
    # Attention checks carry image number -99999; they are not votes.
    trials = trials.filter(pc.equal(trials["is_attn_check"], 0))
    image = trials["cifar10_test_test_idx"].to_numpy()
    bad = np.flatnonzero((image < 0) | (image >= 10_000))
    if bad.size:
        raise ValueError(
            f"{path}: trial {bad[0]} is not an attention check but is about image {image[bad[0]]}; expected "
            f"cifar10_test_test_idx from 0 to 9999; {bad.size} of {image.size} are out of range"
        )
    return _describe_images(_raw_votes(path, trials, image.astype(np.int32), np.arange(10_000)), labels, splits)


def read_attention_checks(path: Path) -> LabelledItems:
    """Read the attention checks of the raw trials as votes: one item per true class, which is its gold."""
    trials = _raw_trials(path)
    trials = trials.filter(pc.equal(trials["is_attn_check"], 1))
    item, _ = encode(trials["true_category"], CLASSES)
    _refuse_unknown(path, trials, item, "true_category")
    votes = _raw_votes(path, trials, item, np.array([f"attention check: {name}" for name in CLASSES], dtype=object))
    return build_labelled_items(votes, gold=list(CLASSES))


def _raw_trials(path: Path) -> pa.Table:
    content: Any = path
    if path.suffix == ".zip":
        with zipfile.ZipFile(path) as archive:
            content = io.BytesIO(archive.read("cifar10h-raw.csv"))
    table = pc_csv.read_csv(content)
    missing = [name for name in _RAW_COLUMNS if name not in table.column_names]
    if missing:
        raise ValueError(
            f"{path}: the columns are {table.column_names}; expected also {missing}, as in cifar10h-raw.csv from "
            f"{_REPOSITORY}"
        )
    return table


def _raw_votes(path: Path, trials: pa.Table, item: np.ndarray, items: np.ndarray) -> Votes:
    choice, _ = encode(trials["chosen_category"], CLASSES)
    _refuse_unknown(path, trials, choice, "chosen_category")
    annotator, annotators = encode(trials["annotator_id"])
    milliseconds = trials["reaction_time"].to_numpy().astype(np.float64)
    seconds = np.where(milliseconds > 0, milliseconds / 1000, np.nan)  # 12 released trials have a negative time
    used = {"annotator_id", "is_attn_check", "chosen_category", "cifar10_test_test_idx", "chosen_label"}
    extra = trials.select([name for name in trials.column_names if name not in used])
    return Votes(
        item=item,
        items=items,
        annotator=annotator,
        annotators=annotators,
        choice=choice,
        classes=CLASSES,
        seconds=seconds,
        extra=extra,
    )


def _refuse_unknown(path: Path, trials: pa.Table, codes: np.ndarray, column: str) -> None:
    bad = np.flatnonzero(codes < 0)
    if bad.size:
        raise ValueError(
            f"{path}: {column} is {trials[column][int(bad[0])].as_py()!r} for annotator "
            f"{trials['annotator_id'][int(bad[0])].as_py()}; expected one of {list(CLASSES)}; "
            f"{bad.size} of {codes.size} trials are invalid"
        )


def _describe_images(labels: Votes | Distributions, official: Path | None, splits: Path | None) -> LabelledItems:
    gold = official_labels(official)
    columns: dict[str, Any] = {"gold": None if gold is None else class_names(gold, CLASSES)}
    if splits is not None:
        with splits.open("rb") as file, np.load(file) as content:
            is_train = np.isin(labels.items, content["train"])
        columns["cifar10s_split"] = np.where(is_train, "train", "test")
    return build_labelled_items(labels, **columns)


def _is_official(loaded: LabelledItems) -> bool:
    assert isinstance(loaded.labels, Distributions)
    written = io.BytesIO()
    np.save(written, loaded.labels.counts())
    return hash_bytes([written.getvalue()]) == COUNTS_SHA256


def _probabilities_are_shares(loaded: LabelledItems) -> bool | None:
    assert isinstance(loaded.labels, Distributions)
    released = next((path for place in _PROBABILITIES if (path := data_folder() / place).is_file()), None)
    return None if released is None else np.array_equal(np.load(released), loaded.labels.probs)


def _majority_right(loaded: LabelledItems) -> bool | None:
    assert isinstance(loaded.labels, Distributions)
    gold = loaded.gold
    if (gold < 0).all():
        return None
    # The first of several classes with equally many votes, as in the documented figure.
    return bool(abs((loaded.labels.probs.argmax(axis=1) == gold).mean() - 0.9921) < 5e-5)


def _dataset(**fields: Any) -> DataSet:
    return DataSet(
        citation="Peterson, Battleday, Griffiths, Russakovsky (2019), Human Uncertainty Makes Classification More "
        "Robust, ICCV",
        also=(TEST_LABELS, _SPLITS),
        **fields,
    )


_VOTES: dict[str, Any] = {
    "source": "https://github.com/SamShowalter/bayesian_online_consensus_prediction, made from cifar10h-raw.csv of "
    + _REPOSITORY,
    "licence": "MIT for the copy; CC BY-NC-SA 4.0 for CIFAR-10H",
    "files": (("cifar10h/annotator_votes.parquet",),),
    "obtain": "use the complete release instead: `dissensus data get cifar10h-raw`",
}
_RAW_FILES = (("cifar10h/cifar10h-raw.csv", "cifar10h/cifar10h-raw.zip", "cifar10h-raw.csv"),)
_RAW: dict[str, Any] = {
    "source": _REPOSITORY,
    "licence": "CC BY-NC-SA 4.0",
    "files": _RAW_FILES,
    "downloads": (
        # The checksum is the one pinned by the Item Response Warehouse for this commit.
        Download(
            f"{_REPOSITORY}/raw/389f22d9d300ec71a4c44735d46f550c94b957ab/data/cifar10h-raw.zip",
            "sha256:4b0283f9b2ae72a616eeb4a2a38474cc2a238eb041bfb8df5ead3a8a47f35aa3",
            "cifar10h/cifar10h-raw.zip",
        ),
    ),
    "obtain": "unpack data/cifar10h-raw.zip of GitHub jcpeterson/cifar-10h into cifar10h/",
}

DATASETS = (
    _dataset(
        name="cifar10h",
        title="CIFAR-10H, released counts",
        what="how many of 47 to 63 people chose each class for each CIFAR-10 test image; 2,555 annotators by inference "
        "(511,000 votes, 200 each), not identified here",
        source=_REPOSITORY,
        licence="CC BY-NC-SA 4.0",
        read=read_counts,
        facts=Facts(items=10_000, classes=10, answers=511_000, fewest=47, most=63),
        files=(("cifar10h/counts.npy", "cifar10h/cifar10h-counts.npy", "cifar10h-counts.npy"),),
        checks=(
            DataCheck("as int64 the counts are, byte for byte, the released cifar10h-counts.npy", _is_official),
            DataCheck("the majority is the CIFAR-10 label on 99.21% of the images", _majority_right),
            DataCheck(
                "the released cifar10h-probs.npy are exactly the counts divided by their sum", _probabilities_are_shares
            ),
        ),
        checksums={"cifar10h/cifar10h-counts.npy": f"sha256:{COUNTS_SHA256}"},
        downloads=(
            Download(
                "https://raw.githubusercontent.com/jcpeterson/cifar-10h/master/data/cifar10h-counts.npy",
                f"sha256:{COUNTS_SHA256}",
                "cifar10h/cifar10h-counts.npy",
            ),
        ),
    ),
    _dataset(
        name="cifar10h-annotators",
        title="CIFAR-10H votes by annotator",
        what="97.3% of the counted votes with who cast them; the counts leave out 16 annotators (inferred), and of "
        "the annotators numbered above 2,000 the votes are incomplete",
        read=partial(read_annotators, only_counted=True),
        facts=Facts(items=10_000, classes=10, answers=497_246, annotators=2_551, fewest=47, most=50),
        **_VOTES,
    ),
    _dataset(
        name="cifar10h-annotators-all",
        title="CIFAR-10H votes by annotator, with those left out",
        what="50 votes for each image with who cast them, among them the 16 annotators (inferred) the counts leave "
        "out; column in_counts tells them apart",
        read=partial(read_annotators, only_counted=False),
        facts=Facts(items=10_000, classes=10, answers=500_000, annotators=2_567, fewest=50, most=50),
        **_VOTES,
    ),
    _dataset(
        name="cifar10h-raw",
        title="CIFAR-10H raw trials",
        what="every vote of all 2,571 annotators with its reaction time and place in the session; attention checks are "
        "in cifar10h-attention",
        read=read_raw,
        facts=Facts(items=10_000, classes=10, answers=514_200, annotators=2_571),
        **_RAW,
    ),
    DataSet(
        name="cifar10h-attention",
        title="CIFAR-10H attention checks",
        what="ten checks of each annotator of cifar10h-raw; an item is the class that was shown, which is its gold",
        citation="Peterson, Battleday, Griffiths, Russakovsky (2019), ICCV",
        read=read_attention_checks,
        facts=Facts(items=10, classes=10, answers=25_710, annotators=2_571),
        **_RAW,
    ),
)
