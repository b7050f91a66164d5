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
from dissensus.train.networks.layers import assemble, conv1x1, conv3x3, name_layers, stages_of


def resnext(
    classes: int, *, width: int, depth: int, channels: int, cardinality: int = 8, stem: int = 64
) -> nn.Sequential:
    """Three stages of bottlenecks, depth 9n + 2; `width` is the channels of a group in the first stage, then doubled.

    Blocks end with 4, 8 and 16 times the channels of the stem whatever the width: 256, 512 and 1024 in the paper.

    cardinality  into how many groups each 3 x 3 convolution is split
    stem         channels of the first convolution
    """
    check_count("cardinality", cardinality)
    check_count("stem", stem)
    blocks = blocks_per_stage(depth, 9, 2)
    outs = [4 * stem, 8 * stem, 16 * stem]
    first = name_layers(conv=conv3x3(channels, stem), bn=nn.BatchNorm2d(stem), relu=nn.ReLU())
    inner = cardinality * width  # channels of the 3 x 3 convolutions of the first stage
    stages = stages_of(partial(Grouped, groups=cardinality, share=inner / outs[0]), stem, outs, [blocks] * 3)
    return assemble(first, stages, outs[-1], classes)


class Grouped(nn.Module):
    """A bottleneck with ReLU behind the sum; its 3 x 3 convolution works on groups of channels."""

    def __init__(self, ins: int, outs: int, stride: int, groups: int, share: float) -> None:
        super().__init__()
        inner = round(share * outs)
        self.conv1, self.bn1 = conv1x1(ins, inner), nn.BatchNorm2d(inner)
        self.conv2, self.bn2 = conv3x3(inner, inner, stride, groups), nn.BatchNorm2d(inner)
        self.conv3, self.bn3 = conv1x1(inner, outs), nn.BatchNorm2d(outs)
        self.shortcut: nn.Module = nn.Identity()
        if ins != outs:
            self.shortcut = name_layers(conv=conv1x1(ins, outs, stride), bn=nn.BatchNorm2d(outs))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = F.relu(self.bn1(self.conv1(x)))
        y = F.relu(self.bn2(self.conv2(y)))
        return F.relu(self.bn3(self.conv3(y)) + self.shortcut(x))
