"""Residual networks: 18, 34 and 50 layers adapted to small images, and the thin ones made for CIFAR.

He, Zhang, Ren, Sun (2016), Deep Residual Learning for Image Recognition, CVPR.

Four stages (table 1) have the widths 64-128-256-512; for images of 32 x 32 the stem is a 3 x 3 convolution with stride
1 and there is no pooling behind it, as in kuangliu/pytorch-cifar. Three stages (sec. 4.2) have 16-32-64.

Where the number of channels grows, the shortcut is either

    projection   a 1 x 1 convolution and batch normalisation (option B of sec. 3.3)
    identity     the input at every second position, with maps of zeros behind it (option A): no parameters

Parameters, 10 classes. The paper uses option A for all networks of sec. 4.2: ResNet-110 has 1,727,962 parameters, and
1,730,714 with projections, as hysts/pytorch_image_classification and osmr/imgclsmob make it: 2,752 more, which are two
1 x 1 convolutions (16 to 32, 32 to 64) with their normalisations. `shortcuts="projection"` makes theirs.

"ResNet-34A" is the row "ResNet-34 A" of table 3: 34 layers, option A; with the stem for small images it has 21,108,298
parameters, 173,824 fewer than with projections (21,282,122). Uma et al. (2020), A Case for Soft Loss Functions, and
Collins et al. (2022), Eliciting and Learning with Soft Labels, name it so for CIFAR-10H, but the code that both
released makes another one by that name: three stages of 7 blocks, 16-32-64, option A, which by sec. 4.2 is a ResNet-44.
To follow their numbers, take `NETWORKS["resnet110"](depth=44)`; it lacks only the biases of their convolutions, which
the batch normalisation behind each takes out again, and starts from He's weights instead of torch's usual ones.
"""

from __future__ import annotations

from functools import partial

import torch
import torch.nn.functional as F  # noqa: N812 (its usual name)
from torch import nn

from dissensus.train.networks.depths import blocks_per_stage, check_choice, plan_stages
from dissensus.train.networks.layers import assemble, conv1x1, conv3x3, more_channels, name_layers, stages_of

# Table 1 of the paper; 10 layers, one block for each stage, are not in it.
_FOUR_STAGES = {
    "basic": {10: (1, 1, 1, 1), 18: (2, 2, 2, 2), 34: (3, 4, 6, 3)},
    "bottleneck": {50: (3, 4, 6, 3), 101: (3, 4, 23, 3), 152: (3, 8, 36, 3)},
}


def resnet(
    classes: int,
    *,
    width: int,
    depth: int,
    channels: int,
    block: str = "basic",
    stages: int = 4,
    shortcuts: str = "projection",
) -> nn.Sequential:
    """A residual network; `width` is the number of channels of the stem and of the first stage, doubled at each stage.

    block      "basic" (two 3 x 3 convolutions) or "bottleneck" (1 x 1, 3 x 3, 1 x 1 to four times the channels)
    stages     4: depth 10, 18, 34 (basic) or 50, 101, 152 (bottleneck); 3: depth 6n + 2 (basic) or 9n + 2 (bottleneck)
    shortcuts  "projection" or "identity", if channels grow
    """
    check_choice("block", block, _FOUR_STAGES)
    check_choice("stages", stages, (4, 3))
    check_choice("shortcuts", shortcuts, ("projection", "identity"))
    basic = block == "basic"
    if stages == 4:
        plan = plan_stages(depth, _FOUR_STAGES[block])
    else:
        plan = (blocks_per_stage(depth, 6 if basic else 9, 2),) * 3
    made = partial(Basic if basic else Bottleneck, shortcuts=shortcuts)
    outs = [width * 2**stage * (1 if basic else 4) for stage in range(stages)]
    stem = name_layers(conv=conv3x3(channels, width), bn=nn.BatchNorm2d(width), relu=nn.ReLU())
    return assemble(stem, stages_of(made, width, outs, plan), outs[-1], classes)


class Basic(nn.Module):
    """relu( BN(conv3x3( relu(BN(conv3x3(x))) )) + shortcut(x) )"""

    def __init__(self, ins: int, outs: int, stride: int, shortcuts: str) -> None:
        super().__init__()
        self.conv1, self.bn1 = conv3x3(ins, outs, stride), nn.BatchNorm2d(outs)
        self.conv2, self.bn2 = conv3x3(outs, outs), nn.BatchNorm2d(outs)
        self.shortcut = shortcut_of(ins, outs, stride, shortcuts)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = F.relu(self.bn1(self.conv1(x)))
        return F.relu(self.bn2(self.conv2(y)) + self.shortcut(x))


class Bottleneck(nn.Module):
    """The same with 1 x 1, 3 x 3 and 1 x 1; the stride stands in the 3 x 3 convolution."""

    def __init__(self, ins: int, outs: int, stride: int, shortcuts: str) -> None:
        super().__init__()
        inner = outs // 4
        self.conv1, self.bn1 = conv1x1(ins, inner), nn.BatchNorm2d(inner)
        self.conv2, self.bn2 = conv3x3(inner, inner, stride), nn.BatchNorm2d(inner)
        self.conv3, self.bn3 = conv1x1(inner, outs), nn.BatchNorm2d(outs)
        self.shortcut = shortcut_of(ins, outs, stride, shortcuts)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = F.relu(self.bn1(self.conv1(x)))
        y = F.relu(self.bn2(self.conv2(y)))
        return F.relu(self.bn3(self.conv3(y)) + self.shortcut(x))


def shortcut_of(ins: int, outs: int, stride: int, shortcuts: str) -> nn.Module:
    if ins == outs and stride == 1:
        return nn.Identity()
    if shortcuts == "identity":
        return Padded(outs, stride)
    return name_layers(conv=conv1x1(ins, outs, stride), bn=nn.BatchNorm2d(outs))


class Padded(nn.Module):
    """Every `stride`-th position, with maps of zeros behind those of the input."""

    def __init__(self, outs: int, stride: int) -> None:
        super().__init__()
        self.outs, self.stride = outs, stride

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return more_channels(x[:, :, :: self.stride, :: self.stride], self.outs)
