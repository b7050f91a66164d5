"""Texts and pictures of items, to be shown on a page."""

from __future__ import annotations

import base64
import struct
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from html import escape
from typing import Any

import numpy as np

from dissensus.labels.display import shapes
from dissensus.labels.names import item_positions, positions_of
from dissensus.report.tables import Drawing

SIDE = 72  # smallest width of a picture on a page; pixels of smaller ones are drawn as squares
MOST = 160  # pixels of its longer side that are kept


@dataclass(frozen=True, eq=False)
class ItemViews:
    """Texts, pairs of texts or pictures of items, found by the items' names.

    names  (n,) of the items that can be shown
    get    function of a position in names: a text, two texts, or pixels (h, w, 3) uint8
    """

    names: np.ndarray
    get: Callable[[int], str | tuple[str, str] | np.ndarray]

    __repr__ = shapes

    def knows(self, items: np.ndarray) -> int:
        """How many of these items can be shown."""
        return int((item_positions(items, self.names) >= 0).sum())

    def view(self, item: Any) -> Drawing | str | tuple[str, ...] | None:
        """Text or picture of an item for a table cell; None if the item is unknown."""
        place = int(positions_of([item], self.names)[0])
        if place < 0:
            return None
        content = self.get(place)
        if isinstance(content, np.ndarray):
            words = f"picture of item {item}"
            return Drawing(picture(content, words), words)
        return content


def picture(pixels: np.ndarray, alt: str) -> str:
    """A picture inside the page: large ones are shrunk, the pixels of small ones are shown as squares."""
    small = shrink(pixels)
    height, width = small.shape[:2]
    times = max(1, -(-SIDE // max(height, width)))
    data = base64.b64encode(png(small)).decode()
    return (
        f'<img class="item" alt="{escape(alt, quote=True)}" width="{width * times}" height="{height * times}" '
        f'src="data:image/png;base64,{data}"/>'
    )


def png(pixels: np.ndarray) -> bytes:
    """A PNG file of red, green and blue, 8 bits each (ISO/IEC 15948): header, one compressed block, end.

    pixels: (h, w, 3) uint8
    """
    height, width = pixels.shape[:2]
    # Each row begins with 0: no filter.
    rows = np.concatenate([np.zeros((height, 1), dtype=np.uint8), pixels.reshape(height, -1)], axis=1)
    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    parts = ((b"IHDR", header), (b"IDAT", zlib.compress(rows.tobytes(), 9)), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data)) for kind, data in parts
    )


def shrink(pixels: np.ndarray, most: int = MOST) -> np.ndarray:
    """The means of square blocks, as many as fit into `most` on the longer side.  (h, w, 3) -> (h', w', 3)"""
    side = -(-max(pixels.shape[:2]) // most)
    if side == 1:
        return pixels
    down, across = (range(0, length, side) for length in pixels.shape[:2])
    sums = np.add.reduceat(np.add.reduceat(pixels.astype(np.int64), down, axis=0), across, axis=1)
    sizes = [np.diff([*starts, length]) for starts, length in zip((down, across), pixels.shape[:2], strict=True)]
    return (sums / np.multiply.outer(*sizes)[:, :, None]).round().astype(np.uint8)
