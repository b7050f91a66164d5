"""Densely connected networks: every layer sees the outputs of all layers before it in its block.

Huang, Liu, van der Maaten, Weinberger (2017), Densely Connected Convolutional Networks, CVPR, sec. 3, "DenseNet-BC":
bottlenecks of four times the growth rate, transitions that halve the channels, a stem of twice the growth rate. 100
layers with growth rate 12 and 10 classes have 769,162 parameters ("0.8M" in table 2).
"""

from __future__ import annotations

import torch
import torch.nn.functional as F  # noqa: N812 (its usual name)
from torch import nn

from dissensus.train.networks.depths import blocks_per_stage, check_number
from dissensus.train.networks.layers import assemble, conv1x1, conv3x3, dropout_of, name_layers


def densenet(classes: int, *, width: int, depth: int, channels: int, dropout: float = 0.0) -> nn.Sequential:
    """Three dense blocks of bottlenecks, depth 6n + 4; `width` is the growth rate: the maps that each layer adds.

    dropout  behind each convolution of the blocks; the paper takes 0.2 where images are not augmented
    """
    check_number("dropout", dropout, 0, below=1)
    layers = blocks_per_stage(depth, 6, 4)
    maps, stages = 2 * width, []
    for stage in range(3):
        dense: list[nn.Module] = [Dense(maps + place * width, width, dropout) for place in range(layers)]
        maps += layers * width
        if stage < 2:
            dense.append(transition(maps, maps // 2, dropout))
            maps //= 2
        stages.append(dense)
    last = name_layers(bn=nn.BatchNorm2d(maps), relu=nn.ReLU())
    return assemble(name_layers(conv=conv3x3(channels, 2 * width)), stages, maps, classes, last)


class Dense(nn.Module):
    """The input, and behind it `growth` further maps computed from it."""

    def __init__(self, ins: int, growth: int, dropout: float) -> None:
        super().__init__()
        self.bn1, self.conv1 = nn.BatchNorm2d(ins), conv1x1(ins, 4 * growth)
        self.bn2, self.conv2 = nn.BatchNorm2d(4 * growth), conv3x3(4 * growth, growth)
        self.dropout = dropout_of(dropout)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = self.dropout(self.conv1(F.relu(self.bn1(x))))
        y = self.dropout(self.conv2(F.relu(self.bn2(y))))
        return torch.cat([x, y], dim=1)


def transition(ins: int, outs: int, dropout: float) -> nn.Sequential:
    conv = conv1x1(ins, outs)
    return name_layers(
        bn=nn.BatchNorm2d(ins), relu=nn.ReLU(), conv=conv, dropout=dropout_of(dropout), pool=nn.AvgPool2d(2)
    )
