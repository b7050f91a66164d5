"""A head as a torch module, for its gradients."""

from __future__ import annotations

import torch
from torch import nn

from dissensus.train.heads.head import Head


def head_module(head: Head) -> nn.Sequential:
    """A module in eval mode with the weights of the head, in single precision: (n, d) -> (n, k) logits."""
    layers: list[nn.Module] = []
    for weight, bias in head.layers:
        linear = nn.Linear(weight.shape[1], weight.shape[0])
        with torch.no_grad():
            linear.weight.copy_(torch.tensor(weight))
            linear.bias.copy_(torch.tensor(bias))
        layers += [*([nn.GELU()] if layers else []), linear]
    return nn.Sequential(*layers).eval()
