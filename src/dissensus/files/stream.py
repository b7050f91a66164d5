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

from dissensus.files.name_coders import DictionaryCoder, IntegerCoder, make_coders
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
from dissensus.labels.names import as_names, encode, encode_classes, first_repeated
from dissensus.labels.refusals import Refusal, Way

BATCH = 2_000_000  # rows decoded at once; larger ones were no faster, and cost 16 bytes per row


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
        items, labels = make_coders(file, columns)
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
    given = (plan.item, plan.label)
    if any(column not in (role, asked) for role, column, asked in zip(("item", "label"), columns, given, strict=True)):
        item, label = map(show_name, columns)
        parts = [f"item = {item}", f"label = {label} ({classes_in_words(counted.classes)})"]
        say(f"{source}: {write_taken(parts)}")
    return counted


def _plan(schema: pa.Schema, reading: Reading, source: str) -> tuple[Reading, list[str]]:
    """How to read the file, and its columns of items and labels."""
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
            f"{source}: {n:,} items by {k:,} classes need {4 * n * k / 1e9:,.1f} GB of memory, more than is available; "
            "check that the label column has classes, or split the file by items and count each part"
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
    if isinstance(items, IntegerCoder) and plan.items is None:
        place, names = np.arange(rows.size), as_names(items.values(rows).to_numpy())
    else:
        column = SourceTable(pa.table({"item": items.values(rows)}), source).names("item")
        place, names = encode(column, plan.items)
        if (place < 0).any():  # the list of items in the file is not that of these rows
            place, names = encode(column)
        used = np.unique(place)
        place, names = np.searchsorted(used, place), names[used]
    chosen = whole_floats(pa.chunked_array([labels.values(columns)]))
    levels = labels.levels() if plan.classes is None and isinstance(labels, DictionaryCoder) else plan.classes
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
