"""Slices of the loss: their middle is the network, directions are as long as its filters, planes keep distances."""

from copy import deepcopy

import numpy as np
import pytest
import torch
from torch import nn

from dissensus.probe import barrier, loss_line, loss_plane, plane_through, random_direction
from dissensus.probe.path_figures import line_figure, plane_figure
from dissensus.probe.paths import mean_loss
from dissensus.train import Network
from tests.facts import refuses
from tests.probe.curved import rng
from tests.probe.test_paths import HALF, data, mlp
from tests.train.pictures import CLASSES, tiny


def test_each_filter_of_a_random_direction_is_as_long_as_that_of_the_network():
    network = Network(tiny().requires_grad_(False), CLASSES, HALF, HALF)
    direction = random_direction(network, rng())
    for name, weight in network.module.named_parameters():
        assert bool(direction[name].any()) == (weight.ndim > 1)
        if weight.ndim > 1:
            lengths = [[float(row.norm()) for row in part] for part in (direction[name], weight)]
            assert lengths[0] == pytest.approx(lengths[1], rel=1e-5)
    moved = random_direction(network, rng(), biases=True)
    for name, weight in network.module.named_parameters():
        assert float(moved[name].norm()) == pytest.approx(float(weight.norm()), rel=1e-5)


def test_a_line_has_the_network_in_its_middle_and_goes_both_ways():
    module, batches = mlp(0, norm=True), data()
    direction = random_direction(module, rng())
    line = loss_line(module, batches, direction, span=0.5, points=5)
    assert line.at.tolist() == [-0.5, -0.25, 0, 0.25, 0.5]
    assert line.loss[2] == pytest.approx(mean_loss(module, batches))
    moved = deepcopy(module)
    with torch.no_grad():
        for name, weight in moved.named_parameters():
            weight.sub_(0.25 * direction[name])
    assert line.loss[1] == pytest.approx(mean_loss(moved, batches), rel=1e-6)


def test_a_plane_holds_the_lines_along_its_directions():
    module, batches = mlp(0), data()
    across, up = random_direction(module, rng(1)), random_direction(module, rng(2))
    plane = loss_plane(module, batches, (across, up), span=0.3, points=5)
    assert np.allclose(plane.loss[2], loss_line(module, batches, across, span=0.3, points=5).loss, atol=1e-6)
    assert np.allclose(plane.loss[:, 2], loss_line(module, batches, up, span=0.3, points=5).loss, atol=1e-6)
    assert plane.places.tolist() == [[0, 0]]


def test_the_way_to_another_network_is_a_slice_as_well():
    first, second, batches = mlp(0), mlp(1), data()
    direction = {name: dict(second.named_parameters())[name] - weight for name, weight in first.named_parameters()}
    line = loss_line(first, batches, direction, points=5)
    assert np.allclose(line.loss[2:], barrier(first, second, batches, points=3).renewed.loss, atol=1e-5)


def test_a_plane_through_three_networks_keeps_their_distances_and_their_losses():
    models, batches = [mlp(seed, norm=True) for seed in range(3)], data((40,))
    plane = plane_through(models, batches, points=3, margin=0)
    flat = [nn.utils.parameters_to_vector(module.parameters()).detach().double().numpy() for module in models]
    for i in range(3):
        for j in range(i):
            assert np.hypot(*(plane.places[i] - plane.places[j])) == pytest.approx(np.linalg.norm(flat[i] - flat[j]))
    way = barrier(models[0], models[1], batches, points=3).renewed
    assert plane.places[2, 0] > 0 and plane.places[2, 0] < plane.places[1, 0]
    assert np.allclose(plane.loss[0], way.loss, atol=1e-5)


def test_figures_say_what_they_show():
    module, batches = mlp(0), data()
    line = loss_line(module, batches, random_direction(module, rng()))
    assert "random: " in line_figure({"random": line})
    plane = plane_through([mlp(seed) for seed in range(3)], batches, points=4)
    drawn = plane_figure(plane, "distance", "distance to the third")
    assert drawn.count("<g><circle") == 3
    assert f"{plane.loss.min():.3g}" in drawn and f"{plane.loss.max():.3g}" in drawn


def test_invalid_slices_are_refused():
    module, batches = mlp(0), data()
    with refuses("5.weight", "(2,)", "random_direction(model, rng)"):
        loss_line(module, batches, {"5.weight": torch.zeros(2)})
    with refuses("span is 0", "points is 21", "2 points or more"):
        loss_line(module, batches, {}, span=0)
    with refuses("2 networks", "through 3"):
        plane_through([mlp(0), mlp(1)], batches)
    with refuses("three networks", "one line"):
        plane_through([mlp(0), mlp(1), mlp(1)], batches)
    with refuses("loss is NaN", "everywhere"):
        loss_line(module, [(x * np.nan, y) for x, y in batches], {})
    with refuses("batches", "list_iterator", "only once", "image_batches(...)"):
        loss_line(module, iter(batches), {})
