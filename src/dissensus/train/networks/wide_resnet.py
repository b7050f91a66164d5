"""Wide residual networks: few layers, many channels, with normalisation and ReLU before each convolution.

Zagoruyko, Komodakis (2016), Wide Residual Networks, BMVC, table 1: a stem of 16 channels, stages of 16k, 32k and 64k.
28 layers with k = 10 and 10 classes have 36,479,194 parameters ("36.5M" in table 4). Dropout stands between the two
convolutions of a block and behind the ReLU, as in sec. 2.4 and the released code (szagoruyko/wide-residual-networks);
the paper takes 0.3 on CIFAR. hysts/pytorch_image_classification has it before the normalisation, which then sees
another variance in training than later.
"""

from __future__ import annotations

from functools import partial

import torch
import torch.nn.functional as F  # noqa: N812 (its usual name)
from torch import nn

from dissensus.train.networks.depths import blocks_per_stage, check_number
from dissensus.train.networks.layers import assemble, conv1x1, conv3x3, dropout_of, name_layers, stages_of


def wide_resnet(classes: int, *, width: int, depth: int, channels: int, dropout: float = 0.0) -> nn.Sequential:
    """Three stages of basic blocks, depth 6n + 4; `width` is the widening factor k of 16k, 32k and 64k channels."""
    check_number("dropout", dropout, 0, below=1)
    blocks = blocks_per_stage(depth, 6, 4)
    outs = [16 * width, 32 * width, 64 * width]
    stages = stages_of(partial(Wide, dropout=dropout), 16, outs, [blocks] * 3)
    last = name_layers(bn=nn.BatchNorm2d(outs[-1]), relu=nn.ReLU())
    return assemble(name_layers(conv=conv3x3(channels, 16)), stages, outs[-1], classes, last)


class Wide(nn.Module):
    """conv3x3(dropout(relu(BN(conv3x3(relu(BN(x))))))), added to the input or, if channels grow, its projection."""

    def __init__(self, ins: int, outs: int, stride: int, dropout: float) -> None:
        super().__init__()
        self.bn1, self.conv1 = nn.BatchNorm2d(ins), conv3x3(ins, outs, stride)
        self.bn2, self.conv2 = nn.BatchNorm2d(outs), conv3x3(outs, outs)
        self.dropout = dropout_of(dropout)
        self.shortcut = conv1x1(ins, outs, stride) if ins != outs else None

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        active = F.relu(self.bn1(x))
        y = self.conv2(self.dropout(F.relu(self.bn2(self.conv1(active)))))
        return y + (x if self.shortcut is None else self.shortcut(active))
