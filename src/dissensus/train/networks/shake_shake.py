"""Shake-Shake: two branches in every block, mixed at random while training.

Gastaldi (2017), Shake-Shake Regularization, arXiv 1705.07485, and its released code (xgastaldi/shake-shake):

    y = skip(x) + alpha branch1(x) + (1 - alpha) branch2(x)

"Shake-Shake-Image" draws alpha anew for every image, block and step, uniform on [0, 1], and the gradient goes through
another draw, beta, in its place. Outside training both are 1/2. If channels grow, the skip joins two 1 x 1
convolutions, of the image and of the image moved by one position, each giving half of the channels.

26 layers, two branches of 64 channels ("26 2x64d"), 10 classes: 11,709,514 parameters, as
hysts/pytorch_image_classification had in 2018, when Peterson et al. (2019) trained it. There, and here by default, the
stem is as wide as the first stage; in the released code it has 16 channels: `stem=16` makes that one, 11,653,978
parameters, 55,536 fewer. Everything else is as in the released code, also that ReLU comes before the mean and not
behind the stem, where hysts' had it.
"""

from __future__ import annotations

from typing import Any

import torch
import torch.nn.functional as F  # noqa: N812 (its usual name)
from torch import nn

from dissensus.train.networks.depths import blocks_per_stage, check_count
from dissensus.train.networks.layers import assemble, conv1x1, conv3x3, name_layers, stages_of


def shake_shake(classes: int, *, width: int, depth: int, channels: int, stem: int | None = None) -> nn.Sequential:
    """Three stages, depth 6n + 2; `width` is the number of channels of each branch in the first stage, then doubled.

    stem  the channels of the stem, if not those of the first stage
    """
    if stem is not None:
        check_count("stem", stem)
        if width == 1 != stem:
            raise ValueError(f"width is 1; expected 2 or more with a stem of {stem}, as the skip halves its channels")
    blocks = blocks_per_stage(depth, 6, 2)
    ins, outs = stem or width, [width, 2 * width, 4 * width]
    start = name_layers(conv=conv3x3(channels, ins), bn=nn.BatchNorm2d(ins))
    return assemble(start, stages_of(Shaken, ins, outs, [blocks] * 3), outs[-1], classes, name_layers(relu=nn.ReLU()))


class Shaken(nn.Module):
    """Two branches of relu - conv3x3 - BN - relu - conv3x3 - BN, mixed, beside the skip."""

    def __init__(self, ins: int, outs: int, stride: int) -> None:
        super().__init__()
        self.branch1, self.branch2 = branch(ins, outs, stride), branch(ins, outs, stride)
        self.skip: nn.Module = nn.Identity() if ins == outs and stride == 1 else Skip(ins, outs, stride)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        first, second = self.branch1(x), self.branch2(x)
        if not self.training:
            return self.skip(x) + (first + second) / 2
        alpha, beta = torch.rand(2, len(x), 1, 1, 1, dtype=first.dtype, device=x.device)
        return self.skip(x) + Mix.apply(first, second, alpha, beta)


class Mix(torch.autograd.Function):
    """alpha first + (1 - alpha) second, with the gradient of beta first + (1 - beta) second."""

    generate_vmap_rule = True

    @staticmethod
    def forward(first: torch.Tensor, second: torch.Tensor, alpha: torch.Tensor, beta: torch.Tensor) -> torch.Tensor:
        return alpha * first + (1 - alpha) * second

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[torch.Tensor, ...], output: torch.Tensor) -> None:
        ctx.save_for_backward(inputs[3])

    @staticmethod
    def backward(ctx: Any, gradient: torch.Tensor) -> tuple[torch.Tensor | None, ...]:
        (beta,) = ctx.saved_tensors
        return beta * gradient, (1 - beta) * gradient, None, None


class Skip(nn.Module):
    """BN of two 1 x 1 convolutions side by side; the second sees the image moved one position right and down."""

    def __init__(self, ins: int, outs: int, stride: int) -> None:
        super().__init__()
        self.stride = stride
        self.conv1, self.conv2 = conv1x1(ins, outs - outs // 2, stride), conv1x1(ins, outs // 2, stride)
        self.bn = nn.BatchNorm2d(outs)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        active = F.relu(x)
        moved = F.pad(active, (1, -1, 1, -1))
        return self.bn(torch.cat([self.conv1(active), self.conv2(moved)], dim=1))


def branch(ins: int, outs: int, stride: int) -> nn.Sequential:
    conv1, conv2 = conv3x3(ins, outs, stride), conv3x3(outs, outs)
    return name_layers(
        relu1=nn.ReLU(), conv1=conv1, bn1=nn.BatchNorm2d(outs), relu2=nn.ReLU(), conv2=conv2, bn2=nn.BatchNorm2d(outs)
    )
