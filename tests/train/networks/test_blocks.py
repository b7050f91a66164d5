"""Blocks: what reaches the next block unchanged, and where families meet."""

from __future__ import annotations

from functools import partial

import pytest
import torch
from torch import nn

from dissensus.train.networks import NETWORKS
from dissensus.train.networks.densenet import Dense
from dissensus.train.networks.preact_resnet import PreactBottleneck
from dissensus.train.networks.pyramidnet import Pyramidal
from dissensus.train.networks.resnet import Basic, Bottleneck, Padded
from dissensus.train.networks.wide_resnet import Wide
from tests.train.networks.tiny import images, tiny


@pytest.mark.parametrize("side", [6, 7])
def test_a_shortcut_without_parameters_takes_every_second_position_and_adds_zeros(side):
    """By a loop; odd sizes as the convolution beside it rounds them."""
    x = images(2, 3, side, side)
    y = Padded(5, 2)(x)
    assert y.shape == (2, 5, (side + 1) // 2, (side + 1) // 2) and (y[:, 3:] == 0).all()
    for row in range(y.shape[2]):
        for column in range(y.shape[3]):
            assert torch.equal(y[:, :3, row, column], x[:, :, 2 * row, 2 * column])


@pytest.mark.parametrize("block", [Basic, Bottleneck])
@pytest.mark.parametrize("shortcuts", ["identity", "projection"])
def test_a_block_whose_last_normalisation_is_zero_is_its_shortcut(block, shortcuts):
    for ins, outs, stride in ((8, 8, 1), (4, 8, 2), (4, 8, 1)):
        layer = block(ins, outs, stride, shortcuts)
        nn.init.zeros_((layer.bn2 if block is Basic else layer.bn3).weight)
        x = images(3, ins, 5, 5)
        assert torch.equal(layer.eval()(x), layer.shortcut(x).relu())
        if ins == outs:
            assert torch.equal(layer(x), x.relu())


def test_a_pyramidal_shortcut_averages_positions_where_the_image_shrinks():
    layer, x = Pyramidal(3, 5, 2).eval(), images(2, 3, 6, 6)
    nn.init.zeros_(layer.bn3.weight)
    y = layer(x)
    assert y.shape == (2, 5, 3, 3) and (y[:, 3:] == 0).all()
    assert torch.allclose(y[:, :3], x.unfold(2, 2, 2).unfold(3, 2, 2).mean((4, 5)))


def test_channels_of_a_pyramid_grow_by_the_same_at_every_block():
    """110 layers, alpha = 270: 54 blocks, 5 more channels each, 286 at the end, as the authors' table has it."""
    with torch.device("meta"):
        network = NETWORKS["pyramidnet110_270"]()
    outs = [layer.outs for layer in network.modules() if isinstance(layer, Pyramidal)]
    assert outs == list(range(21, 287, 5))


def test_the_network_that_uma_and_collins_trained_as_resnet_34a():
    """Their released code: 3 stages of 7 blocks, 16-32-64, option A. Its biases in front of normalisations, one for
    each output of 43 convolutions, are all that ours lacks.
    """
    with torch.device("meta"):
        network = NETWORKS["resnet110"](depth=44)
    convolutions = [layer for layer in network.modules() if isinstance(layer, nn.Conv2d)]
    assert len(convolutions) == 1 + 2 * 7 * 3
    assert [len(stage) for stage in (network.stage1, network.stage2, network.stage3)] == [7, 7, 7]
    assert sum(weights.numel() for weights in network.parameters()) == 658_586
    with_biases = 658_586 + sum(layer.out_channels for layer in convolutions)
    assert with_biases == 658_586 + 16 + 14 * (16 + 32 + 64)


def test_dropout_works_in_training_alone():
    for name in ("wrn28_10", "densenet_bc_100_12"):
        network, x = tiny(name, dropout=0.5), images(4, 3, 16, 16)
        torch.manual_seed(0)
        assert not torch.allclose(network(x), network(x))
        network.eval()
        assert torch.equal(network(x), network(x))
        plain = tiny(name)
        plain.load_state_dict(network.state_dict())
        assert torch.equal(plain.eval()(x), network(x))
        before = torch.get_rng_state()
        plain.train()(x)
        assert torch.equal(torch.get_rng_state(), before), "dropout of 0 draws nothing"


def test_dropout_of_a_wide_block_stands_behind_the_relu_and_leaves_the_statistics_of_its_normalisation_alone():
    """Zagoruyko and Komodakis (2016), sec. 2.4, and their released code: BN - relu - dropout - conv3x3."""
    torch.manual_seed(0)
    with_dropout, without = Wide(4, 4, 1, dropout=0.9), Wide(4, 4, 1, dropout=0.0)
    without.load_state_dict(with_dropout.state_dict())
    x = images(8, 4, 6, 6)
    assert not torch.allclose(with_dropout(x), without(x))
    assert torch.equal(with_dropout.bn2.running_var, without.bn2.running_var)


@pytest.mark.parametrize("stem", [64, 8])
def test_a_resnext_with_one_group_is_a_bottleneck_resnet(stem):
    """Two families, one function: with cardinality 1 the weights of one network fit the other and give the same."""
    grouped = tiny("resnext29_8x64", width=stem, cardinality=1, stem=stem)
    plain = tiny("resnet110", width=stem, depth=11, block="bottleneck", shortcuts="projection", seed=1)
    plain.load_state_dict(grouped.state_dict())
    x = images(2, 3, 16, 16)
    assert torch.allclose(grouped(x), plain(x), atol=1e-6)


@pytest.mark.parametrize("block", [PreactBottleneck, partial(Wide, dropout=0.0)])
def test_activation_comes_before_the_block_and_where_channels_grow_before_its_shortcut_too(block):
    """With a last convolution of zeros: the input itself, not its activation; or a projection of the activation."""
    for ins, outs, stride in ((8, 8, 1), (4, 8, 2)):
        layer, x = block(ins, outs, stride), images(3, ins, 6, 6)
        nn.init.zeros_((layer.conv3 if hasattr(layer, "conv3") else layer.conv2).weight)
        layer.eval()
        active = layer.bn1(x).relu()
        expected = x if ins == outs else torch.einsum("oi,bihw->bohw", layer.shortcut.weight[:, :, 0, 0], active)
        assert torch.allclose(layer(x), expected[:, :, ::stride, ::stride], atol=1e-6)


def test_a_dense_layer_keeps_what_it_was_given_and_adds_to_it():
    layer, x = Dense(6, 4, 0.0), images(3, 6, 5, 5)
    y = layer(x)
    assert y.shape == (3, 10, 5, 5) and torch.equal(y[:, :6], x)
