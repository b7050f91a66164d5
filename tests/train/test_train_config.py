"""Settings that make no sense are refused before anything is trained."""

from __future__ import annotations

import pytest

from dissensus.train import TrainConfig
from dissensus.train.train_config import step_seed, weight_seed
from tests.facts import refuses


@pytest.mark.parametrize(
    ("settings", "facts"),
    [
        ({"optimizer": "lion"}, ("optimizer 'lion'", "sgd, adam, adamw")),
        ({"schedule": "linear"}, ("schedule 'linear'", "cosine, steps, plateau, constant")),
        ({"precision": "float16"}, ("precision 'float16'", "auto, float32, bfloat16")),
        ({"epochs": 0}, ("epochs=0", "whole number", "1 or more")),
        ({"batch": 2.5}, ("batch=2.5", "whole number", "1 or more")),
        ({"crop": -1}, ("crop=-1", "whole number", "0 or more")),
        ({"learning_rate": float("nan")}, ("learning_rate=nan", "0 or more")),
        ({"momentum": 1.0}, ("momentum=1.0", "0 to below 1")),
        ({"patience": 0}, ("patience=0", "whole number", "1 or more")),
        ({"milestones": (3,)}, ("milestones=[3]", "'cosine'", "'steps'")),
        ({"schedule": "steps"}, ("schedule='steps'", "milestones=")),
        ({"schedule": "steps", "milestones": (200,)}, ("milestones=[200]", "1 to 199", "200 epochs")),
        ({"optimizer": "adam", "nesterov": True}, ("nesterov", "optimizer 'sgd'", "momentum above 0")),
        ({"batch": 4, "accumulate": 3}, ("accumulate=3", "at most 2", "batch of 4")),
        ({"seed": -1}, ("seed=-1", "whole number", "0 to 18446744073709551615")),
    ],
)
def test_settings_are_checked(settings, facts):
    with refuses(*facts):
        TrainConfig(**settings)


def test_the_defaults_are_the_protocol_of_gheibi():
    """Gheibi 2026, sec. 4: SGD, 0.1, momentum 0.9, weight decay 5e-4, cosine over 200 epochs, batches of 128."""
    config = TrainConfig()
    assert (config.optimizer, config.learning_rate, config.momentum, config.weight_decay) == ("sgd", 0.1, 0.9, 5e-4)
    assert (config.schedule, config.epochs, config.batch, config.crop, config.flip) == ("cosine", 200, 128, 4, True)


def test_every_step_has_a_seed_of_its_own():
    seeds = {step_seed(seed, epoch, step) for seed in range(5) for epoch in range(20) for step in range(20)}
    assert len(seeds | {weight_seed(seed) for seed in range(5)}) == 2005
