"""A table on its way to becoming labels, with its origin."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa

from dissensus.files.notices import Say, to_nobody
from dissensus.labels.frames import name_column, number_column
from dissensus.labels.refusals import Refusal, Way
from dissensus.labels.row_errors import RowError

FIRST_COLUMN = "column 1"  # its name in settings, if the header has none


@dataclass(frozen=True, eq=False)
class SourceTable:
    """The rows that are left of a file or frame, and their places in it.

    name  of the file, or of the frame's type: errors begin with it
    say   receives what is guessed or left out
    text  the columns are untyped text (CSV), so numbers are recognised by how they read
    rows  (m,) place of each row in the file, from 0; None while all are there
    taken what was recognised before its columns, as "format = potato"
    guess receives what is recognised in their values, as "scale = 100 (percents)"
    export  it came from a tool's export, so that its roles have their own names: item, annotator, label, seconds
    """

    table: pa.Table
    name: str
    say: Say = to_nobody
    text: bool = False
    rows: np.ndarray | None = None
    taken: tuple[str, ...] = ()
    guess: Say = to_nobody
    export: bool = False

    @property
    def columns(self) -> list[str]:
        names: list[str] = self.table.column_names
        return names

    @property
    def size(self) -> int:
        """How many rows are left."""
        return int(self.table.num_rows)

    def refusal(self, problem: str, *ways: Way) -> Refusal:
        """Return a refusal of this source, to be raised."""
        return Refusal(problem, self.name, ways)

    def row(self, place: int) -> int:
        """The number of a row in the file, from 1 after the header."""
        return int(place if self.rows is None else self.rows[place]) + 1

    def take(self, places: np.ndarray) -> SourceTable:
        """Only these rows, in this order.  places: (r,)"""
        return self.with_table(self.table.take(pa.array(places)), places)

    def with_table(self, table: pa.Table, places: np.ndarray | None = None) -> SourceTable:
        """Another table from the same source; its rows come from these places of this one, or are the same.

        places: (r,)
        """
        if places is None:
            return replace(self, table=table)
        return replace(self, table=table, rows=places if self.rows is None else self.rows[places])

    def codes(self, column: str) -> np.ndarray | None:
        """A number for each different value of a column, -1 if it has none; None for lists and records.  (m,)"""
        values = self.table[column]
        if pa.types.is_nested(values.type):
            return None
        if not pa.types.is_dictionary(values.type):
            values = values.dictionary_encode()
        values = values.unify_dictionaries()
        parts = [part.indices.cast(pa.int64()).fill_null(-1).to_numpy() for part in values.chunks]
        return np.concatenate(parts) if parts else np.zeros(0, dtype=np.int64)

    def names(self, column: str) -> pa.ChunkedArray:
        """A column of names, without gaps.  (m,)"""
        with self.name_rows():
            return name_column(self.table, column)

    def numbers(self, column: str) -> np.ndarray:
        """A column as floats, NaN if it is null.  (m,)"""
        with self.name_rows():
            return number_column(self.table, column)

    @contextmanager
    def name_rows(self) -> Iterator[None]:
        """Name the row's place in the file in errors about a row of a value."""
        try:
            yield
        except RowError as error:
            raise error.with_number(self.row(error.row), self.name) from None


def with_first_column_named(table: pa.Table) -> pa.Table:
    """A table whose first column is called `column 1` if it has no name, as an index that pandas wrote."""
    names: list[str] = table.column_names
    if len(names) < 2 or names[0].strip() or FIRST_COLUMN in names:
        return table
    return table.rename_columns([FIRST_COLUMN, *names[1:]])
