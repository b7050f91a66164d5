"""A residual network made for processors: few pixels early, few channels, few stages."""

from __future__ import annotations

import torch
from torch import nn
from torch.nn import functional


class Small(nn.Module):
    """Space to depth, a stem, one residual block a stage, the mean over pixels, a linear layer.

        (b, c, h, w) -> (b, 4c, h/2, w/2), where 2 x 2 pixels became channels -> stages of width, 2 width, 4 width, ...
        channels, each after the first on half as many pixels a side

    The first convolutions cost the most on a processor, and here they see a quarter of the pixels. The residual blocks
    are those of He et al. (2016), Deep residual learning, sec. 3.3, with a projection where shapes differ.
    """

    def __init__(self, classes: int, width: int, depth: int, channels: int) -> None:
        super().__init__()
        self.to_depth = nn.PixelUnshuffle(2)
        self.stem = _convolution(4 * channels, width, side=3)
        widths = [width * 2**stage for stage in range(depth)]
        befores = [width, *widths[:-1]]
        self.stages = nn.Sequential(
            *(
                _Block(before, after, stride=1 if stage == 0 else 2)
                for stage, (before, after) in enumerate(zip(befores, widths, strict=True))
            )
        )
        self.head = nn.Linear(widths[-1], classes)

    def forward(self, pixels: torch.Tensor) -> torch.Tensor:
        if pixels.shape[2] % 2 or pixels.shape[3] % 2:
            raise ValueError(
                f"images of {pixels.shape[2]} x {pixels.shape[3]} pixels have an odd side, and `small` begins with "
                "blocks of 2 x 2: cut off or add a pixel, or read them in another size"
            )
        maps = self.stages(functional.relu(self.stem(self.to_depth(pixels))))
        return self.head(maps.mean(dim=(2, 3)))


def small(classes: int, *, width: int, depth: int, channels: int) -> Small:
    """The network with that many stages, for images with even sides.

    width  channels of the first stage, doubled by every other
    depth  number of stages, one block of two convolutions each
    """
    if depth < 1:
        raise ValueError(f"depth is {depth}; expected the number of stages, 1 or more")
    return Small(classes, width, depth, channels)


class _Block(nn.Module):
    def __init__(self, before: int, after: int, stride: int) -> None:
        super().__init__()
        self.first = _convolution(before, after, side=3, stride=stride)
        self.second = _convolution(after, after, side=3)
        same = stride == 1 and before == after
        self.shortcut = nn.Identity() if same else _convolution(before, after, side=1, stride=stride)

    def forward(self, maps: torch.Tensor) -> torch.Tensor:
        inner = self.second(functional.relu(self.first(maps)))
        return functional.relu(inner + self.shortcut(maps))


def _convolution(before: int, after: int, *, side: int, stride: int = 1) -> nn.Sequential:
    return nn.Sequential(nn.Conv2d(before, after, side, stride, padding=side // 2, bias=False), nn.BatchNorm2d(after))
