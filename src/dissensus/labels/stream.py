"""Counting the votes of a Parquet file of any length in bounded memory."""

from __future__ import annotations

import os
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as parquet

from dissensus.labels.columns import Reading, choose
from dissensus.labels.distributions import Distributions
from dissensus.labels.names import as_names, class_order, integer_order, text_column

BATCH = 2_000_000  # rows decoded at once; larger ones were no faster, and cost 16 bytes a row
DENSE = 4  # integer names index the matrix directly while their range is at most this many times the rows


@dataclass(frozen=True)
class Counted:
    """Votes for each class of each item, items in numeric order or as they first appear.

    counts (n, k) uint32 | items (n,) | classes k names
    """

    counts: np.ndarray
    items: np.ndarray
    classes: tuple[str, ...]

    def distributions(self) -> Distributions:
        return Distributions.from_counts(self.counts, items=self.items, classes=self.classes)


def count_votes(
    path: str | os.PathLike[str], *, item: str | None = None, label: str | None = None, classes: Any = None
) -> Counted:
    """The (n, k) count matrix of a long table of votes, read batch by batch.

    Memory is the matrix plus one batch. Who voted is not looked at, so an annotator who voted twice counts twice;
    `read` checks that. Rows without a label are refused.
    """
    source = str(path)
    try:
        file = parquet.ParquetFile(Path(path))
        schema = file.schema_arrow
        empty = schema.empty_table()
        plan = Reading(item=item, label=label)
        names = [choose(empty, role, plan, source) for role in ("item", "label")]
        item_column, label_column = str(names[0]), str(names[1])
        text = [n for n in (item_column, label_column) if not pa.types.is_integer(schema.field(n).type)]
        file = parquet.ParquetFile(Path(path), read_dictionary=text)
        item_coder = _coder(file, item_column)
        label_coder = _coder(file, label_column)
        counts = np.zeros(item_coder.room * label_coder.room, dtype=np.uint32)
        row = 0
        for batch in _ahead(file.iter_batches(BATCH, columns=[item_column, label_column], use_threads=True)):
            columns = [batch.column(batch.schema.get_field_index(n)) for n in (item_column, label_column)]
            for name, column in zip((item_column, label_column), columns, strict=True):
                if column.null_count:
                    missing = row + int(np.flatnonzero(column.is_null().to_numpy(zero_copy_only=False))[0])
                    raise ValueError(
                        f"{source}: row {missing + 1} has no value in column {name!r}; every row needs one"
                    )
            i, j = item_coder.codes(columns[0]), label_coder.codes(columns[1])
            row += len(batch)
            if item_coder.size > item_coder.room or label_coder.size > label_coder.room:
                counts = _grown(counts, item_coder, label_coder)
            cell = np.multiply(i, label_coder.room, dtype=np.int64)
            cell += j
            np.add.at(counts, cell, np.uint32(1))  # in place: a bincount a batch would write the whole matrix each time
    except (pa.ArrowException, OSError, OverflowError, MemoryError, UnicodeError) as error:
        raise ValueError(
            f"{source}: not a readable Parquet file, or cut short ({str(error).partition(chr(10))[0]:.160})"
        ) from None
    return _counted(counts.reshape(item_coder.room, label_coder.room), item_coder, label_coder, classes, source)


@dataclass
class _Integers:
    """Integer names in a known, narrow range: the code is the distance from the least."""

    least: int
    room: int

    @property
    def size(self) -> int:
        return self.room

    def codes(self, column: Any) -> np.ndarray:
        values: np.ndarray = column.to_numpy()
        # Wrapped around and seen as unsigned, the distance is right even where int8 runs from -128 to 127.
        distance = (values - values.dtype.type(self.least) if self.least else values).view(f"u{values.itemsize}")
        if distance.size and int(distance.max()) >= self.room:
            raise pa.ArrowInvalid("the statistics of a column lie about its values")
        return distance.view(np.int64) if distance.itemsize == 8 else distance

    def names(self) -> list[Any]:
        return list(range(self.least, self.least + self.room))


class _Dictionary:
    """Any other names: each batch's dictionary is looked up in the one of all batches so far."""

    def __init__(self) -> None:
        self.known: dict[Any, int] = {}
        self.room = 64

    @property
    def size(self) -> int:
        return len(self.known)

    def codes(self, column: Any) -> np.ndarray:
        encoded = column if pa.types.is_dictionary(column.type) else column.dictionary_encode()
        position = [self.known.setdefault(name, len(self.known)) for name in encoded.dictionary.to_pylist()]
        return np.array(position, dtype=np.int32)[encoded.indices.to_numpy()]

    def names(self) -> list[Any]:
        return list(self.known) + [None] * (self.room - len(self.known))


def _coder(file: Any, name: str) -> _Integers | _Dictionary:
    if not pa.types.is_integer(file.schema_arrow.field(name).type):
        return _Dictionary()
    # Row groups count leaves: a struct before this column stands for as many as it has fields.
    place = next(leaf for leaf in range(file.metadata.num_columns) if file.metadata.schema.column(leaf).path == name)
    groups = [file.metadata.row_group(g).column(place).statistics for g in range(file.metadata.num_row_groups)]
    if not groups or any(s is None or not s.has_min_max for s in groups):
        return _Dictionary()
    least, most = min(s.min for s in groups), max(s.max for s in groups)
    if most - least + 1 > DENSE * max(file.metadata.num_rows, 1000):
        return _Dictionary()
    return _Integers(least, most - least + 1)


def _ahead(batches: Iterator[Any]) -> Iterator[Any]:
    """The next batch is decoded while this one is counted."""
    with ThreadPoolExecutor(1) as decoder:
        coming = decoder.submit(next, batches, None)
        while (batch := coming.result()) is not None:
            coming = decoder.submit(next, batches, None)
            yield batch


def _grown(counts: np.ndarray, items: Any, labels: Any) -> np.ndarray:
    old = counts.reshape(items.room, labels.room)
    for coder in (items, labels):
        while coder.room < coder.size:
            coder.room *= 2
    bigger = np.zeros((items.room, labels.room), dtype=counts.dtype)
    bigger[: old.shape[0], : old.shape[1]] = old
    return bigger.reshape(-1)


def _counted(counts: np.ndarray, items: Any, labels: Any, classes: Any, source: str) -> Counted:
    """Only items that have votes, and classes in their order."""
    rows = np.flatnonzero(counts.any(axis=1))
    if not rows.size:
        raise ValueError(f"{source}: the file has no rows; expected one row per vote")
    columns = np.flatnonzero(counts.any(axis=0))
    item_names = np.arange(items.least, items.least + items.room) if isinstance(items, _Integers) else None
    if item_names is None:
        known_items = items.names()
        found = as_names([known_items[row] for row in rows])
        order = integer_order(found)
        rows, item_names = rows[order], found[order]
    else:
        item_names = item_names[rows]
    label_names = labels.names()
    texts = text_column(pa.chunked_array([pa.array([label_names[c] for c in columns])])).to_pylist()
    known = class_order(texts) if classes is None else tuple(str(name) for name in classes)
    absent = sorted(set(texts) - set(known))
    if absent:
        raise ValueError(f"{source}: some votes are for {absent[0]!r}, but the classes are {list(known)}")
    place = dict(zip(texts, columns, strict=True))
    if (
        rows.size == counts.shape[0]
        and [place.get(name) for name in known] == list(range(counts.shape[1]))
        and np.array_equal(rows, np.arange(rows.size))
    ):
        return Counted(counts, item_names, known)
    arranged = np.zeros((rows.size, len(known)), dtype=counts.dtype)
    for code, name in enumerate(known):
        if name in place:
            arranged[:, code] = counts[rows, place[name]]
    return Counted(arranged, item_names, known)
