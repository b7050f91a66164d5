"""Pictures of any shape made square: cropped, padded or stretched."""

from __future__ import annotations

from typing import Any, Literal, cast, get_args

import numpy as np

from dissensus.fronts import not_installed
from dissensus.labels.refusals import Refusal, one_of

Fit = Literal["crop", "pad", "stretch"]
FITS: dict[str, str] = {
    "crop": "the square in the middle",
    "pad": "the whole picture on a white square",
    "stretch": "the whole picture, stretched",
}
"""The part of a picture that each method keeps."""


def make_square(picture: Any, size: int, fit: Fit = "crop") -> Any:
    """A picture of Pillow as a square, scaled by the antialiased bicubic filter; one of that size stays as it is.

    crop     the largest square in the middle: nothing is distorted, the ends of the longer side are lost
    pad      the whole picture, with white beside or above and below it: nothing is lost or distorted
    stretch  the whole picture, its longer side squeezed: round things become oval

    Square pictures are the same by every method.
    """
    image, operations = pillow()
    side = (size, size)
    if fit == "pad" and picture.width != picture.height:
        return operations.pad(picture, side, method=image.Resampling.BICUBIC, color="white")
    if fit == "stretch" and picture.width != picture.height:
        return picture.resize(side, image.Resampling.BICUBIC)
    return operations.fit(picture, side, method=image.Resampling.BICUBIC)


def make_square_pixels(pixels: np.ndarray, fit: Fit = "crop") -> np.ndarray:
    """Crop or pad pixels to a square, without scaling; square images, and all with "stretch", stay as they are.

    (h, w, c) -> (s, s, c), where s is the shorter side under "crop" and the longer one under "pad"
    """
    height, width = pixels.shape[:2]
    if height == width or fit == "stretch":
        return pixels
    side = min(height, width) if fit == "crop" else max(height, width)
    top, left = abs(height - side) // 2, abs(width - side) // 2
    if fit == "crop":
        return np.ascontiguousarray(pixels[top : top + side, left : left + side])
    whole = np.full((side, side, *pixels.shape[2:]), 255, dtype=pixels.dtype)
    whole[top : top + height, left : left + width] = pixels
    return whole


def how_scaled(fit: Fit) -> str:
    """Describe how images became square, for notices."""
    return f"{FITS[fit]}, scaled by Pillow's antialiased bicubic filter"


def check_size(size: int | None) -> None:
    """Refuse an invalid side of a square."""
    if size is not None and (isinstance(size, bool) or not isinstance(size, int | np.integer) or not 1 <= size <= 4096):
        raise Refusal("{size}: expected the side of a square in pixels, from 1 to 4096, such as 32", size=size)


def check_fit(fit: str) -> Fit:
    """Return how images become squares, or raise a refusal with the valid names."""
    return cast(Fit, one_of("fit", fit, get_args(Fit)))


def pillow(what: str = "reading images", extra: str | None = None) -> tuple[Any, Any]:
    """The modules Image and ImageOps of Pillow, or how to get them, by an extra that brings more if one is named."""
    try:
        from PIL import Image, ImageOps
    except ModuleNotFoundError:
        raise not_installed(what, "PIL", extra) from None
    return Image, ImageOps
