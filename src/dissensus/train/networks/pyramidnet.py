"""Pyramidal residual networks: the number of channels grows a little at every block.

Han, Kim, Kim (2017), Deep Pyramidal Residual Networks, CVPR: block i of N has

    round(width + alpha i / N)   channels      (additive, sec. 2.1; rounded to the nearest as in the released code)

and is BN - conv3x3 - BN - relu - conv3x3 - BN beside a shortcut without parameters: maps of zeros are added,
and where the stride is 2, positions are averaged. 110 layers, alpha = 270, 10 classes: 28,485,477 parameters,
as osmr/imgclsmob counts too; the authors (jhkim89/PyramidNet) write 28.3M.
"""

from __future__ import annotations

from math import floor

import torch
import torch.nn.functional as F  # noqa: N812 (its usual name)
from torch import nn

from dissensus.train.networks.depths import blocks_per_stage, check_number
from dissensus.train.networks.layers import assemble, conv3x3, more_channels, name_layers


def pyramidnet(classes: int, *, width: int, depth: int, channels: int, alpha: float = 270) -> nn.Sequential:
    """Three stages of basic blocks, depth 6n + 2; `width` is the number of channels of the stem.

    alpha  how many channels the last block has beyond those of the stem
    """
    check_number("alpha", alpha, 0)
    blocks = blocks_per_stage(depth, 6, 2)
    wide = [floor(width + alpha * place / (3 * blocks) + 0.5) for place in range(3 * blocks + 1)]
    made = [
        Pyramidal(wide[place], wide[place + 1], 2 if place in (blocks, 2 * blocks) else 1)
        for place in range(3 * blocks)
    ]
    stem = name_layers(conv=conv3x3(channels, width), bn=nn.BatchNorm2d(width))
    last = name_layers(bn=nn.BatchNorm2d(wide[-1]), relu=nn.ReLU())
    stages = [made[stage * blocks : (stage + 1) * blocks] for stage in range(3)]
    return assemble(stem, stages, wide[-1], classes, last)


class Pyramidal(nn.Module):
    """BN(conv3x3(relu(BN(conv3x3(BN(x)))))), added to the input with maps of zeros behind it."""

    def __init__(self, ins: int, outs: int, stride: int) -> None:
        super().__init__()
        self.outs = outs
        self.bn1, self.conv1 = nn.BatchNorm2d(ins), conv3x3(ins, outs, stride)
        self.bn2, self.conv2 = nn.BatchNorm2d(outs), conv3x3(outs, outs)
        self.bn3 = nn.BatchNorm2d(outs)
        self.pool: nn.Module = nn.Identity() if stride == 1 else nn.AvgPool2d(stride, ceil_mode=True)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = self.conv2(F.relu(self.bn2(self.conv1(self.bn1(x)))))
        return self.bn3(y) + more_channels(self.pool(x), self.outs)
