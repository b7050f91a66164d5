"""The loss between two networks: convex models have no barrier, permuted ones have, and nobody's weights change."""

from copy import deepcopy

import numpy as np
import pytest
import torch
from torch import nn
from torch.nn import functional

from dissensus.probe import barrier, image_batches
from dissensus.probe.batch_norm import renew_statistics
from dissensus.probe.path_figures import barrier_figure
from dissensus.probe.paths import LossCurve
from dissensus.train import Network
from tests.facts import refuses
from tests.train.pictures import CLASSES, blobs, tiny

HALF = (0.5, 0.5, 0.5)


def data(sizes=(20, 13, 7), features=6, classes=3, seed=0):
    rng = np.random.default_rng(seed)
    return [
        (
            torch.tensor(rng.normal(size=(size, features)), dtype=torch.float32),
            torch.tensor(rng.dirichlet(np.ones(classes), size), dtype=torch.float32),
        )
        for size in sizes
    ]


def mlp(seed, norm=False):
    torch.manual_seed(seed)
    layers = [nn.Linear(6, 16), nn.Tanh(), nn.Linear(16, 3)]
    return nn.Sequential(*layers[:1], nn.BatchNorm1d(16), *layers[1:]).eval() if norm else nn.Sequential(*layers)


def trained(module, batches, steps=60):
    optimizer = torch.optim.Adam(module.parameters(), lr=0.05)
    module.train()
    for _ in range(steps):
        for inputs, targets in batches:
            optimizer.zero_grad()
            functional.cross_entropy(module(inputs), targets).backward()
            optimizer.step()
    return module.eval()


def test_the_loss_at_each_point_is_that_of_the_averaged_weights():
    batches = data()
    first, second = mlp(0), mlp(1)
    way = barrier(first, second, batches, points=5)
    everything, targets = torch.cat([x for x, _ in batches]), torch.cat([y for _, y in batches])
    for t, loss in zip(way.renewed.at, way.renewed.loss, strict=True):
        between = mlp(2)
        for weight, a, b in zip(between.parameters(), first.parameters(), second.parameters(), strict=True):
            weight.data = (1 - t) * a.data + t * b.data
        expected = -(targets * between(everything).log_softmax(1)).sum(1).mean()
        assert loss == pytest.approx(expected.item(), rel=1e-5)


def test_a_linear_softmax_model_has_no_barrier_because_its_loss_is_convex():
    torch.manual_seed(5)
    first, second = nn.Linear(6, 3), nn.Linear(6, 3)
    with torch.no_grad():
        second.weight.mul_(4)
    curve = barrier(first, second, data(), points=9).renewed
    assert (np.diff(curve.loss, 2) >= -1e-6).all()
    assert curve.barrier < 0 < curve.above_mean


def test_the_same_units_in_another_order_are_as_good_and_lie_behind_a_barrier():
    labels = torch.arange(40) % 3
    batches = [(torch.randn(40, 6, generator=torch.Generator().manual_seed(1)), labels)]
    first = trained(mlp(0), batches)
    second = deepcopy(first)
    order = torch.randperm(16, generator=torch.Generator().manual_seed(2))
    with torch.no_grad():
        second[0].weight.copy_(first[0].weight[order])
        second[0].bias.copy_(first[0].bias[order])
        second[2].weight.copy_(first[2].weight[:, order])
    curve = barrier(first, second, batches).renewed
    assert curve.ends[0] == pytest.approx(curve.ends[1], abs=1e-5)
    assert curve.barrier > 0.3 and 0 < curve.highest < 1
    assert curve.above_mean == pytest.approx(curve.barrier, abs=1e-5)


@pytest.mark.parametrize("norm", [False, True])
def test_between_a_network_and_itself_nothing_rises(norm):
    module = mlp(3, norm)
    way = barrier(module, deepcopy(module), data())
    assert way.batch_norms == norm
    for curve in (way.interpolated, way.renewed):
        assert abs(curve.barrier) < 1e-6 and np.ptp(curve.loss) < 1e-6


def test_without_batch_norm_both_curves_are_the_same():
    way = barrier(mlp(0), mlp(1), data())
    assert way.batch_norms == 0 and np.array_equal(way.interpolated.loss, way.renewed.loss)
    assert "statistics" not in barrier_figure(way)


def test_renewed_statistics_take_away_what_only_unfitting_statistics_raised():
    """The second network is the first, 100 times as large before batch norm: with fitting statistics the same."""
    batches = [(data((40,))[0][0], torch.arange(40) % 3)]
    first = trained(mlp(0, norm=True), batches)
    renew_statistics(first, batches)
    second = deepcopy(first)
    with torch.no_grad():
        for part in (second[0].weight, second[0].bias, second[1].running_mean):
            part.mul_(100)
        second[1].running_var.mul_(100**2)
    way = barrier(first, second, batches)
    assert np.allclose(way.renewed.loss, way.interpolated.ends[0], atol=1e-4)
    assert abs(way.renewed.barrier) < 1e-4 < 0.01 < way.interpolated.barrier
    assert "renewed statistics" in barrier_figure(way)


def test_renewed_ends_are_those_of_the_network_with_statistics_of_the_given_data():
    module, batches, other_data = mlp(1, norm=True), data(), data((50,), seed=9)
    way = barrier(module, mlp(2, norm=True), batches, renew_statistics_on=other_data)
    hidden = module[0](other_data[0][0]).detach()
    norm = functional.batch_norm(
        module[0](torch.cat([x for x, _ in batches])), hidden.mean(0), hidden.var(0), module[1].weight, module[1].bias
    )
    targets = torch.cat([y for _, y in batches])
    expected = -(targets * module[3](module[2](norm)).log_softmax(1)).sum(1).mean()
    assert way.renewed.ends[0] == pytest.approx(expected.item(), rel=1e-5)
    assert way.renewed.ends[0] != way.interpolated.ends[0]


def test_one_hot_targets_and_classes_give_the_same_and_so_do_other_sizes_of_batches():
    codes = torch.arange(12) % 3
    inputs = data((12,))[0][0]
    hot = functional.one_hot(codes, 3).float()
    ways = [
        barrier(mlp(0), mlp(1), batches).renewed.loss
        for batches in ([(inputs, codes)], [(inputs, hot)], [(inputs[:11], hot[:11]), (inputs[11:], codes[11:])])
    ]
    assert np.allclose(ways[0], ways[1], atol=1e-6) and np.allclose(ways[0], ways[2], atol=1e-6)


def test_both_models_stay_as_they_were():
    first, second = mlp(0, norm=True), mlp(1, norm=True)
    before = [deepcopy(module.state_dict()) for module in (first, second)]
    barrier(first, second, data(), points=3)
    for module, held in zip((first, second), before, strict=True):
        assert all(torch.equal(value, held[name]) for name, value in module.state_dict().items())
        assert all(weight.requires_grad and weight.grad is None for weight in module.parameters())


def test_progress_counts_the_points():
    seen = []
    barrier(mlp(0), mlp(1), data(), points=4, progress=lambda done, total: seen.append((done, total)))
    assert seen == [(1, 4), (2, 4), (3, 4), (4, 4)]


def test_the_two_definitions_of_a_barrier_by_hand():
    curve = LossCurve(np.array([0, 0.25, 0.5, 0.75, 1]), np.array([1.0, 2.0, 4.0, 5.0, 3.0]))
    assert curve.barrier == pytest.approx(5 - 2.5) and curve.highest == 0.75 and curve.ends == (1.0, 3.0)
    assert curve.above_mean == pytest.approx(5 - 2)


def test_networks_that_differ_are_refused_with_what_differs():
    batches = data()
    with refuses("2.weight", "(3, 16) in the first", "(4, 16) in the second", "float32"):
        barrier(mlp(0), nn.Sequential(nn.Linear(6, 16), nn.Tanh(), nn.Linear(16, 4)), batches)
    with refuses("Tanh (1)", "the first", "ReLU (1)", "the second"):
        barrier(mlp(0), nn.Sequential(nn.Linear(6, 16), nn.ReLU(), nn.Linear(16, 3)), batches)
    with refuses("architectures", "4 and 5"):
        barrier(mlp(0), nn.Sequential(*mlp(0), nn.Identity()), batches)
    with refuses("0.weight is float32", "(16, 6) in the first", "float64 of shape (16, 6) in the second"):
        barrier(mlp(0), mlp(1).double(), batches)
    networks = [Network(tiny(), CLASSES, HALF, HALF), Network(tiny(), CLASSES[::-1], HALF, HALF)]
    with refuses("classes", "['red', 'green', 'blue'] and ['blue', 'green', 'red']"):
        barrier(*networks, batches)
    with refuses("std", "(0.5, 0.5, 0.5) and (0.25, 0.5, 0.5)", "image_batches(...)"):
        barrier(networks[0], Network(tiny(), CLASSES, HALF, (0.25, 0.5, 0.5)), batches)


def test_networks_that_normalise_images_differently_are_given_them_as_each_takes_them():
    images, shares = blobs(30)
    torch.manual_seed(4)
    first, second = Network(tiny(), CLASSES, HALF, HALF), Network(tiny(), CLASSES, (0.4, 0.5, 0.6), (0.2, 0.3, 0.25))
    way = barrier(first, second, image_batches(first, images, shares, batch=16), points=3)
    for end, network in zip(way.interpolated.ends, (first, second), strict=True):
        assert end == pytest.approx(-(shares.probs * np.log(network.probs(images))).sum(axis=1).mean(), rel=1e-5)
    middle = Network(tiny(), CLASSES, (0.45, 0.5, 0.55), (0.35, 0.4, 0.375))
    weights, ends = middle.module.state_dict(), [network.module.state_dict() for network in (first, second)]
    middle.module.load_state_dict(
        {
            name: (ends[0][name] + ends[1][name]) / 2 if weights[name].is_floating_point() else weights[name]
            for name in weights
        }
    )
    expected = -(shares.probs * np.log(middle.probs(images))).sum(axis=1).mean()
    assert way.interpolated.loss[1] == pytest.approx(expected, rel=1e-5)


def test_what_has_nothing_in_between_is_refused():
    class Places(nn.Linear):
        def __init__(self, first):
            super().__init__(6, 3)
            self.register_buffer("places", torch.tensor([first]))

    with refuses("places", "whole numbers", "differ"):
        barrier(Places(1), Places(2), data())
    broken = mlp(0)
    with torch.no_grad():
        broken[0].weight[0, 0] = np.nan
    with refuses("0.weight", "the second network", "1 of 96", "NaN"):
        barrier(mlp(0), broken, data())
    inputs, targets = data((4,))[0]
    with refuses("t = 0", "loss is NaN"):
        barrier(mlp(0), mlp(1), [(inputs * np.nan, targets)])


@pytest.mark.parametrize(
    ("batches", "options", "facts"),
    [
        (data(), {"points": 2}, ("points is 2", "3 or more")),
        ([], {}, ("no items", "(inputs, targets)")),
        (iter(data()), {}, ("batches is a list_iterator", "only once")),
        (data(), {"renew_statistics_on": iter(data())}, ("renew_statistics_on is a list_iterator", "only once")),
    ],
)
def test_bad_batches_and_options_are_refused(batches, options, facts):
    with refuses(*facts):
        barrier(mlp(0), mlp(1), batches, **options)


def test_weights_that_are_computed_from_others_are_copied_too():
    """torch.nn.utils.spectral_norm keeps the weight it computed as an attribute, which deepcopy refuses."""
    torch.manual_seed(0)
    networks = [nn.Sequential(nn.utils.spectral_norm(nn.Linear(4, 3))).eval() for _ in range(2)]
    inputs, targets = torch.randn(10, 4), torch.arange(10) % 3
    losses = [nn.functional.cross_entropy(network(inputs), targets).item() for network in networks]
    assert np.allclose(barrier(*networks, [(inputs, targets)]).interpolated.ends, losses)
