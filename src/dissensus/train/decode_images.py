"""Decoding of images (PNG, JPEG, WebP, …) to pixels, the same for every verb."""

from __future__ import annotations

import io
import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from dissensus.labels.progress import Progress
from dissensus.labels.refusals import Refusal, Way
from dissensus.train.squares import Fit, how_scaled, make_square, pillow

# Modes of 8 bits a channel or less. Others hold more, and Pillow would cut them off at 255.
GREY = ("L", "1", "LA", "La")
COLOUR = ("RGB", "RGBA", "RGBa", "RGBX", "P", "PA", "CMYK", "YCbCr", "HSV")
DEEP = ("I;16", "I;16L", "I;16B", "I;16N")  # grey of 16 bits; I and F have no known range
SIDEWAYS = (5, 6, 7, 8)  # values of the EXIF orientation that exchange width and height
ORIENTATION = 0x0112
EACH = 100  # images between two steps of a progress bar
LAID_ON_WHITE = "are transparent in places, and were laid on white"
FIRST_FRAME = "have several frames, of which the first was taken"
FROM_SIXTEEN = "have 16 bits a channel, and were scaled to 8 by the whole range: 65535 becomes 255"
ALMOST_BLACK = (
    "have 16 bits a channel and no value above 4095, so they come out almost black: scale them yourself, by a range "
    "that fits all images, and save them as 8-bit PNG"
)


class SizesDifferError(Refusal):
    """Images of several sizes, without a target size."""


@dataclass
class Remarks:
    """Counts of the conversions of images, with the first of each kind."""

    modes: Counter[str] = field(default_factory=Counter)
    kinds: Counter[str] = field(default_factory=Counter)
    first: dict[str, str] = field(default_factory=dict)

    def note(self, kind: str, where: str) -> None:
        self.kinds[kind] += 1
        self.first.setdefault(kind, where)

    def lines(self, channels: int) -> list[str]:
        """Sentences about the conversions of all images to 1 or 3 channels."""
        kept, name = ("L", "grey") if channels == 1 else ("RGB", "RGB")
        converted = [f"{count:,} of mode {mode}" for mode, count in sorted(self.modes.items()) if mode != kept]
        total = self.modes.total()
        said = [f"converted to {name}: {', '.join(converted)}, of {total:,} images"] if converted else []
        for kind, count in self.kinds.items():
            said.append(f"{count:,} of {total:,} images {kind}; the first is {self.first[kind]}")
        return said


def decode_image(data: Path | Any, where: str, remarks: Remarks) -> Any:
    """Decode one image, the right way up, as Pillow's L (grey) or RGB; errors call it `where`.

    The side that a camera noted as the upper one (EXIF) is up. Transparent images are laid on white, grey of 16 bits is
    scaled to 8, and of several frames the first is taken; all are noted.

    data: a file, or bytes
    """
    image, operations = pillow()
    try:
        with image.open(_readable(data)) as opened:
            mode = opened.mode
            # Photos of some telephones and cameras are MPO: further frames are previews or the other eye's view.
            several = getattr(opened, "is_animated", False) and opened.format != "MPO"
            picture = operations.exif_transpose(opened)
            transparent = mode in GREY + COLOUR and picture.has_transparency_data
            if transparent:
                picture = picture.convert("RGBA")
                transparent = picture.getchannel("A").getextrema()[0] < 255
            values = np.asarray(picture) if mode in DEEP else None
            clear = opened.info.get("transparency")
    except Exception as problem:  # damaged files raise any kind of error in Pillow
        raise ValueError(f"{where}: not a readable image ({_short(problem)}); leave it out, or get it again") from None
    if values is not None:
        picture = image.fromarray(_eight_bits(values, clear, where, remarks))
    elif mode not in GREY + COLOUR:
        raise ValueError(
            f"{where}: an image of mode {mode}; expected 8 bits a channel, or 16 of grey: more would be cut off at "
            "255, so scale it to 0..255 first, by a range that fits all images, and save it as 8-bit PNG"
        )
    if transparent:
        picture = image.alpha_composite(image.new("RGBA", picture.size, "white"), picture)
        remarks.note(LAID_ON_WHITE, where)
    if several:
        remarks.note(FIRST_FRAME, where)
    remarks.modes[mode] += 1
    return picture.convert("L" if mode in GREY + DEEP else "RGB")


def _eight_bits(values: np.ndarray, clear: int | None, where: str, remarks: Remarks) -> np.ndarray:
    """Convert sixteen bits to eight, v / 257 rounded; `clear` is the value that the file declares transparent.

    values: (h, w) uint16 -> (h, w) uint8
    """
    remarks.note(ALMOST_BLACK if values.max() < 4096 else FROM_SIXTEEN, where)
    scaled = ((values.astype(np.uint32) + 128) // 257).astype(np.uint8)
    if clear is None or not (values == clear).any():
        return scaled
    remarks.note(LAID_ON_WHITE, where)
    return np.where(values == clear, np.uint8(255), scaled)


def decode_images(
    data: Sequence[Path | Any],
    where: Callable[[int], str],
    *,
    size: int | None = None,
    fit: Fit = "crop",
    progress: Progress = lambda done, total: None,
) -> tuple[np.ndarray, list[str]]:
    """Decode all images to one array, with remarks; refused if their sizes differ and no size is given.

    There is 1 channel where every image is grey (modes L, 1, LA, I;16), and there are 3 as soon as one is not.

    -> (n, h, w, c) uint8
    """
    # One thread: two took longer than one for 10,000 WebP of 32 x 32 (1.5 s), most of which is Python's own time.
    remarks, scaled = Remarks(), 0
    pixels = np.empty((0, 0, 0, 1), dtype=np.uint8)
    for place, one in enumerate(data):
        picture = decode_image(one, where(place), remarks)
        if size is not None:
            scaled += picture.size != (size, size)
            picture = make_square(picture, size, fit)
        values = np.asarray(picture)
        values = values[..., None] if values.ndim == 2 else values  # (h, w, c)
        if place == 0:
            pixels = _room_for(len(data), values.shape)
        if values.shape[:2] != pixels.shape[1:3]:
            raise _sizes_differ(data, where, place, pixels.shape[1:3], values.shape[:2])
        if values.shape[2] > pixels.shape[3]:
            pixels = np.repeat(pixels, 3, axis=3)  # they were all grey until now
        pixels[place] = values
        if (place + 1) % EACH == 0 or place + 1 == len(data):
            progress(place + 1, len(data))
    said = remarks.lines(pixels.shape[3])
    if scaled:
        said.append(f"{scaled:,} of {len(data):,} images were resized to {size} x {size}: {how_scaled(fit)}")
    pixels.flags.writeable = False
    return pixels, said


def _room_for(n: int, shape: tuple[int, ...]) -> np.ndarray:
    try:
        return np.empty((n, *shape), dtype=np.uint8)
    except (MemoryError, ValueError):
        raise Refusal(
            f"{n:,} images of {shape[1]} x {shape[0]} take {n * np.prod(shape, dtype=float) / 1e9:,.0f} GB of memory, "
            "more than is available",
            ways=[Way("make them smaller with {size}", size=32)],
        ) from None


def _sizes_differ(
    data: Sequence[Any], where: Callable[[int], str], place: int, first: tuple[int, ...], other: tuple[int, ...]
) -> SizesDifferError:
    sizes = [upright_size(one) for one in data]
    differ = sum(size != (first[1], first[0]) for size in sizes if size is not None)
    shorter = min(min(size) for size in sizes if size is not None)
    side = max(2, min(shorter - shorter % 2, 32))  # even, as `small` needs it
    return SizesDifferError(
        f"images must have one size: {where(0)} is {first[1]} x {first[0]} and {where(place)} is {other[1]} x "
        f"{other[0]} (width x height); {differ:,} of {len(data):,} differ from the first",
        ways=[
            Way(f"resize all with {{size}}: {how_scaled('crop')}", size=side),
            Way("keep the whole of each with {size} and {fit}", size=side, fit="pad"),
        ],
    )


def upright_size(data: Any) -> tuple[int, int] | None:
    """Read width and height from the header; None if it is not readable."""
    image, _ = pillow()
    try:
        with image.open(_readable(data)) as opened:
            width, height = opened.size
            return (height, width) if opened.getexif().get(ORIENTATION) in SIDEWAYS else (width, height)
    except Exception:  # damaged files raise anything in Pillow; decoding names them, here they are only not counted
        return None


def _readable(data: Path | Any) -> Any:
    return data if isinstance(data, Path) else io.BytesIO(data)


def _short(problem: BaseException) -> str:
    said = re.sub(r" ?<_io\.BytesIO object at \w+>", "", " ".join(str(problem).split()))
    return f"{said or type(problem).__name__:.160}"
