"""Augmentation: images gathered, cropped, mirrored and normalised, a whole batch at once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
import torch

from dissensus.train.train_config import TrainConfig, augmentation_rng, flip_rng

_COUNTED = 1000  # images at once


@dataclass(frozen=True)
class Draw:
    """The augmentation of each item in one epoch; it depends on seed, epoch and item alone, not on the batches.

    corner  (n, 2) row and column of the padded image where the crop begins
    mirror  (n,) bool
    hole    (n, 2) row and column of the middle of the cutout
    """

    corner: torch.Tensor
    mirror: torch.Tensor
    hole: torch.Tensor


class Pictures:
    """Images on a device as uint8, with a border as wide as a crop may reach, and their normalisation.

        x = (pixel / 255 - mean) / std   for each channel

    pixels: (n, h, w, c) uint8; mean, std: (c,) of pixels from 0 to 1
    """

    def __init__(
        self,
        pixels: np.ndarray,
        mean: tuple[float, ...],
        std: tuple[float, ...],
        device: torch.device,
        crop: int = 0,
        border: str = "black",
    ) -> None:
        n, self.h, self.w, c = pixels.shape
        self.wide = self.w + 2 * crop
        self.area = (self.h + 2 * crop) * self.wide
        edge = ((0, 0), (crop, crop), (crop, crop), (0, 0))
        mode: Literal["reflect", "constant"] = "reflect" if border == "reflect" else "constant"
        whole = np.pad(pixels, edge, mode=mode) if crop else np.array(pixels)
        self.rows = torch.from_numpy(whole.reshape(n * self.area, c)).to(device)  # one row a pixel
        self.n, self.device = n, device
        scale = torch.tensor([1 / (255 * spread) for spread in std], dtype=torch.float32, device=device)
        offsets = [-middle / spread for middle, spread in zip(mean, std, strict=True)]
        shift = torch.tensor(offsets, dtype=torch.float32, device=device)
        # For all pixels of an image in a row: along an axis of three numbers it takes twice as long.
        self.scale, self.shift = scale.repeat(self.h * self.w), shift.repeat(self.h * self.w)
        down, right = torch.arange(self.h, device=device), torch.arange(self.w, device=device)
        self.inside = (down[:, None] * self.wide + right).reshape(1, -1)  # (1, h w)
        self.mirrored = (down[:, None] * self.wide + right.flip(0)).reshape(1, -1)
        self.middle = crop * (self.wide + 1)

    def batch(self, items: torch.Tensor, draw: Draw | None = None, cutout: int = 0) -> torch.Tensor:
        """Some images as floats, as they are or as drawn.  items: (b,) positions -> (b, c, h, w) float32"""
        begin = items * self.area
        if draw is None:
            places = (begin + self.middle)[:, None] + self.inside
        else:
            corner = draw.corner[items]
            begin = begin + corner[:, 0] * self.wide + corner[:, 1]
            places = begin[:, None] + torch.where(draw.mirror[items, None], self.mirrored, self.inside)
        flat = self.rows.index_select(0, places.reshape(-1)).view(len(items), -1)  # (b, h w c)
        pixels = flat.float().mul_(self.scale).add_(self.shift)
        x = pixels.view(len(items), self.h, self.w, -1).permute(0, 3, 1, 2)  # channels last in memory
        return x if draw is None or not cutout else x * self._keep_rows(draw.hole[items], cutout)

    def _keep_rows(self, hole: torch.Tensor, side: int) -> torch.Tensor:
        """1 outside a square around each middle, 0 inside, which is the mean colour.  (b, 2) -> (b, 1, h, w)"""
        top = hole - side // 2
        inside = [
            (torch.arange(size, device=self.device) >= top[:, axis, None])
            & (torch.arange(size, device=self.device) < top[:, axis, None] + side)
            for axis, size in enumerate((self.h, self.w))
        ]
        return (~(inside[0][:, :, None] & inside[1][:, None, :]))[:, None].float()


def draw_epoch(config: TrainConfig, epoch: int, pictures: Pictures) -> Draw | None:
    """Draw the augmentation of an epoch; None if there is none."""
    if not (config.crop or config.flip or config.cutout):
        return None
    rng, n = augmentation_rng(config.seed, epoch), pictures.n
    corner = rng.integers(0, 2 * config.crop, size=(n, 2), endpoint=True)
    mirror = rng.integers(0, 1, size=n, endpoint=True).astype(bool)
    hole = rng.integers(0, (pictures.h, pictures.w), size=(n, 2))
    if config.alternate_flip:
        mirror = flip_rng(config.seed).integers(0, 1, size=n, endpoint=True).astype(bool) ^ bool(epoch % 2)
    mirror &= config.flip
    return Draw(*(torch.from_numpy(part).to(pictures.device) for part in (corner, mirror, hole)))


def channel_statistics(pixels: np.ndarray) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """Mean and standard deviation of each channel, of pixels from 0 to 1, from exact counts.

    A channel that is the same everywhere has the deviation 1, which leaves it at 0.  pixels: (n, h, w, c) uint8
    """
    means, deviations = [], []
    for channel in range(pixels.shape[3]):
        # In parts, as NumPy makes eight bytes of each one to count them.
        counts = np.zeros(256, dtype=np.int64)
        for begin in range(0, len(pixels), _COUNTED):
            part = pixels[begin : begin + _COUNTED, ..., channel]
            counts += np.bincount(part.reshape(-1), minlength=256)
        levels = np.arange(256) / 255
        mean = float(counts @ levels / counts.sum())
        spread = float(np.sqrt(counts @ (levels - mean) ** 2 / counts.sum()))
        means.append(mean)
        deviations.append(spread if spread > 0 else 1.0)
    return tuple(means), tuple(deviations)
