"""Names of a column of a Parquet file as codes, batch by batch."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from dissensus.labels.names import text_column

# Integers index the matrix directly while it has at most this many cells per row of the file, or in all.
DENSE, SMALL = 16, 1 << 24
MOST_CLASSES = 4096  # integer labels over a wider range are few distinct ones, or not classes at all


@dataclass
class IntegerCoder:
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
            raise pa.ArrowInvalid("the statistics of a column contradict its values")
        return distance.view(np.int64) if distance.itemsize == 8 else distance

    def values(self, codes: np.ndarray) -> pa.Array:
        wide = np.uint64 if self.least >= 0 else np.int64  # (d,), and 2**63 is not an int64
        return pa.array(codes.astype(wide) + wide(self.least)).cast(self.kind)


class DictionaryCoder:
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


def make_coders(file: Any, columns: list[str]) -> list[IntegerCoder | DictionaryCoder]:
    """How items and labels are coded: by distance where a matrix over the whole range is small enough."""
    item, label = columns
    rows = file.metadata.num_rows
    items, labels = _coder(file, item, DENSE * max(rows, SMALL)), _coder(file, label, MOST_CLASSES)
    most = max(DENSE * rows, SMALL)
    if items.room * labels.room > most:
        labels = DictionaryCoder(file.schema_arrow.field(label).type)
    if items.room * labels.room > most:
        items = DictionaryCoder(file.schema_arrow.field(item).type)
    return [items, labels]


def _coder(file: Any, name: str, widest: int) -> IntegerCoder | DictionaryCoder:
    kind = file.schema_arrow.field(name).type
    if not pa.types.is_integer(kind):
        return DictionaryCoder(kind)
    # Row groups count leaves: a struct before this column counts once per field.
    place = next(leaf for leaf in range(file.metadata.num_columns) if file.metadata.schema.column(leaf).path == name)
    groups = [file.metadata.row_group(g).column(place).statistics for g in range(file.metadata.num_row_groups)]
    if not groups or any(s is None or not s.has_min_max for s in groups):
        return DictionaryCoder(kind)
    least, most = min(s.min for s in groups), max(s.max for s in groups)
    return IntegerCoder(least, most - least + 1, kind) if most - least < widest else DictionaryCoder(kind)


def _as_they_appear(places: np.ndarray, indices: np.ndarray, size: int) -> np.ndarray:
    """Those places of a dictionary of that size that the rows use, in the order of their first row."""
    first = np.full(size, indices.size)
    first[indices[::-1]] = np.arange(indices.size - 1, -1, -1)
    places = places[first[places] < indices.size]
    return places[np.argsort(first[places], kind="stable")]
