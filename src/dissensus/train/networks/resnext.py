"""ResNeXt: bottlenecks whose 3 x 3 convolution is split into groups.

Xie, Girshick, Dollar, Tu, He (2017), Aggregated Residual Transformations for Deep Neural Networks, CVPR, sec. 5.3
(CIFAR): a stem of 64 channels, stages that end with 256, 512 and 1024, shortcuts of option B. "29, 8x64d" means 29
layers, 8 groups (its cardinality), 64 channels in each group of the first stage: 34,426,698 parameters ("34.4M" in
table 7).
"""

from __future__ import annotations

from functools import partial

import torch
import torch.nn.functional as F  # noqa: N812 (its usual name)
from torch import nn

from dissensus.train.networks.depths import blocks_per_stage, check_count
from dissensus.train.networks.layers import assembled, conv1x1, conv3x3, named, stages_of


def resnext(classes: int, *, width: int, depth: int, channels: int, cardinality: int = 8) -> nn.Sequential:
    """Three stages of bottlenecks, depth 9n + 2; `width` is the channels of a group in the first stage, then doubled.

    Blocks end with 256, 512 and 1024 channels whatever the width, as in the paper.

    cardinality  into how many groups each 3 x 3 convolution is split
    """
    check_count("cardinality", cardinality)
    blocks = blocks_per_stage(depth, 9, 2)
    stem = named(conv=conv3x3(channels, 64), bn=nn.BatchNorm2d(64), relu=nn.ReLU())
    stages = stages_of(partial(Grouped, groups=cardinality, width=width), 64, [256, 512, 1024], [blocks] * 3)
    return assembled(stem, stages, 1024, classes)


class Grouped(nn.Module):
    """A bottleneck with ReLU behind the sum; its 3 x 3 convolution works on groups of channels."""

    def __init__(self, ins: int, outs: int, stride: int, groups: int, width: int) -> None:
        super().__init__()
        inner = groups * width * (outs // 256)
        self.conv1, self.bn1 = conv1x1(ins, inner), nn.BatchNorm2d(inner)
        self.conv2, self.bn2 = conv3x3(inner, inner, stride, groups), nn.BatchNorm2d(inner)
        self.conv3, self.bn3 = conv1x1(inner, outs), nn.BatchNorm2d(outs)
        self.shortcut: nn.Module = nn.Identity()
        if ins != outs:
            self.shortcut = named(conv=conv1x1(ins, outs, stride), bn=nn.BatchNorm2d(outs))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = F.relu(self.bn1(self.conv1(x)))
        y = F.relu(self.bn2(self.conv2(y)))
        return F.relu(self.bn3(self.conv3(y)) + self.shortcut(x))
