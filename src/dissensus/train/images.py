"""ImageTable: images as one array of bytes, with their names."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from dissensus.labels.answers import hold, positions
from dissensus.labels.arrays import as_array
from dissensus.labels.content_hash import hash_items
from dissensus.labels.display import shapes
from dissensus.labels.doors import describe_type
from dissensus.labels.names import as_names, first_repeated
from dissensus.labels.refusals import PythonWay, Refusal, Way
from dissensus.labels.row_numbers import are_named, row_numbers

CHANNELS = (1, 3)  # grey; red, green, blue


@dataclass(frozen=True, eq=False)
class ImageTable:
    """Hold images of one size, with their names.

    Parameters
    ----------
    pixels : (n, h, w, c) uint8, contiguous and read-only; c is 3 for red, green and blue, 1 for grey
    items : (n,) names of the images; None: they have none, and are numbered from 0
    source : their origin, as JSON: path, data set, resizing

    Examples
    --------
    >>> table = ImageTable(np.zeros((2, 8, 8, 3), dtype=np.uint8), ["a", "b"])
    >>> len(table.select([1])), table.named
    (1, True)
    """

    pixels: np.ndarray
    items: Any = None
    source: dict[str, Any] | None = None

    __repr__ = shapes

    def __post_init__(self) -> None:
        if not isinstance(self.pixels, np.ndarray):
            raise Refusal(
                f"pixels are a {type(self.pixels).__name__}; expected an array",
                ways=[PythonWay("make a table of most images with as_images(...)")],
            )
        _check_bytes(self.pixels)
        _check_shape(self.pixels.shape)
        pixels = np.ascontiguousarray(self.pixels)
        if pixels is not self.pixels:
            pixels.flags.writeable = False  # no other reference exists, so no copy is needed
        hold(self, "pixels", pixels)
        hold(self, "items", row_numbers(len(self)) if self.items is None else as_names(self.items))
        if self.items.shape != (len(self),):
            raise ValueError(f"there are {len(self)} images, but {self.items.size} names of items")
        repeated = first_repeated(self.items)
        if repeated is not None:
            raise ValueError(f"two images are both named {repeated!r}; names of items must differ")
        try:
            json.dumps(self.source)
        except (TypeError, ValueError) as problem:
            raise ValueError(
                f"the source {self.source!r:.80} cannot be kept on a card ({problem}); expected texts, numbers and "
                "lists"
            ) from None

    def __len__(self) -> int:
        """Return the number of images."""
        return len(self.pixels)

    @property
    def named(self) -> bool:
        """Whether the images have names, not only row numbers."""
        return are_named(self.items)

    def select(self, rows: Any) -> ImageTable:
        """Select images by mask or by position."""
        keep = positions(rows, len(self), "items")
        if not keep.size:
            raise ValueError(f"the selection contains none of the {len(self)} images; expected one at least")
        pixels = self.pixels[keep]
        pixels.flags.writeable = False  # as above
        return replace(self, pixels=pixels, items=self.items[keep])


def as_images(images: Any) -> ImageTable:
    """Convert images of any kind to an ImageTable.

    An ImageTable stays as it is. Anything with `.pixels`, such as `datasets.images(...)`, keeps the names it has as
    `.items`. An array or tensor is uint8 (n, h, w, c), or (n, h, w) for grey images, and has no names.
    `ImageTable(pixels, names)` gives names to an array; `read_images` reads files.

    Parameters
    ----------
    images : an ImageTable, an array, a tensor, a sequence of them, or a value with `.pixels`

    Returns
    -------
    ImageTable

    Examples
    --------
    >>> as_images(np.zeros((2, 28, 28), dtype=np.uint8)).pixels.shape
    (2, 28, 28, 1)
    """
    if isinstance(images, ImageTable):
        return images
    if isinstance(images, str | os.PathLike):
        raise ValueError(f"as_images takes images; this is a path or a name, {str(images)!r:.80}: read_images reads it")
    if hasattr(images, "pixels"):
        return ImageTable(_pixel_array(images.pixels), _names(images))
    return ImageTable(_pixel_array(images))


def fingerprint(images: ImageTable) -> str:
    """Hash shape, pixels and names: the same for the same images, wherever they were read from."""
    return hash_items(images.items, [str(images.pixels.shape).encode(), images.pixels])


def same_place(known: Any, here: dict[str, Any] | None) -> bool:
    """Whether images come from the path or data set that a card names, however the path is written.

    Conversions such as resizing do not matter.

    known, here: the `source` of image tables
    """
    if not isinstance(known, dict) or here is None:
        return False
    first, second = (
        {key: value for key, value in place.items() if key not in ("changed", "fit")} for place in (known, here)
    )
    for place in (first, second):
        if isinstance(place.get("path"), str):
            place["path"] = str(Path(place["path"]).resolve())
    return first == second


def _names(images: Any) -> Any:
    """The names beside pixels: an array of them, or the column of an Arrow table that says which image a row is."""
    items: Any = getattr(images, "items", None)
    if not hasattr(items, "column_names"):
        return None if items is None or callable(items) else items
    column = next((name for name in ("item", "index") if name in items.column_names), None)
    return None if column is None else items[column].to_numpy()


def _pixel_array(images: Any) -> np.ndarray:
    """Bytes (n, h, w, c) of an array, a tensor, or a sequence of them."""
    if isinstance(images, list | tuple):
        images = _stack(images)
    pixels = as_array(images)
    if pixels.ndim not in (3, 4):
        raise ValueError(
            f"as_images takes images, (n, h, w, c): rows and columns of pixels with their channels; this is "
            f"{describe_type(images)}"
        )
    _check_bytes(pixels)
    if pixels.ndim == 3:
        _check_not_one_image(pixels.shape)
        pixels = pixels[..., None]
    return pixels


def _stack(images: list[Any] | tuple[Any, ...]) -> np.ndarray:
    if not images:
        raise ValueError("no images given; expected one or more")
    arrays = []
    for place, image in enumerate(images):
        if hasattr(image, "mode") and hasattr(image, "convert"):  # as an array, a palette image is its indices
            raise Refusal(
                f"number {place} is a Pillow image of mode {image.mode}; expected arrays",
                ways=[
                    PythonWay('convert each first, as in [np.asarray(image.convert("RGB")) for image in images]'),
                    PythonWay("pass the folder to read_images"),
                ],
            )
        arrays.append(as_array(image))
        if arrays[-1].shape != arrays[0].shape:
            others = sum(as_array(other).shape != arrays[0].shape for other in images)
            raise Refusal(
                f"images 0 and {place} differ in shape: {arrays[0].shape} and {arrays[-1].shape}; {others} of "
                f"{len(images)} differ from the first; expected one size",
                ways=[Way("resize them"), PythonWay("read them with read_images(path, size=...)")],
            )
    return np.stack(arrays)


def _check_bytes(pixels: np.ndarray) -> None:
    if pixels.dtype == np.uint8:
        return
    look, ways = _conversion(pixels)
    raise Refusal(f"pixels are {pixels.dtype}; expected uint8, whole numbers from 0 to 255{look}", ways=ways)


def _conversion(pixels: np.ndarray) -> tuple[str, list[PythonWay]]:
    """Explain what pixels of another type look like, and how they become bytes, as far as their values show it."""
    if pixels.dtype.kind == "b":
        return "", [PythonWay('make them black and white with x.astype("uint8") * 255')]
    if pixels.dtype.kind not in "fiu" or not pixels.size:
        return "", []
    low, high = float(pixels.min()), float(pixels.max())
    seen = f"; the values are from {low:g} to {high:g}"
    if not (np.isfinite(low) and np.isfinite(high)):
        return f"{seen}, so some are not valid colours", []
    if low < 0:
        way = PythonWay("undo that first with x * std + mean, to get back to 0..1 or 0..255")
        return f"{seen}, so they seem to be normalised", [way]
    if high <= 1:
        return f"{seen}, so they look like intensities from 0 to 1", _ways_to_bytes("(x * 255)")
    if high <= 255:
        return f"{seen}, so they look like bytes of another type", _ways_to_bytes("x")
    return f"{seen}, more than a byte holds", _ways_to_bytes("(x / x.max() * 255)")


def _ways_to_bytes(values: str) -> list[PythonWay]:
    return [
        PythonWay(f'convert an array with {values}.round().astype("uint8")'),
        PythonWay(f"a tensor with {values}.round().to(torch.uint8)"),
    ]


def _check_not_one_image(shape: tuple[int, ...]) -> None:
    """Three axes are images of grey, unless they could as well be one image in colour."""
    if shape[2] in (*CHANNELS, 4):
        raise Refusal(
            f"pixels have the shape {shape}, which looks like one image with {shape[2]} channels; expected several, "
            "(n, h, w, c)",
            ways=[PythonWay("make one image a table of one with pixels[None]")],
        )
    if shape[0] == 3:
        raise Refusal(
            f"pixels have the shape {shape}: three grey images, or one in colour with its channels first? Expected "
            "(n, h, w, c)",
            ways=[
                PythonWay("pass pixels[..., None] for grey images"),
                PythonWay("pass pixels.transpose(1, 2, 0)[None] for one in colour"),
            ],
        )


def _check_shape(shape: tuple[int, ...]) -> None:
    if len(shape) != 4:
        raise ValueError(f"pixels have the shape {shape}; expected (n, h, w, c): images, rows, columns, channels")
    if 0 in shape:
        raise ValueError(f"pixels have the shape {shape}, so there are no images; expected one or more")
    if shape[3] in CHANNELS:
        return
    if shape[1] in CHANNELS:
        raise Refusal(
            f"pixels have the shape {shape}, which looks like channels first; expected (n, h, w, c), channels last",
            ways=[
                PythonWay("pass pixels.transpose(0, 2, 3, 1) of an array"),
                PythonWay("pass pixels.permute(0, 2, 3, 1) of a tensor"),
            ],
        )
    transparent = shape[3] in (2, 4)
    raise Refusal(
        f"pixels have the shape {shape}, {shape[3]} channels; expected 3 (colour) or 1 (grey)",
        ways=[PythonWay(f"leave transparency out with pixels[..., :{shape[3] - 1}]")] if transparent else (),
    )
