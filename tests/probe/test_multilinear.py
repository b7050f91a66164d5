"""Which logits are linear in each tensor of weights, piece by piece."""

import pytest
import torch
from torch import nn

from dissensus.probe.multilinear import not_linear_in_each
from dissensus.train import NETWORKS
from tests.facts import states

ROWS = torch.randn(2, 4)


@pytest.mark.parametrize("name", NETWORKS)
def test_every_network_of_ours_is(name):
    with torch.device("meta"):
        module = NETWORKS[name](classes=10).eval()
        reason = not_linear_in_each(module(torch.empty(2, 3, 32, 32)))
    assert (reason is None) == (name != "swift"), reason  # whose GELU has a second derivative


LAYER = nn.Linear(4, 4)


@pytest.mark.parametrize(
    ("outputs", "facts"),
    [
        (lambda: LAYER(ROWS), None),
        (lambda: nn.functional.leaky_relu(LAYER(ROWS)) * 3 / 2 - 1, None),
        (lambda: LAYER(ROWS) * ROWS, None),
        (lambda: nn.Linear(4, 2)(nn.PReLU()(LAYER(ROWS))), None),
        (lambda: LAYER(LAYER(ROWS)), ("Addmm", "multiplies")),
        (lambda: LAYER(ROWS) * LAYER(ROWS), ("Mul", "multiplies")),
        (lambda: 1 / LAYER(ROWS), ("Reciprocal", "not known")),
        (lambda: LAYER(ROWS).tanh(), ("Tanh", "not known")),
        (lambda: nn.LayerNorm(4)(LAYER(ROWS)), ("NativeLayerNorm", "not known")),
        (lambda: nn.functional.scaled_dot_product_attention(*[LAYER(ROWS)[None]] * 3), ("not known",)),
        (lambda: Squared.apply(LAYER(ROWS)), ("Squared", "not known")),
        (lambda: ROWS, None),
        (lambda: nn.BatchNorm1d(4).eval()(LAYER(ROWS)), None),
        (lambda: nn.BatchNorm1d(4, track_running_stats=False).eval()(LAYER(ROWS)), ("mean and variance",)),
        (lambda: nn.InstanceNorm1d(2).eval()(LAYER(ROWS)[None]), ("mean and variance",)),
    ],
)
def test_steps_are_read_from_the_graph(outputs, facts):
    why = not_linear_in_each(outputs())
    assert why is None if facts is None else states(why, *facts)


class Squared(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x**2

    @staticmethod
    def backward(ctx, g):
        return g
