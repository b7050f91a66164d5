"""EfficientNet-Lite0 without its classes, as plain functions of its released weights.

Tan, Le (2019), EfficientNet, with the changes of the Lite variants: ReLU6 for swish, no squeeze and excitation.
"""

from __future__ import annotations

from collections.abc import Mapping

import torch
import torch.nn.functional as F  # noqa: N812 (its usual name)

Weights = Mapping[str, tuple[torch.Tensor, torch.Tensor]]

# (blocks, stride of the first) by stage; kernel sizes and widths are those of the weights.
_STAGES = ((1, 1), (2, 2), (2, 2), (3, 2), (3, 1), (4, 2), (1, 1))
_EPSILON = 1e-3


def lite0_weights(state: Mapping[str, torch.Tensor]) -> Weights:
    """Kernel and bias of each convolution, with its batch normalisation folded in.

    W' = W gamma / sqrt(var + eps);   b' = beta - mean gamma / sqrt(var + eps)
    """
    pairs = {"_conv_stem": "_bn0", "_conv_head": "_bn1"}
    for block in range(sum(blocks for blocks, _ in _STAGES)):
        for convolution, norm in (("_expand_conv", "_bn0"), ("_depthwise_conv", "_bn1"), ("_project_conv", "_bn2")):
            if f"_blocks.{block}.{convolution}.weight" in state:
                pairs[f"_blocks.{block}.{convolution}"] = f"_blocks.{block}.{norm}"
    folded = {}
    for convolution, norm in pairs.items():
        scale = state[f"{norm}.weight"] / torch.sqrt(state[f"{norm}.running_var"] + _EPSILON)
        kernel = state[f"{convolution}.weight"] * scale[:, None, None, None]
        folded[convolution] = (kernel, state[f"{norm}.bias"] - state[f"{norm}.running_mean"] * scale)
    return folded


def lite0_features(images: torch.Tensor, weights: Weights) -> torch.Tensor:
    """Mean over positions of the last layer.  images: (n, 3, h, w) -> (n, 1280)"""
    x = F.relu6(_same(images, weights["_conv_stem"], stride=2))
    block = 0
    for blocks, first_stride in _STAGES:
        for place in range(blocks):
            x = _inverted_bottleneck(x, weights, f"_blocks.{block}", first_stride if place == 0 else 1)
            block += 1
    return F.relu6(_same(x, weights["_conv_head"])).mean(dim=(2, 3))


def _inverted_bottleneck(x: torch.Tensor, weights: Weights, block: str, stride: int) -> torch.Tensor:
    expand, project = weights.get(f"{block}._expand_conv"), weights[f"{block}._project_conv"]
    wide = x if expand is None else F.relu6(_same(x, expand))
    deep = F.relu6(_same(wide, weights[f"{block}._depthwise_conv"], stride, groups=wide.shape[1]))
    out = _same(deep, project)
    return out + x if stride == 1 and out.shape == x.shape else out


def _same(
    x: torch.Tensor, weights: tuple[torch.Tensor, torch.Tensor], stride: int = 1, groups: int = 1
) -> torch.Tensor:
    """A convolution padded as TensorFlow does: an odd remainder goes to the right and below."""
    kernel, bias = weights
    missing = [max((-(-size // stride) - 1) * stride + kernel.shape[2] - size, 0) for size in x.shape[2:]]
    (top, bottom), (left, right) = ((m // 2, m - m // 2) for m in missing)
    return F.conv2d(F.pad(x, (left, right, top, bottom)), kernel, bias, stride, groups=groups)
