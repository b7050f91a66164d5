"""The faster second derivatives are those of torch."""

import pytest
import torch
from torch import nn

from dissensus.probe.convolutions import FastSecondDerivatives

LAYERS = {
    "plain": nn.Conv2d(4, 6, 3),
    "stride, padding, no bias": nn.Conv2d(4, 6, 3, stride=(2, 1), padding=(1, 2), bias=False),
    "dilated groups": nn.Conv2d(4, 8, 3, dilation=2, padding=2, groups=2),
    "depthwise": nn.Conv2d(4, 4, 3, groups=4),
    "padding by name": nn.Conv2d(4, 6, 3, padding="same"),
    "reflected": nn.Conv2d(4, 6, 3, padding=1, padding_mode="reflect"),
    "one pixel": nn.Conv2d(4, 6, 1),
    "batch norm": nn.BatchNorm2d(4),
    "batch norm without weights": nn.BatchNorm2d(4, affine=False),
    "bias and batch norm": nn.Sequential(nn.Conv2d(4, 6, 3, groups=2), nn.BatchNorm2d(6)),
    "changed in place": nn.Sequential(nn.Conv2d(4, 6, 3), nn.ReLU(inplace=True), nn.BatchNorm2d(6)),
    "in a row": nn.Sequential(nn.Conv2d(4, 6, 3, stride=2), nn.BatchNorm2d(6), nn.ReLU(), nn.Conv2d(6, 2, 2)),
}


@pytest.mark.parametrize("name", LAYERS)
@pytest.mark.parametrize("trained", [True, False])
def test_values_gradients_and_second_derivatives(name, trained):
    torch.manual_seed(0)
    layer = LAYERS[name].double().eval()
    x = torch.randn(3, 4, 7, 8, dtype=torch.double, requires_grad=True)
    wanted = [x, *layer.parameters()] if trained else [x]

    def second(mode):
        with mode:
            out = layer(x)
        first = torch.autograd.grad(out.tanh().square().sum(), wanted, create_graph=True)
        torch.manual_seed(1)
        along = [torch.randn_like(g) for g in first]
        return out, *first, *torch.autograd.grad(first, wanted, along)

    native = second(torch.enable_grad())
    for mode in (FastSecondDerivatives(), FastSecondDerivatives(fold=True)):
        for ours, theirs in zip(second(mode), native, strict=True):
            assert torch.allclose(ours, theirs, rtol=1e-10, atol=1e-12)
