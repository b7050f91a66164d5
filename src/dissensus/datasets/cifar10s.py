"""CIFAR-10S: soft labels stated by people, for a thousand CIFAR-10 test images."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from dissensus.datasets.cifar10 import CLASSES
from dissensus.datasets.dataset import DataCheck, DataSet, Facts, LabelledItems, build_labelled_items, class_names
from dissensus.labels.beliefs import Beliefs
from dissensus.labels.names import encode

_KEPT = ("batch", "trial_index", "is_repeat", "elapsed_ms", "top1_prob_text", "top2_prob_text", "t2clamp")


def read_elicitations(path: Path) -> LabelledItems:
    """Read each response as a belief: up to two named classes with percentages, and the classes marked impossible.

    The released label of each response stays as the extra column `t2clamp`.
    """
    table = pq.read_table(path)
    item, items = encode(table["image"])
    annotator, annotators = encode(table["annotator"])
    first, second = table["top1"].to_numpy(), table["top2"].to_numpy()  # (m,), second is -1 if missing
    _refuse_unknown(path, first, second)
    rows = np.arange(first.size)
    stated = np.full((first.size, 10), np.nan)
    stated[rows, first] = table["top1_prob"].to_numpy().astype(np.float64) / 100
    second_mass = table["top2_prob"].to_numpy(zero_copy_only=False).astype(np.float64) / 100  # NaN if not stated
    # If both answers name one class (153 rows), the second percentage replaces the first unless it is 0 (1 row), as in
    # the released labels.
    is_stated = (second >= 0) & ~np.isnan(second_mass) & ((second != first) | (second_mass > 0))
    stated[rows[is_stated], second[is_stated]] = second_mass[is_stated]
    beliefs = Beliefs(
        item=item,
        items=items,
        annotator=annotator,
        annotators=annotators,
        classes=CLASSES,
        stated=stated,
        ruled_out=_parse_ruled_out(table["impossible"]),
        named=np.stack([first, second], axis=1),
        seconds=table["rt_ms"].to_numpy().astype(np.float64) / 1000,
        extra=table.select(list(_KEPT)),
    )
    gold = np.empty(items.size, dtype=np.int32)
    gold[item] = table["label"].to_numpy()
    return build_labelled_items(beliefs, gold=class_names(gold, CLASSES))


def _parse_ruled_out(impossible: pa.ChunkedArray) -> np.ndarray:
    lists = impossible.combine_chunks()
    lengths = np.diff(lists.offsets.to_numpy())
    ruled_out = np.zeros((len(lists), 10), dtype=bool)
    ruled_out[np.repeat(np.arange(len(lists)), lengths), lists.flatten().to_numpy()] = True
    return ruled_out


def _refuse_unknown(path: Path, first: np.ndarray, second: np.ndarray) -> None:
    for column, codes, lowest in (("top1", first, 0), ("top2", second, -1)):
        bad = np.flatnonzero((codes < lowest) | (codes > 9))
        if bad.size:
            raise ValueError(
                f"{path}: row {bad[0]} has {column} {codes[bad[0]]}; expected a class from {lowest} to 9; "
                f"{bad.size} of {codes.size} rows are out of range"
            )


def _self_contradictions(beliefs: Beliefs) -> int:
    return int(beliefs.ruled_out[np.arange(beliefs.n_answers), beliefs.named[:, 0]].sum())


def _release_of(beliefs: Beliefs) -> np.ndarray:
    assert beliefs.extra is not None
    return beliefs.extra["t2clamp"].combine_chunks().flatten().to_numpy().reshape(-1, 10)


DATASETS = (
    DataSet(
        name="cifar10s",
        title="CIFAR-10S elicited soft labels",
        what="for each of 1,000 CIFAR-10 test images, six to eleven responses: the most probable class, perhaps a "
        "second, their percentages as typed, and the classes ruled out. All 6,723 rows: 498 repeated trials "
        "(is_repeat) and one annotator who took part twice are among them",
        source="https://github.com/cambridge-mlg/cifar-10s",
        citation="Collins, Bhatt, Weller (2022), Eliciting and Learning with Soft Labels from Every Annotator, HCOMP",
        licence="none stated",
        facts=Facts(items=1_000, classes=10, answers=6_723, annotators=248, fewest=6, most=11),
        files=(("cifar10s/elicitations.parquet",),),
        read=read_elicitations,
        checks=(
            DataCheck(
                "498 responses repeat an earlier trial", lambda loaded: loaded.labels.column("is_repeat").sum() == 498
            ),
            DataCheck(
                "3,115 responses name no second class", lambda loaded: (loaded.labels.named[:, 1] < 0).sum() == 3_115
            ),
            DataCheck(
                "the released labels sum to 1", lambda loaded: np.allclose(_release_of(loaded.labels).sum(axis=1), 1)
            ),
            DataCheck(
                "26 responses rule out their own first class", lambda loaded: _self_contradictions(loaded.labels) == 26
            ),
        ),
        obtain="take the raw data of GitHub cambridge-mlg/cifar-10s and pack one row per response into "
        "cifar10s/elicitations.parquet",
    ),
)
