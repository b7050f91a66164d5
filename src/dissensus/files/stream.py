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

from dissensus.files.notices import Say, to_stderr
from dissensus.files.tables.columns import Reading, choose
from dissensus.files.tables.several import find_joined_name
from dissensus.files.tables.source import SourceTable
from dissensus.files.tables.spellings import refuse_doubtful_names
from dissensus.files.tables.survey_exports import refuse_survey_exports
from dissensus.files.tables.to_labels import METADATA, as_stored
from dissensus.files.tables.took import classes_in_words, show_name, write_taken
from dissensus.labels.display import shapes
from dissensus.labels.distributions import Distributions
from dissensus.labels.frames import whole_floats
from dissensus.labels.names import as_names, encode, encode_classes, first_repeated, text_column
from dissensus.labels.refusals import Refusal, Way

BATCH = 2_000_000  # rows decoded at once; larger ones were no faster, and cost 16 bytes per row
# Integers index the matrix directly while it has at most this many cells per row of the file, or in all.
DENSE, SMALL = 16, 1 << 24
MOST_CLASSES = 4096  # integer labels over a wider range are few distinct ones, or not classes at all


@dataclass(frozen=True)
class Counted:
    """Votes for each class of each item, items in numeric order or as they first appear.

    counts (n, k) uint32 | items (n,) | classes k names
    """

    counts: np.ndarray
    items: np.ndarray
    classes: tuple[str, ...]

    __repr__ = shapes

    def distributions(self) -> Distributions:
        return Distributions.from_counts(self.counts, items=self.items, classes=self.classes)


def count_votes(
    path: str | os.PathLike[str],
    *,
    item: str | None = None,
    label: str | None = None,
    classes: Any = None,
    say: Say = to_stderr,
) -> Counted:
    """Count votes per item and class from a Parquet file of any length, read batch by batch.

    The counts are those of `read(path).counts()`. Memory is a small multiple of the matrix, plus two batches.
    Annotators are not looked at, so an annotator who voted twice counts twice; `read` checks that. Rows without a label
    are refused; items without a vote are left out.

    Parameters
    ----------
    path : path of a Parquet file
        A long table of votes.
    item, label : str or None
        Columns with the item and the label; None: recognised by their names.
    classes : list of names or None
        All classes in order; None: those that occur.
    say : function of a text
        Receives the column mapping, if it was guessed; by default it goes to stderr.

    Returns
    -------
    Counted
        The (n, k) counts with items and classes; `distributions()` gives their shares.

    Examples
    --------
    >>> write(Votes.of(["a", "a", "b"], ["cat", "dog", "cat"]), "votes.parquet")
    >>> count_votes("votes.parquet").counts
    array([[1, 1],
           [1, 0]], dtype=uint32)
    """
    source = str(path)
    try:
        file = parquet.ParquetFile(Path(path))
        plan, columns = _plan(file.schema_arrow, Reading(item=item, label=label, classes=classes), source)
        text = [name for name in columns if file.schema_arrow.field(name).type in (pa.string(), pa.large_string())]
        file = parquet.ParquetFile(Path(path), read_dictionary=text)
        items, labels = _coders(file, columns)
        counts = _matrix(items.room, labels.room, source)
        row = 0
        for batch in _ahead(file.iter_batches(BATCH, columns=columns, use_threads=True)):
            pair = [batch.column(batch.schema.get_field_index(name)) for name in columns]
            _refuse_gaps(pair, columns, row, source)
            i, j = items.codes(pair[0]), labels.codes(pair[1])
            row += len(batch)
            if items.size > items.room or labels.size > labels.room:
                counts = _grow(counts, items, labels, source)
            cell = np.multiply(i, labels.room, dtype=np.int64)
            cell += j
            # In place: one bincount per batch would write the whole matrix each time.
            np.add.at(counts.reshape(-1), cell, np.uint32(1))
    except MemoryError:
        raise ValueError(
            f"{source}: the batch of rows {row + 1:,} to {row + BATCH:,} does not fit into memory; free some, or split "
            "the file"
        ) from None
    except (pa.ArrowException, OSError, OverflowError, UnicodeError) as error:
        raise Refusal(
            f"not a readable Parquet file, or cut short ({str(error).partition(chr(10))[0]:.160})",
            source,
            [Way("convert the votes to Parquet first if they are in another format")],
        ) from None
    counted = _make_counted(counts, items, labels, plan, source)
    if METADATA not in (file.schema_arrow.metadata or {}):
        listed = plan.classes is not None
        refuse_doubtful_names(
            counted.classes, counted.items, source, listed=listed, ranked=getattr(labels, "ranked", False)
        )
    told = (plan.item, plan.label)
    if any(column not in (role, asked) for role, column, asked in zip(("item", "label"), columns, told, strict=True)):
        item, label = map(show_name, columns)
        parts = [f"item = {item}", f"label = {label} ({classes_in_words(counted.classes)})"]
        say(f"{source}: {write_taken(parts)}")
    return counted


@dataclass
class _Integers:
    """Integer names in a known, narrow range: the code is the distance from the least."""

    least: int
    room: int
    kind: Any

    @property
    def size(self) -> int:
        return self.room

    def codes(self, column: Any) -> np.ndarray:
        values: np.ndarray = column.to_numpy()
        # Wrapped around and seen as unsigned, the distance is right even if int8 runs from -128 to 127.
        distance = (values - values.dtype.type(self.least) if self.least else values).view(f"u{values.itemsize}")
        if distance.size and int(distance.max()) >= self.room:
            raise pa.ArrowInvalid("the statistics of a column lie about its values")
        return distance.view(np.int64) if distance.itemsize == 8 else distance

    def values(self, codes: np.ndarray) -> pa.Array:
        wide = np.uint64 if self.least >= 0 else np.int64  # (d,), and 2**63 is not an int64
        return pa.array(codes.astype(wide) + wide(self.least)).cast(self.kind)


class _Dictionary:
    """Any other names: each batch's dictionary is looked up in the one of all batches so far."""

    def __init__(self, kind: pa.DataType) -> None:
        self.known: dict[Any, int] = {}
        self.parts: list[pa.Array] = []
        self.room = 8
        self.ordered = pa.types.is_dictionary(kind)  # then `read` too takes names in the order of the dictionary
        self.ranked = self.ordered and kind.ordered
        self.kind = kind.value_type if self.ordered else kind

    @property
    def size(self) -> int:
        return len(self.known)

    def codes(self, column: Any) -> np.ndarray:
        encoded = column if pa.types.is_dictionary(column.type) else column.dictionary_encode()
        indices = encoded.indices.to_numpy()
        keys = encoded.dictionary.to_pylist()
        if pa.types.is_floating(self.kind):
            keys = [repr(key) for key in keys]  # -0.0 is not 0.0
        new = np.array([place for place, key in enumerate(keys) if key not in self.known], dtype=np.int64)
        if new.size and not self.ordered:
            new = _as_they_appear(new, indices, len(keys))
        for place in new.tolist():
            self.known.setdefault(keys[place], len(self.known))
        self.parts.append(encoded.dictionary.take(pa.array(new)).cast(self.kind))
        return np.array([self.known.get(key, -1) for key in keys], dtype=np.int32)[indices]

    def levels(self) -> list[str] | None:
        """The classes of an ordered categorical, those nobody chose among them."""
        return text_column(pa.chunked_array(self.parts)).to_pylist() if self.ranked else None

    def values(self, codes: np.ndarray) -> pa.Array:
        return pa.concat_arrays(self.parts).take(pa.array(codes))


def _plan(schema: pa.Schema, reading: Reading, source: str) -> tuple[Reading, list[str]]:
    """How the file wants to be read, and its columns of items and labels."""
    empty = SourceTable(schema.empty_table(), source)
    repeated = first_repeated(schema.names)
    if repeated is not None:
        raise ValueError(f"{source}: two columns are named {repeated!r}; rename one of {schema.names}")
    refuse_survey_exports(empty, reading)
    plan = as_stored(empty, reading)
    columns = [str(choose(empty, role, plan)) for role in ("item", "label")]
    for name in columns:
        if pa.types.is_nested(schema.field(name).type):
            raise ValueError(f"{source}: column {name!r} has {schema.field(name).type}; expected one name per row")
    return plan, columns


def _coders(file: Any, columns: list[str]) -> list[_Integers | _Dictionary]:
    """How items and labels are coded: by distance where a matrix over the whole range is small enough."""
    item, label = columns
    rows = file.metadata.num_rows
    items, labels = _coder(file, item, DENSE * max(rows, SMALL)), _coder(file, label, MOST_CLASSES)
    most = max(DENSE * rows, SMALL)
    if items.room * labels.room > most:
        labels = _Dictionary(file.schema_arrow.field(label).type)
    if items.room * labels.room > most:
        items = _Dictionary(file.schema_arrow.field(item).type)
    return [items, labels]


def _coder(file: Any, name: str, widest: int) -> _Integers | _Dictionary:
    kind = file.schema_arrow.field(name).type
    if not pa.types.is_integer(kind):
        return _Dictionary(kind)
    # Row groups count leaves: a struct before this column stands for as many as it has fields.
    place = next(leaf for leaf in range(file.metadata.num_columns) if file.metadata.schema.column(leaf).path == name)
    groups = [file.metadata.row_group(g).column(place).statistics for g in range(file.metadata.num_row_groups)]
    if not groups or any(s is None or not s.has_min_max for s in groups):
        return _Dictionary(kind)
    least, most = min(s.min for s in groups), max(s.max for s in groups)
    return _Integers(least, most - least + 1, kind) if most - least < widest else _Dictionary(kind)


def _as_they_appear(places: np.ndarray, indices: np.ndarray, size: int) -> np.ndarray:
    """Those places of a dictionary of that size that the rows use, in the order of their first row."""
    first = np.full(size, indices.size)
    first[indices[::-1]] = np.arange(indices.size - 1, -1, -1)
    places = places[first[places] < indices.size]
    return places[np.argsort(first[places], kind="stable")]


def _refuse_gaps(pair: list[Any], columns: list[str], before: int, source: str) -> None:
    for name, column in zip(columns, pair, strict=True):
        nan = pa.types.is_floating(column.type)
        if column.null_count or nan:
            missing = np.flatnonzero(column.is_null(nan_is_null=nan).to_numpy(zero_copy_only=False))
            if missing.size:
                raise ValueError(
                    f"{source}: row {before + int(missing[0]) + 1} has no value in column {name!r}; every row needs one"
                )


def _ahead(batches: Iterator[Any]) -> Iterator[Any]:
    """The next batch is decoded while this one is counted."""
    with ThreadPoolExecutor(1) as decoder:
        coming = decoder.submit(next, batches, None)
        while (batch := coming.result()) is not None:
            coming = decoder.submit(next, batches, None)
            yield batch


def _matrix(n: int, k: int, source: str) -> np.ndarray:
    try:
        return np.zeros((n, k), dtype=np.uint32)
    except (MemoryError, ValueError):
        raise ValueError(
            f"{source}: {n:,} items by {k:,} classes need {4 * n * k / 1e9:,.1f} GB of memory, more than there is; "
            "is the label column one of classes? Else split the file by items and count each part"
        ) from None


def _grow(counts: np.ndarray, items: Any, labels: Any, source: str) -> np.ndarray:
    for coder in (items, labels):
        while coder.room < coder.size:
            coder.room *= 2
    bigger = _matrix(items.room, labels.room, source)
    bigger[: counts.shape[0], : counts.shape[1]] = counts
    return bigger


def _make_counted(counts: np.ndarray, items: Any, labels: Any, plan: Reading, source: str) -> Counted:
    """Only items that have votes, and items and classes in their order."""
    rows, columns = np.flatnonzero(counts.any(axis=1)), np.flatnonzero(counts.any(axis=0))
    if not rows.size:
        raise ValueError(f"{source}: the file has no rows; expected one row per vote")
    if isinstance(items, _Integers) and plan.items is None:
        place, names = np.arange(rows.size), as_names(items.values(rows).to_numpy())
    else:
        column = SourceTable(pa.table({"item": items.values(rows)}), source).names("item")
        place, names = encode(column, plan.items)
        if (place < 0).any():  # the list of items that lies in the file is not of these rows
            place, names = encode(column)
        used = np.unique(place)
        place, names = np.searchsorted(used, place), names[used]
    chosen = whole_floats(pa.chunked_array([labels.values(columns)]))
    levels = labels.levels() if plan.classes is None and isinstance(labels, _Dictionary) else plan.classes
    code, classes = encode_classes(chosen, levels)
    if plan.classes is None and (joined := find_joined_name(classes)) is not None:
        raise Refusal(
            f"some answers are {joined!r}, which may be several classes ticked at once",
            source,
            [
                Way("read them with {several}", several="votes"),
                Way("list all classes with {classes} if it is the name of one class", classes=...),
            ],
        )
    if (code < 0).any():
        absent = chosen[int(np.flatnonzero(code < 0)[0])].as_py()
        raise ValueError(f"{source}: some votes are for {absent!r}, but the classes are {list(classes)}")
    if counts.shape == (names.size, len(classes)) and all(
        np.array_equal(order, np.arange(order.size)) for order in (rows, place, columns, code)
    ):
        return Counted(counts, names, classes)
    arranged = np.zeros((names.size, len(classes)), dtype=counts.dtype)
    for j, c in zip(columns, code, strict=True):
        np.add.at(arranged[:, c], place, counts[rows, j])  # two values may have one name, as 0.0 and -0.0
    return Counted(arranged, names, classes)
