"""Parts shared by the families: convolutions without bias, stages to logits, and initial weights.

No layer writes into its input, so that second derivatives and `torch.func` work on every network.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterable, Sequence

import torch
import torch.nn.functional as F  # noqa: N812 (its usual name)
from torch import nn


def conv3x3(ins: int, outs: int, stride: int = 1, groups: int = 1) -> nn.Conv2d:
    return nn.Conv2d(ins, outs, 3, stride, padding=1, groups=groups, bias=False)


def conv1x1(ins: int, outs: int, stride: int = 1) -> nn.Conv2d:
    return nn.Conv2d(ins, outs, 1, stride, bias=False)


def name_layers(**parts: nn.Module) -> nn.Sequential:
    """Layers one after the other, under these names."""
    return nn.Sequential(OrderedDict(parts))


def dropout_of(share: float) -> nn.Module:
    """Dropout, or nothing at all if its share is 0: torch would draw numbers for that too."""
    return nn.Dropout(share) if share else nn.Identity()


def more_channels(x: torch.Tensor, channels: int) -> torch.Tensor:
    """Maps of zeros behind those of x, up to so many.  (b, c, h, w) -> (b, channels, h, w)"""
    return F.pad(x, (0, 0, 0, 0, 0, channels - x.shape[1]))


def stages_of(
    block: Callable[[int, int, int], nn.Module], ins: int, outs: Sequence[int], blocks: Sequence[int]
) -> list[list[nn.Module]]:
    """Stages of block(channels in, channels out, stride); every stage but the first halves the image."""
    stages = []
    for number, (channels, count) in enumerate(zip(outs, blocks, strict=True)):
        first = block(ins, channels, 1 if number == 0 else 2)
        stages.append([first, *(block(channels, channels, 1) for _ in range(count - 1))])
        ins = channels
    return stages


def assemble(
    stem: nn.Module, stages: Iterable[Iterable[nn.Module]], features: int, classes: int, last: nn.Module | None = None
) -> nn.Sequential:
    """Stem, stages of blocks, perhaps a last normalisation, mean over positions, linear layer; with fresh weights.

    Convolutions start as He et al. (2015), Delving Deep into Rectifiers, sec. 2.2, backward case: normal with variance
    2 / (k^2 channels out), biases 0; batch normalisation as identity; the last layer as torch does it, uniform
    up to 1 / sqrt(features), with biases 0. So do the released Torch codes of all residual families here.
    Weights are drawn from torch's global generator.
    """
    parts: dict[str, nn.Module] = {"stem": stem}
    parts |= {f"stage{number}": nn.Sequential(*blocks) for number, blocks in enumerate(stages, start=1)}
    if last is not None:
        parts["last"] = last
    parts |= {"pool": nn.AdaptiveAvgPool2d(1), "flatten": nn.Flatten(), "linear": nn.Linear(features, classes)}
    network = name_layers(**parts)
    for layer in network.modules():
        if isinstance(layer, nn.Conv2d):
            nn.init.kaiming_normal_(layer.weight, mode="fan_out", nonlinearity="relu")
        if isinstance(layer, nn.Conv2d | nn.Linear) and layer.bias is not None:
            nn.init.zeros_(layer.bias)
    return network
