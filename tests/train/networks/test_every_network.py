"""What holds for every network of the catalogue; a new one is tested here as soon as it has a name."""

from __future__ import annotations

import copy

import pytest
import torch
from torch import nn

from dissensus.train.networks import NETWORKS
from tests.train.networks.tiny import images, tiny


@pytest.mark.parametrize("name", NETWORKS)
@pytest.mark.parametrize(("classes", "channels", "side"), [(2, 1, 16), (5, 3, 32), (3, 4, 24)])
def test_images_of_any_kind_become_logits(name, classes, channels, side):
    network = tiny(name, classes=classes, channels=channels)
    logits = network(images(2, channels, side, side))
    assert logits.shape == (2, classes) and torch.isfinite(logits).all()
    assert network.eval()(images(3, channels, side, side + 8)).shape == (3, classes)


@pytest.mark.parametrize("name", NETWORKS)
def test_the_published_network_takes_the_images_it_was_made_for(name):
    with torch.device("meta"):
        assert NETWORKS[name](100)(torch.empty(2, 3, 32, 32)).shape == (2, 100)


@pytest.mark.parametrize("name", NETWORKS)
def test_a_wider_network_has_more_parameters_and_the_same_layers(name):
    networks = [tiny(name, width=width) for width in (1, 2, 5)]
    sizes = [sum(weights.numel() for weights in network.parameters()) for network in networks]
    assert sizes == sorted(set(sizes))
    assert all(network(images(2, 3, 16, 16)).shape == (2, 3) for network in networks)


@pytest.mark.parametrize(
    ("name", "depths"),
    [
        ("resnet18", (10, 18, 34)),
        ("resnet34a", (10, 18, 34)),
        ("resnet50", (50, 101)),
        ("resnet110", (8, 14, 20)),
        ("preact_resnet164", (11, 20)),
        ("vgg11", (11, 13, 15, 19)),
        ("wrn28_10", (10, 16)),
        ("resnext29_8x64", (11, 20)),
        ("densenet_bc_100_12", (10, 16)),
        ("pyramidnet110_270", (8, 14)),
        ("shake_shake26_2x64", (8, 14)),
        ("small", (1, 2, 4)),
        ("swift", (1, 2, 3)),
    ],
)
def test_the_depth_is_the_number_of_layers_on_the_way(name, depths):
    """Convolutions and linear layers in a row; shortcuts and the second branch of a block do not count."""
    for depth in depths:
        with torch.device("meta"):
            network = tiny(name, depth=depth)
        beside = ("shortcut", "skip", "branch2")
        layers = [
            path
            for path, layer in network.named_modules()
            if isinstance(layer, nn.Conv2d | nn.Linear) and not any(part in path for part in beside)
        ]
        if name == "small":  # counts its stages, of two convolutions each, behind a stem
            assert len(layers) == 2 * depth + 2
        elif name == "swift":  # counts its blocks, of two convolutions each, behind a fixed layer
            assert len(layers) == 2 * depth + 1
        elif NETWORKS[name].family == "densenet":  # the two transitions count too
            assert len(layers) == depth
        elif NETWORKS[name].family == "vgg":  # one linear layer for the three of the paper, see its module
            assert len(layers) == {11: 9, 13: 11, 15: 14, 19: 17}[depth]
        elif NETWORKS[name].family == "wide_resnet":  # the paper counts three projections and not the linear layer
            assert len(layers) + 2 == depth
        else:
            assert len(layers) == depth


@pytest.mark.parametrize("name", NETWORKS)
def test_the_last_layer_is_linear_and_gives_the_logits(name):
    network = tiny(name).eval()
    last = [layer for layer in network.modules() if isinstance(layer, nn.Linear)][-1]
    seen = []
    last.register_forward_hook(lambda layer, inputs, output: seen.append((inputs[0], output)))
    logits = network(images(4, 3, 16, 16))
    ((features, output),) = seen
    assert output is logits and features.shape == (4, last.in_features)
    assert [layer for layer in network.modules() if isinstance(layer, nn.Linear)] == [last]


@pytest.mark.parametrize("name", NETWORKS)
def test_a_step_reaches_every_parameter_and_leaves_the_images_alone(name):
    network, x = tiny(name), images(6, 3, 16, 16)
    before = x.clone()
    loss = nn.functional.cross_entropy(network(x), torch.tensor([0, 1, 2, 0, 1, 2]))
    loss.backward()
    for path, weights in network.named_parameters():
        assert weights.grad is not None and torch.isfinite(weights.grad).all(), path
    assert torch.equal(x, before)


@pytest.mark.parametrize("name", NETWORKS)
def test_a_few_steps_learn_a_few_images(name):
    network, x = tiny(name), images(9, 3, 16, 16)
    y = torch.arange(9) % 3
    rate = 0.3 if name == "swift" else 0.1  # that of its recipe: its features are scaled down
    optimiser = torch.optim.SGD(network.parameters(), lr=rate, momentum=0.9)
    losses = []
    with torch.random.fork_rng():
        torch.manual_seed(0)  # Shake-Shake draws
        for _ in range(15):
            optimiser.zero_grad()
            loss = nn.functional.cross_entropy(network(x), y)
            loss.backward()
            optimiser.step()
            losses.append(loss.item())
    assert min(losses[-5:]) < 0.8 * losses[0]


@pytest.mark.parametrize("name", NETWORKS)
def test_predictions_are_the_same_again_and_whatever_else_is_in_the_batch(name):
    network = tiny(name)
    network(images(8, 3, 16, 16, seed=2))  # moves the running statistics away from where they start
    network.eval()
    x = images(5, 3, 16, 16)
    with torch.no_grad():
        together = network(x)
        assert torch.equal(together, network(x))
        alone = torch.cat([network(x[[i]]) for i in range(5)])
        backwards = network(x.flip(0)).flip(0)
    assert torch.allclose(together, alone, rtol=1e-4, atol=1e-5)
    assert torch.allclose(together, backwards, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("name", NETWORKS)
def test_copies_channels_last_and_mixed_precision_give_nearly_the_same(name):
    network, x = tiny(name), images(4, 3, 16, 16)
    network(images(8, 3, 16, 16, seed=2))
    network.eval()
    with torch.no_grad():
        plain = network(x)
        last = copy.deepcopy(network).to(memory_format=torch.channels_last)
        assert torch.allclose(plain, last(x.to(memory_format=torch.channels_last)), rtol=1e-4, atol=1e-5)
        with torch.autocast("cpu", dtype=torch.bfloat16):
            coarse = network(x).float()
    assert torch.allclose(plain, coarse, atol=0.05 * (1 + plain.abs().max().item()))


@pytest.mark.parametrize("name", NETWORKS)
def test_curvature_is_the_same_by_two_roads(name):
    """A product with the Hessian: two derivatives, and how the gradient changes over a tiny step."""
    network, x = tiny(name).double().eval(), images(3, 3, 16, 16).double()
    # Fresh biases are 0, and ReLU has no derivative where everything before it is 0.
    weights = {key: value.detach() + 0.1 * images(*value.shape).double() for key, value in network.named_parameters()}
    along = {key: images(*value.shape, seed=3).double() for key, value in weights.items()}

    def loss(parameters):
        logits = torch.func.functional_call(network, parameters, (x,))
        return nn.functional.cross_entropy(logits, torch.tensor([0, 1, 2]))

    gradient, step = torch.func.grad(loss), 1e-7
    (products,) = torch.func.vjp(gradient, weights)[1](along)
    ahead, behind = (
        gradient({key: value + sign * step * along[key] for key, value in weights.items()}) for sign in (1, -1)
    )
    largest = max(product.abs().max().item() for product in products.values())
    assert largest > 0
    for key, product in products.items():
        assert torch.allclose(product, (ahead[key] - behind[key]) / (2 * step), rtol=1e-3, atol=1e-5 * largest), key


@pytest.mark.parametrize("name", [name for name in NETWORKS if name not in ("small", "swift")])
def test_weights_start_as_he_says(name):
    """Normal with variance 2 / (k^2 channels out), as in the released codes; normalisations as identity, biases 0."""
    network = tiny(name, width=16)
    for layer in network.modules():
        if isinstance(layer, nn.Conv2d) and layer.weight.numel() > 4000:
            expected = (2 / (layer.kernel_size[0] ** 2 * layer.out_channels)) ** 0.5
            assert layer.weight.std().item() == pytest.approx(expected, rel=0.06)  # 5 standard errors of 4000
            assert abs(layer.weight.mean().item()) < 5 * expected / layer.weight.numel() ** 0.5
        if isinstance(layer, nn.BatchNorm2d):
            assert (layer.weight == 1).all() and (layer.bias == 0).all()
        if isinstance(layer, nn.Conv2d | nn.Linear) and layer.bias is not None:
            assert (layer.bias == 0).all()
