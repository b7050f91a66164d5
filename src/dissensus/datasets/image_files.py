"""Small colour images: lossless WebP in Parquet, and the official CIFAR pickles."""

from __future__ import annotations

import io
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from dissensus.datasets.pickled import read_pickle
from dissensus.fronts import not_installed
from dissensus.labels.answers import hold
from dissensus.labels.display import shapes
from dissensus.labels.progress import ProgressBar

SIDE = 32
PATIENCE = 2.0  # seconds before a progress bar is worth showing


@dataclass(frozen=True)
class Images:
    """Images with their classes.

    pixels   (n, 32, 32, 3) uint8, red green blue
    labels   (n,) class codes
    classes  k names
    items    Arrow table of n rows with the other columns of the source
    """

    pixels: np.ndarray
    labels: np.ndarray
    classes: tuple[str, ...]
    items: pa.Table

    __repr__ = shapes

    def __post_init__(self) -> None:
        n = len(self.labels)
        if self.pixels.shape != (n, SIDE, SIDE, 3) or self.pixels.dtype != np.uint8 or self.items.num_rows != n:
            raise ValueError(
                f"pixels are {self.pixels.dtype} of shape {self.pixels.shape}, with {n} labels and "
                f"{self.items.num_rows} rows of items; expected uint8 ({n}, {SIDE}, {SIDE}, 3) and {n} rows"
            )
        for name in ("pixels", "labels"):
            hold(self, name, getattr(self, name))


def read_webp(path: Path, quiet: bool = False) -> tuple[np.ndarray, pa.Table]:
    """Read pixels (n, 32, 32, 3) of the `webp` column of a Parquet file, and its other columns."""
    library = image_library(path)
    table = pq.read_table(path)
    blobs = table["webp"]
    pixels = np.empty((len(blobs), SIDE, SIDE, 3), dtype=np.uint8)
    with ProgressBar(f"decoding {path.name}", len(blobs), quiet=quiet, patience=PATIENCE) as progress:
        for row, blob in enumerate(blobs):
            # Without the format, Pillow guesses it for each image, which takes longer than decoding.
            picture = np.asarray(library.open(io.BytesIO(blob.as_buffer()), formats=("WEBP",)))
            if picture.shape != pixels.shape[1:]:
                raise ValueError(
                    f"{path}: image {row} has shape {picture.shape}; expected {pixels.shape[1:]}, a colour image"
                )
            pixels[row] = picture
            progress.show(row + 1)
    return pixels, table.drop_columns(["webp"])


def image_library(path: Path) -> Any:
    """Import the image library; the error names the extra to install."""
    try:
        from PIL import Image
    except ModuleNotFoundError:
        raise not_installed(f"{path.name} holds compressed images, and decoding them", "PIL") from None
    return Image


def read_batch(path: Path) -> tuple[np.ndarray, dict[str, Any]]:
    """Read pixels (n, 32, 32, 3) of an official CIFAR pickle, and its other entries."""
    content = read_pickle(path)
    entries = {_text(key): value for key, value in content.items()} if isinstance(content, dict) else {}
    flat = entries.pop("data", None)
    if not isinstance(flat, np.ndarray) or flat.ndim != 2 or flat.shape[1] != 3 * SIDE * SIDE:
        held = sorted(entries) if flat is None else f"'data' of shape {np.shape(flat)}"
        raise ValueError(f"{path} has {held}; expected an entry 'data' of shape (n, {3 * SIDE * SIDE})")
    # Each row has the red plane, then green, then blue, each by rows.
    return np.ascontiguousarray(flat.reshape(-1, 3, SIDE, SIDE).transpose(0, 2, 3, 1)), entries


def _text(value: Any) -> str:
    return value.decode("latin-1") if isinstance(value, bytes) else str(value)
