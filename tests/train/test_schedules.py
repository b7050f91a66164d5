"""Learning rates as functions of the epoch are those that torch's schedulers step to."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from dissensus.train.schedules import is_over, rate_of
from dissensus.train.train_config import TrainConfig

losses_lists = st.lists(st.floats(0.01, 10), max_size=30)


def torch_rates(scheduler, optimizer, epochs, losses=None):
    rates = []
    for epoch in range(epochs):
        rates.append(optimizer.param_groups[0]["lr"])
        optimizer.step()
        scheduler.step(*(() if losses is None else (losses[epoch],)))
    return rates


def optimizer(rate=0.1):
    return torch.optim.SGD([torch.zeros(1, requires_grad=True)], lr=rate)


def test_cosine_is_that_of_torch():
    config, sgd = TrainConfig(epochs=30), optimizer()
    rates = torch_rates(torch.optim.lr_scheduler.CosineAnnealingLR(sgd, 30), sgd, 30)
    assert [rate_of(config, epoch, []) for epoch in range(30)] == pytest.approx(rates)


def test_steps_are_those_of_torch_and_of_collins():
    """Collins 2022, sec. 5.1: 0.1, times 1e-4 after epoch 50 and again after 55, 65 epochs in all."""
    config, sgd = TrainConfig(epochs=65, schedule="steps", milestones=(50, 55), factor=1e-4), optimizer()
    rates = torch_rates(torch.optim.lr_scheduler.MultiStepLR(sgd, [50, 55], gamma=1e-4), sgd, 65)
    ours = [rate_of(config, epoch, []) for epoch in range(65)]
    assert ours == pytest.approx(rates)
    assert (ours[49], ours[50], ours[55]) == pytest.approx((0.1, 1e-5, 1e-9))


@given(losses_lists, st.integers(0, 4))
def test_plateau_is_that_of_torch_for_any_losses(losses, patience):
    config = TrainConfig(epochs=40, schedule="plateau", factor=0.5, plateau_patience=patience)
    sgd = optimizer()
    scheduler = torch.optim.lr_scheduler.ReduceLROnPlateau(sgd, factor=0.5, patience=patience, eps=0)
    rates = torch_rates(scheduler, sgd, len(losses), losses)
    assert [rate_of(config, epoch, losses[:epoch]) for epoch in range(len(losses))] == pytest.approx(rates)


@given(st.integers(1, 40), st.floats(0, 1), st.floats(0, 1))
def test_triangle_rises_and_falls_in_a_line(epochs, warmup, share):
    config = TrainConfig(epochs=epochs, schedule="triangle", learning_rate=0.3, warmup=warmup)
    epoch, done = divmod(share * epochs, 1)
    corners = {0: 0.0, warmup: 0.3, 1: 0.0} | ({0: 0.3} if warmup == 0 else {}) | ({1: 0.3} if warmup == 1 else {})
    expected = np.interp(share, list(corners), list(corners.values()))
    assert rate_of(config, int(epoch), [], done) == pytest.approx(expected, abs=1e-9)


def test_triangle_is_the_one_cycle_of_torch_with_lines():
    config = TrainConfig(epochs=10, schedule="triangle", warmup=0.3)
    steps, sgd = 20, optimizer()
    cycle = torch.optim.lr_scheduler.OneCycleLR(
        sgd, 0.1, total_steps=201, pct_start=61 / 201, anneal_strategy="linear", div_factor=1e9, cycle_momentum=False
    )
    ours = [rate_of(config, step // steps, [], step % steps / steps) for step in range(200)]
    assert ours == pytest.approx(torch_rates(cycle, sgd, 200), abs=1e-6)


def test_a_constant_rate_stays():
    config = TrainConfig(schedule="constant", learning_rate=0.3)
    assert {rate_of(config, epoch, []) for epoch in range(5)} == {0.3}


@given(losses_lists, st.integers(1, 5), st.floats(0, 0.5))
def test_training_stops_when_the_best_loss_is_too_long_ago(losses, patience, min_delta):
    config = TrainConfig(epochs=40, patience=patience, min_delta=min_delta)
    best, since = float("inf"), 0
    for done in range(len(losses) + 1):
        assert is_over(config, done, losses[:done]) == (since >= patience)
        if since >= patience or done == len(losses):
            return
        if losses[done] < best - min_delta:
            best, since = losses[done], 0
        else:
            since += 1


def test_training_ends_with_its_epochs():
    assert is_over(TrainConfig(epochs=3), 3, []) and not is_over(TrainConfig(epochs=3), 2, [1.0, 2.0])
