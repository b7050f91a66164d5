"""Residual networks with normalisation and ReLU before each convolution.

He, Zhang, Ren, Sun (2016), Identity Mappings in Deep Residual Networks, ECCV, and its released code
(KaimingHe/resnet-1k-layers): a stem of 16 channels, stages of 64, 128 and 256. If channels grow, normalisation and
ReLU come before the block and its shortcut alike, and the shortcut is a bare 1 x 1 convolution.

164 layers, 10 classes: 1,703,258 parameters, as that code and osmr/imgclsmob have. In
hysts/pytorch_image_classification, which Peterson et al. (2019) trained, the first stage stays at 16 channels (4 inside
each block) instead of growing to 64: 1,619,290 by the same sum, 83,968 fewer. The stride stands in the 3 x 3
convolution, as there; the released code has it in the 1 x 1 before.
"""

from __future__ import annotations

import torch
import torch.nn.functional as F  # noqa: N812 (its usual name)
from torch import nn

from dissensus.train.networks.depths import blocks_per_stage
from dissensus.train.networks.layers import assemble, conv1x1, conv3x3, name_layers, stages_of


def preact_resnet(classes: int, *, width: int, depth: int, channels: int) -> nn.Sequential:
    """Three stages of bottlenecks, depth 9n + 2; `width` is the number of channels of the stem.

    Blocks end with 4, 8 and 16 times the width, and have a quarter of that inside.
    """
    blocks = blocks_per_stage(depth, 9, 2)
    outs = [4 * width, 8 * width, 16 * width]
    stages = stages_of(PreactBottleneck, width, outs, [blocks] * 3)
    last = name_layers(bn=nn.BatchNorm2d(outs[-1]), relu=nn.ReLU())
    return assemble(name_layers(conv=conv3x3(channels, width)), stages, outs[-1], classes, last)


class PreactBottleneck(nn.Module):
    """Three times convolution(relu(BN(.))), added to the input, or to its projection if channels grow."""

    def __init__(self, ins: int, outs: int, stride: int) -> None:
        super().__init__()
        inner = outs // 4
        self.bn1, self.conv1 = nn.BatchNorm2d(ins), conv1x1(ins, inner)
        self.bn2, self.conv2 = nn.BatchNorm2d(inner), conv3x3(inner, inner, stride)
        self.bn3, self.conv3 = nn.BatchNorm2d(inner), conv1x1(inner, outs)
        self.shortcut = conv1x1(ins, outs, stride) if ins != outs else None

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        active = F.relu(self.bn1(x))
        y = self.conv2(F.relu(self.bn2(self.conv1(active))))
        y = self.conv3(F.relu(self.bn3(y)))
        return y + (x if self.shortcut is None else self.shortcut(active))
