"""Settings that make no sense are refused before anything is trained."""

from __future__ import annotations

import pytest

from dissensus.train import TrainConfig
from dissensus.train.train_config import step_seed, weight_seed


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"optimizer": "lion"}, "unknown optimizer 'lion'. Choose from: sgd, adam, adamw"),
        ({"schedule": "linear"}, "unknown schedule 'linear'"),
        ({"precision": "float16"}, "unknown precision 'float16'"),
        ({"epochs": 0}, "epochs=0: expected a whole number of 1 or more"),
        ({"batch": 2.5}, r"batch=2\.5"),
        ({"crop": -1}, "crop=-1"),
        ({"learning_rate": float("nan")}, "learning_rate=nan"),
        ({"momentum": 1.0}, r"momentum=1\.0"),
        ({"patience": 0}, "patience=0"),
        ({"milestones": (3,)}, "milestones are \\(3,\\) and the schedule is 'cosine'"),
        ({"schedule": "steps"}, "needs them"),
        ({"schedule": "steps", "milestones": (200,)}, "milestones has 200; expected whole numbers from 1 to 199"),
        ({"optimizer": "adam", "nesterov": True}, "nesterov needs the optimizer 'sgd'"),
        ({"batch": 4, "accumulate": 3}, "accumulate is 3; expected at most 2 for a batch of 4"),
        ({"seed": -1}, "seed"),
    ],
)
def test_settings_are_checked(settings, message):
    with pytest.raises(ValueError, match=message):
        TrainConfig(**settings)


def test_the_defaults_are_the_protocol_of_gheibi():
    """Gheibi 2026, sec. 4: SGD, 0.1, momentum 0.9, weight decay 5e-4, cosine over 200 epochs, batches of 128."""
    config = TrainConfig()
    assert (config.optimizer, config.learning_rate, config.momentum, config.weight_decay) == ("sgd", 0.1, 0.9, 5e-4)
    assert (config.schedule, config.epochs, config.batch, config.crop, config.flip) == ("cosine", 200, 128, 4, True)


def test_every_step_has_a_seed_of_its_own():
    seeds = {step_seed(seed, epoch, step) for seed in range(5) for epoch in range(20) for step in range(20)}
    assert len(seeds | {weight_seed(seed) for seed in range(5)}) == 2005
