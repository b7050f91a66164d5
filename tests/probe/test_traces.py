"""The trace of the Hessian by three roads, against the whole matrix, and its standard error."""

import numpy as np
import pytest
import torch
from torch import nn

from dissensus.probe import trace
from dissensus.probe.traces import METHODS
from tests.facts import refuses, states
from tests.probe.curved import convolutional, crowd, dense_hessian, layered, rng


@pytest.fixture(scope="module")
def small():
    module, batches = layered(), crowd(600, shape=(4,), batch=220)
    return module, batches, float(np.trace(dense_hessian(module, batches)))


@pytest.mark.parametrize("method", METHODS)
def test_every_method_has_the_trace_within_its_error_as_often_as_it_says(small, method):
    module, batches, truth = small
    results = [trace(module, batches, rng(seed), method=method, tolerance=0.1) for seed in range(40)]
    z = np.array([(result.value - truth) / result.error for result in results])
    assert (np.abs(z) < 1.96).mean() >= 0.85 and abs(z.mean()) < 4 / np.sqrt(40)
    assert all(result.converged and result.error <= 0.1 * result.value for result in results)


def test_first_derivatives_are_drawn_until_their_error_can_be_relied_on(small):
    """Of 25 sums a draw; after two draws, fewer of the values would be within 1.96 errors."""
    module, batches, truth = small
    results = [trace(module, batches, rng(seed), tolerance=0.3) for seed in range(100)]
    z = np.array([(result.value - truth) / result.error for result in results])
    assert (np.abs(z) < 1.96).mean() >= 0.9 and min(result.draws for result in results) == 3


@pytest.mark.parametrize("method", ["fisher", "hutchinson"])
def test_a_small_error_of_two_draws_is_no_convergence(small, method):
    module, batches, _ = small
    results = [trace(module, batches, rng(seed), method=method, tolerance=9, draws=2) for seed in range(3)]
    assert not any(result.converged for result in results)


def test_few_items_are_exact_also_with_convolutions_and_batch_norm():
    module, batches = convolutional(), crowd(30)
    result = trace(module, batches, rng())
    assert (result.method, result.error, result.draws, result.converged) == ("fisher", 0, 0, True)
    assert np.isclose(result.value, np.trace(dense_hessian(module, batches)), rtol=1e-10)


def test_first_derivatives_are_enough_for_a_relu_network_and_need_fewer_draws(small):
    module, batches, _ = small
    best = trace(module, batches, rng(), tolerance=0.05)
    plain = trace(module, batches, rng(), method="hutchinson", tolerance=0.05)
    assert best.method == "fisher" and states(best.why, "linear", "each tensor") and best.draws < plain.draws


@pytest.mark.parametrize("activation", [nn.GELU, nn.SiLU, nn.Tanh])
def test_smooth_activations_are_taken_by_second_derivatives(activation):
    module, batches = layered(activation=activation), crowd(60, shape=(4,), batch=40)
    truth = float(np.trace(dense_hessian(module, batches)))
    result = trace(module, batches, rng(), tolerance=0.05)
    assert result.method == "grouped" and abs(result.value - truth) < 4 * result.error
    with refuses("method is 'fisher'", activation.__name__.capitalize(), "'auto' or 'grouped'"):
        trace(module, batches, rng(), method="fisher")


def test_the_trace_of_a_relu_network_does_not_depend_on_what_people_said(small):
    module, batches, truth = small
    turned = [(inputs, targets.roll(1, dims=1)) for inputs, targets in batches]
    assert np.isclose(np.trace(dense_hessian(module, turned)), truth)


def test_classes_are_one_hot_rows(small):
    module, batches, _ = small
    codes = [(inputs, targets.argmax(1)) for inputs, targets in batches]
    rows = [(inputs, nn.functional.one_hot(targets, 3).double()) for inputs, targets in codes]
    for method in METHODS:
        first, second = (trace(module, b, rng(), method=method, tolerance=0.3).value for b in (codes, rows))
        assert np.isclose(first, second, rtol=1e-12)


def test_what_has_not_converged_says_so_and_a_flat_loss_has_no_trace(small):
    module, batches, _ = small
    result = trace(module, batches, rng(), tolerance=1e-9, draws=3)
    assert not result.converged and result.draws == 3 and result.error > 0
    flat = trace(nn.Linear(2, 3), [(torch.zeros(4, 2), torch.full((4, 3), 1 / 3))], rng(), method="hutchinson")
    assert flat.items == 4


@pytest.mark.parametrize(
    ("options", "facts"),
    [
        ({"method": "hutch++"}, ("unknown method 'hutch++'", "Choose from: auto, fisher, grouped, hutchinson")),
        ({"tolerance": -1}, ("tolerance is -1", "above 0")),
        ({"draws": 1}, ("draws is 1", "2 or more")),
    ],
)
def test_bad_options_are_refused(small, options, facts):
    with refuses(*facts):
        trace(*small[:2], rng(), **options)


def with_norm(norm):
    torch.manual_seed(0)
    return (
        nn.Sequential(nn.Conv2d(2, 3, 3), norm, nn.ReLU(), nn.AdaptiveAvgPool2d(2), nn.Flatten(), nn.Linear(12, 3))
        .double()
        .eval()
    )


@pytest.mark.parametrize(
    ("norm", "method"),
    [(nn.InstanceNorm2d(3), "grouped"), (nn.BatchNorm2d(3, track_running_stats=False), "hutchinson")],
)
def test_norms_that_look_at_their_inputs_are_not_taken_for_linear(norm, method):
    """Their trace was 5.2 by first derivatives where it is 0.9, and 5.6 where it is -2.0."""
    module, batches = with_norm(norm), crowd(30, batch=30)
    truth = float(np.trace(dense_hessian(module, batches)))
    result = trace(module, batches, rng(), draws=60)
    assert result.method == method and abs(result.value - truth) < 4 * result.error


class LessTheMean(nn.Module):
    """What an item has beyond the mean of its batch."""

    def forward(self, x):
        return x - x.mean(dim=0)


def test_items_that_depend_on_their_batch_are_not_taken_in_groups():
    module, batches = nn.Sequential(layered(), LessTheMean()).eval(), crowd(60, shape=(4,), batch=60)
    truth = float(np.trace(dense_hessian(module, batches)))
    result = trace(module, batches, rng(), tolerance=0.05)
    assert result.method == "hutchinson" and states(result.why, "its batch")
    assert abs(result.value - truth) < 4 * result.error
    with refuses("method is 'grouped'", "25 items", "its batch", "'auto' or 'hutchinson'"):
        trace(module, batches, rng(), method="grouped")


def test_items_along_another_dimension_than_the_first():
    class Recurrent(nn.Module):
        def __init__(self):
            super().__init__()
            self.layer, self.last = nn.RNN(2, 3), nn.Linear(3, 3)

        def forward(self, x):
            return self.last(self.layer(x)[0][-1])

    inputs, targets = torch.randn(4, 30, 2, dtype=torch.double), torch.arange(30) % 3
    assert trace(Recurrent().double(), [(inputs, targets)], rng(), draws=2).method == "hutchinson"
