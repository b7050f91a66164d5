"""Parquet and Arrow files -> tables, checked whole."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.feather as feather
import pyarrow.parquet as parquet


def read_parquet(path: Path) -> pa.Table:
    return _check(path, lambda: _read_parquet(path))


def read_arrow(path: Path) -> pa.Table:
    """An Arrow file or stream, or Feather."""
    return _check(path, lambda: _read_arrow(path))


def with_paths_of_images(table: pa.Table) -> pa.Table:
    """A table in which images and sounds as Hugging Face writes them, bytes and path, are their paths alone.

    Labels beside images are then labels of these paths. A column without any path is left out.
    """
    for place, field in reversed(list(enumerate(table.schema))):
        if not pa.types.is_struct(field.type) or {part.name for part in field.type} != {"bytes", "path"}:
            continue
        path = pc.struct_field(table.column(place), "path")
        if path.null_count == len(path):
            table = table.remove_column(place)
        else:
            table = table.set_column(place, field.name, path)
    return table


def _check(path: Path, load: Callable[[], pa.Table]) -> pa.Table:
    try:
        table = load()
        table.validate(full=True)  # a damaged file may point outside its own buffers
    except (pa.ArrowException, OSError, ValueError) as error:
        raise ValueError(
            f"{path}: not a readable {path.suffix.lstrip('.') or 'columnar'} file, or cut short "
            f"({str(error).partition(chr(10))[0]:.160}); get or write it again"
        ) from None
    return table


def _read_parquet(path: Path) -> pa.Table:
    with parquet.ParquetFile(path) as file:  # whose errors do not repeat the path, unlike those of read_table
        return file.read()


def _read_arrow(path: Path) -> pa.Table:
    with pa.OSFile(str(path)) as raw:
        if raw.read(6) != b"ARROW1":
            raw.seek(0)
            return pa.ipc.open_stream(raw).read_all()
    return feather.read_table(path, memory_map=False)
