"""VGG with batch normalisation and one linear layer, for small images.

Simonyan, Zisserman (2015), Very Deep Convolutional Networks for Large-Scale Image Recognition, ICLR, table 1: stages of
3 x 3 convolutions with max pooling behind each, here with batch normalisation behind each convolution. One linear layer
stands for the three of the paper, so the depth is a name more than a count: 11, 13 and 19 are columns A, B and E, and
15 is column D ("VGG-16"), which hysts/pytorch_image_classification, trained by Peterson et al. (2019), calls VGG-15.

Parameters, 10 classes: 9,231,114 (11) and 14,728,266 (15), also by kuangliu/pytorch-cifar.
"""

from __future__ import annotations

from torch import nn

from dissensus.train.networks.depths import plan_stages
from dissensus.train.networks.layers import assemble, name_layers

_STAGES = {11: (1, 1, 2, 2, 2), 13: (2, 2, 2, 2, 2), 15: (2, 2, 3, 3, 3), 19: (2, 2, 4, 4, 4)}


def vgg(classes: int, *, width: int, depth: int, channels: int) -> nn.Sequential:
    """Five stages, depth 11, 13, 15 or 19; `width` is the number of channels of the first stage.

    The stages behind it have 2, 4, 8 and 8 times as many. Pooling rounds sizes up, so images below 32 x 32 work
    too; what is left of larger ones is averaged.
    """
    ins, stages = channels, []
    for stage, convolutions in enumerate(plan_stages(depth, _STAGES)):
        outs = width * min(2**stage, 8)
        layers: list[nn.Module] = [convolution(outs if place else ins, outs) for place in range(convolutions)]
        stages.append([*layers, nn.MaxPool2d(2, ceil_mode=True)])
        ins = outs
    return assemble(nn.Identity(), stages, ins, classes)


def convolution(ins: int, outs: int) -> nn.Sequential:
    # The bias, which the normalisation takes out again, is part of the published counts.
    return name_layers(conv=nn.Conv2d(ins, outs, 3, padding=1), bn=nn.BatchNorm2d(outs), relu=nn.ReLU())
